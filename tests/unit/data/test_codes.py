"""Numbers that stand for missing cells are told, and measurements are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.objects import open_store


def told(source: Source) -> list[str]:
    """Notes on codes, from a table that comes in several chunks."""
    notes = ingest(source, open_store("memory://"), "d").warnings
    return [note for note in notes if "stands for a missing cell" in note]


def table(code: float, rows: int = 200) -> np.ndarray:
    values = np.random.default_rng(0).normal(5, 1, (rows, 6)).round(2)
    values[::20, 2] = values[7, 4] = code
    return values


@pytest.mark.parametrize("code", [-999, -99, -9999, 999, 99999])
def test_a_code_far_from_all_numbers_is_told(tmp_path: Path, code: int) -> None:
    values = table(code)
    np.savetxt(tmp_path / "x.csv", values, delimiter=",", fmt="%g", header="a,b,c,d,e,f", comments="")
    (note,) = told(open_source(tmp_path / "x.csv"))
    rest = values[values != code]
    assert note == (
        f"11 cells hold {code}, and the other numbers lie from {rest.min():g} to {rest.max():g}. If {code} stands for"
        f" a missing cell, read it as missing: --missing {code}"
    )
    assert told(open_source(tmp_path / "x.csv", missing=(str(code),))) == []
    (note,) = told(ArraySource(values))
    assert note.endswith("leave these cells blank (NaN)")


def test_two_codes_are_two_lines() -> None:
    values = table(-999)
    values[::30, 0] = 9999
    assert [note.split(",")[0] for note in told(ArraySource(values))] == ["11 cells hold -999", "7 cells hold 9999"]


def test_measurements_are_no_codes() -> None:
    once = table(5)
    once[3, 3] = -999
    near = np.random.default_rng(0).normal(0, 500, (200, 6)).round()
    near[::20, 2] = -999
    counts = np.arange(1200.0).reshape(200, 6)
    for values in (once, near, counts, np.full((5, 3), -999.0), np.full((5, 3), np.nan)):
        assert told(ArraySource(values)) == []


def test_a_code_below_numbers_that_are_never_negative_is_told() -> None:
    shares = np.random.default_rng(0).uniform(0, 300, (200, 6))
    shares[::20, 2] = -99
    assert len(told(ArraySource(shares))) == 1
