"""Cells that are clearly not normal are told, and ordinary measurements are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_iris, load_wine

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.preflight import preflight
from disnplbm.data.shape import CellShape
from disnplbm.data.shards import prepare
from disnplbm.data.source import open_source
from disnplbm.engine.pilot import pilot
from disnplbm.objects.store import open_store

Table = NDArray[np.float64]


def told(values: Table, parts: int = 1) -> list[str]:
    """Warnings about a table (n, p) or (n, p, d) that comes in several parts."""
    cells = np.asarray(values, dtype=np.float64)
    cells = cells.reshape(*cells.shape[:2], -1)
    shape = CellShape(*cells.shape[1:])
    for part in np.array_split(cells, parts):
        shape.add(part)
    return shape.warnings([str(j) for j in range(cells.shape[1])])


def modelled(values: Table, transform: str) -> list[str]:
    """Warnings that a run gives, about the cells as they are modelled."""
    store = open_store("memory://")
    warnings = prepare(ingest(ArraySource(values), store, "d"), store, "s", transform=transform).warnings
    return [warning for warning in warnings if "assumes normal cells" in warning]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_votes() -> None:
    assert told(rng().integers(0, 2, (40, 10))) == [
        "100% of the cells are in columns of two values (votes?): all 10 columns. The model assumes normal cells:"
        " read the clusters as a description, and do not rely on probabilities and intervals"
    ]


def test_columns_are_named_with_what_leaves_them_out() -> None:
    values = rng().normal(size=(60, 12))
    values[:, 3:10] = rng().integers(0, 2, (60, 7))
    shape = CellShape(12, 1)
    shape.add(values[:, :, None])
    (line,) = shape.warnings([f"the {j}" for j in range(12)])
    assert "two values (votes?): columns the 3, the 4, the 5, the 6, the 7 and 2 more. The model" in line
    assert "--drop-column" not in line
    (line,) = shape.warnings([str(j) for j in range(12)])
    assert "columns 3, 4, 5, 6, 7 and 2 more" in line
    assert "--drop-column" not in line
    shape = CellShape(12, 1)
    shape.add(np.where(np.arange(12) < 8, rng().normal(size=(60, 12)), values[:, 3:4])[:, :, None])
    (line,) = shape.warnings([f"the {j}" for j in range(12)])
    left_out = " ".join(f"--drop-column 'the {j}'" for j in range(8, 12))
    assert line.endswith(f"; or leave the columns out ({left_out})")


def test_the_columns_of_a_spike_are_those_that_have_one() -> None:
    values = rng().normal(size=(60, 4))
    values[:30, 2] = -5.0
    (line,) = told(values)
    assert "(a detection limit?): column 2. The model assumes normal cells: leave these cells blank" in line


def test_grades() -> None:
    (line,) = told(rng().integers(1, 6, (40, 10)) / 2)
    assert line.startswith("100% of the cells are in columns of few values (grades?)")


def test_counts() -> None:
    (line,) = told(rng().poisson(5.0, (200, 10)))
    assert line.startswith("100% of the cells are small whole numbers (counts?)")
    assert "try --transform log1p" in line


def test_large_counts_are_nearly_normal() -> None:
    assert told(rng().poisson(50.0, (200, 10))) == []


def test_a_floor_and_a_ceiling() -> None:
    values = np.clip(rng().normal(size=(200, 20)), -1.0, 1.0)
    floor, ceiling = told(values)
    assert floor.startswith("16% of the cells are at the smallest value of their column (a detection limit?)")
    assert ceiling.startswith("15% of the cells are at the largest value of their column (a ceiling?)")
    assert "leave these cells blank" in floor


@pytest.mark.parametrize("transform", ["none", "standardize", "boxcox", "log1p"])
def test_no_transform_hides_a_floor(transform: str) -> None:
    values = np.maximum(rng().normal(size=(200, 20)) + 3.0 + np.arange(20) / 10, 3.5)
    assert ["smallest value" in warning for warning in modelled(values, transform)] == [True]


def test_a_transform_that_mends_counts_is_not_asked_for_again() -> None:
    values = rng().poisson(5.0, (200, 10))
    assert len(modelled(values, "none")) == 1
    assert modelled(values, "log1p") == []


@pytest.mark.parametrize("decimals", [0, 1, 2, 3])
@pytest.mark.parametrize("rows", [2, 3, 5, 22, 400])
def test_rounded_normal_cells_are_no_fault(decimals: int, rows: int) -> None:
    spread = 15.0 if decimals == 0 else 1.0
    assert told(np.round(rng().normal(100.0, spread, (rows, 30)), decimals)) == []


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_measurements_are_no_fault(load: object) -> None:
    values = load().data  # type: ignore[operator]
    assert told(values) == []
    assert told(values.T) == []


@pytest.mark.parametrize(("rows", "columns"), [(1, 5), (2, 5), (3, 4), (7, 50)])
def test_a_table_too_short_to_repeat_itself_tells_nothing(rows: int, columns: int) -> None:
    assert told(rng().integers(0, 2, (rows, columns))) == []


def test_constant_empty_and_missing_cells_count_for_nothing() -> None:
    values = rng().normal(size=(50, 6))
    values[:, 0], values[:, 1], values[::3, 2] = 1.0, np.nan, np.nan
    assert told(values) == []
    assert told(np.full((50, 3), np.nan)) == []
    votes = np.where(rng().random((60, 8)) < 0.3, np.nan, rng().integers(0, 2, (60, 8)))
    assert len(told(votes)) == 1


def test_a_small_part_of_the_table_is_not_worth_a_line() -> None:
    values = rng().normal(size=(50, 20))
    values[:, 0] = rng().integers(0, 2, 50)
    assert told(values) == []
    values[:, 1] = rng().integers(0, 2, 50)
    (line,) = told(values)
    assert line.startswith("10% of the cells are in columns of two values")


def test_numbers_of_a_cell_are_judged_one_by_one() -> None:
    values = rng().normal(size=(50, 6, 3))
    values[..., 1] = rng().integers(0, 2, (50, 6))
    (line,) = told(values)
    assert line.startswith("33% of the cells (numbers 1 of each, counted from 0) are in columns of two values (votes?)")


def test_numbers_at_the_end_of_the_range_are_no_fault() -> None:
    assert told(np.array([[-1.5e308, 1.0], [1.5e308, 2.0], [0.0, 3.5]])) == []


@settings(deadline=None, max_examples=60)
@given(
    kind=st.sampled_from(["votes", "grades", "eight", "counts", "floor", "normal"]),
    seed=st.integers(0, 2**32),
    parts=st.integers(1, 7),
)
def test_how_the_table_comes_in_does_not_matter(kind: str, seed: int, parts: int) -> None:
    generator = np.random.default_rng(seed)
    values = {
        "votes": generator.integers(0, 2, (40, 5)).astype(np.float64),
        "grades": generator.integers(0, 7, (40, 5)) / 4,
        "eight": generator.integers(0, 8, (60, 5)) / 4,
        "counts": generator.poisson(3.0, (60, 5)).astype(np.float64),
        "floor": np.maximum(generator.normal(size=(40, 5)), 0.0),
        "normal": generator.normal(size=(40, 5)),
    }[kind]
    values[generator.random(values.shape) < 0.1] = np.nan
    expected = told(values)
    assert told(values, parts) == expected
    assert told(values[generator.permutation(len(values))], parts) == expected


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32), levels=st.integers(2, 12), rows=st.integers(1, 80))
def test_columns_of_few_values_are_those_that_counting_finds(seed: int, levels: int, rows: int) -> None:
    column = np.random.default_rng(seed).integers(0, levels, (rows, 1)) + 0.5
    different = len(np.unique(column))
    expected = 1 < different <= 7 and rows >= 4 * different
    assert any("in columns of" in line for line in told(column, 3)) == expected


def test_the_check_before_a_run_tells_the_same() -> None:
    values = rng().integers(0, 2, (40, 10)) + 0.5
    report = preflight(ArraySource(values), pilot)
    assert list(report.notes) == modelled(values, "none")
    assert f"note: {report.notes[0]}" in report.lines()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("chowdary-2006.csv.gz", "31% of the cells are at the smallest value of their column (a detection limit?)"),
        ("nutt-2003-v3.csv.gz", "15% of the cells are at the smallest value of their column (a detection limit?)"),
    ],
)
def test_real_tables(shared_dir: Path, name: str, expected: str) -> None:
    notes = preflight(open_source(shared_dir / "data" / name, id_column="sample", class_column="class"), pilot).notes
    assert [note.split(": ")[0] for note in notes if "assumes normal cells" in note] == [expected]


def test_votes_are_no_real_numbers(shared_dir: Path) -> None:
    path = shared_dir / "data" / "senate109.csv.gz"
    report = preflight(open_source(path, id_column="sample", class_column="class"), pilot)
    assert report.cells == "binary"
    (said,) = [note for note in report.notes if "cells" in note]
    assert said.startswith("the cells are taken as yes and no: they are 0 or 1, 64% of them 1 (for real numbers: ")
    assert not any("recommended" in line for line in report.lines())
