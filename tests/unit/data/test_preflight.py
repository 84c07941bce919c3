"""The check before a run."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disnplbm.data.array import ArraySource
from disnplbm.data.preflight import Preflight, preflight
from disnplbm.data.sample import MOST_COLUMNS, MOST_ROWS, Sample
from disnplbm.data.source import open_source
from disnplbm.engine.pilot import pilot
from disnplbm.errors import InputError

from .tables import tables


def checked(values: object, **options: list[str]) -> Preflight:
    return preflight(ArraySource(values, **options), pilot)


def test_it_names_what_is_odd() -> None:
    x = np.random.default_rng(0).normal(size=(30, 8))
    x[:, 1] = 4.0
    x[:, 2] = np.nan
    x[:, 6] = x[:, 0]
    x[7] = np.nan
    x[9, 3] = 99.0
    report = checked(x, column_names=["a", "b", "c", "d", "e", "a", "f", "g"])
    assert report.constant_columns.names == ("b",)
    assert report.empty_columns.names == ("c",)
    assert report.empty_rows.names == ("7",)
    assert report.duplicate_names.names == ("a",)
    assert report.duplicate_columns.names == ("f = a",)
    assert report.high == 99.0
    assert report.missing == 30 + 7
    text = "\n".join(report.lines())
    for piece in (
        "30 rows x 8 columns",
        "37 cells (15.42%)",
        "constant columns: 1 (b)",
        "f = a",
        "shards: 1 over the rows",
    ):
        assert piece in text
    assert json.loads(json.dumps(report.to_dict()))["missing_share"] == pytest.approx(37 / 240)


@settings(deadline=None, max_examples=40)
@given(values=tables(), data=st.data())
def test_equal_columns_are_found_and_only_they(values: np.ndarray, data: st.DataObject) -> None:
    p = values.shape[1]
    order = data.draw(st.lists(st.integers(0, p - 1), min_size=1, max_size=15))
    full = values.copy()
    full[0] = np.arange(p)[:, None]
    found = checked(full[:, order]).duplicate_columns.count
    assert found == len(order) - len(set(order))


def test_columns_with_the_same_values_in_another_order_differ() -> None:
    assert checked(np.array([[1.0, 2.0], [2.0, 1.0]])).duplicate_columns.count == 0
    assert checked(np.array([[0.0, 0.0], [np.nan, 0.0]])).duplicate_columns.count == 0


def test_at_most_five_are_named() -> None:
    report = checked(np.ones((3, 9)))
    assert report.constant_columns.count == 9
    assert "constant columns: 9 (0, 1, 2, 3, 4 and 4 more)" in report.lines()


def test_table_without_values() -> None:
    report = checked(np.full((2, 3), np.nan))
    assert report.low is None
    assert "range: no observed value" in report.lines()


def test_estimates_grow_with_the_table() -> None:
    small, large = checked(np.ones((10, 10))), checked(np.ones((10, 100_000)))
    assert large.memory_mb - small.memory_mb == pytest.approx(8, rel=0.01)
    assert large.axis == "columns"


def test_bad_cells_are_errors(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\nx,3\n")
    with pytest.raises(InputError, match="line 3, column a"):
        preflight(open_source(tmp_path / "x.csv"), pilot)


def test_a_sample_of_cells_of_many_numbers_takes_no_more_memory() -> None:
    sample = Sample(64, 16)
    sample.add(np.zeros((2100, 64, 16)))
    assert sample.cells.nbytes <= MOST_ROWS * MOST_COLUMNS * 8
    assert sample.cells.shape == (2048, 32, 16)
