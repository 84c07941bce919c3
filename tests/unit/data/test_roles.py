"""Columns that name the rows, and notes on columns that may."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disnplbm.data.source import open_source
from disnplbm.errors import OptionsNeeded
from spoken import typed_for

RNG = np.random.default_rng(0)
FRACTIONS = RNG.normal(size=(40, 2)).round(3)
COUNTS = RNG.poisson(4, size=(40, 2))


def written(folder: Path, name: str, first: list[object], rest: object, others: str = "a,b") -> Path:
    path = folder / "x.csv"
    rows = [f"{one},{','.join(map(str, row))}" for one, row in zip(first, np.asarray(rest), strict=False)]
    path.write_text("\n".join(([f"{name},{others}"] if others else []) + rows) + "\n")
    return path


UNSORTED = [int(i) for i in RNG.permutation(np.arange(842302, 842302 + 3 * 40, 3))]


@pytest.mark.parametrize(
    ("name", "first", "rest"),
    [
        ("patient", list(range(1, 41)), FRACTIONS),
        ("patient", list(range(40)), COUNTS),
        ("year", list(range(1950, 1990)), COUNTS),
        ("patient", UNSORTED, FRACTIONS),
        ("patient", [f"{i}.0" for i in range(40)], FRACTIONS),
        ("id", [1, 1, 2, 2] * 10, COUNTS),
        ("Sample", [f"s{i}" for i in range(40)], FRACTIONS),
        ("sample_id", UNSORTED, COUNTS),
        ("patient", UNSORTED, COUNTS),
        ("Patient ID", [1, 1, 2, 2] * 10, COUNTS),
        ("gene_id", UNSORTED, COUNTS),
        ("name", ["ann", "bob"] * 20, COUNTS),
        ("index", list(range(40)), COUNTS),
        ("Unnamed: 0", list(range(40)), COUNTS),
        ("row.names", [f"s{i}" for i in range(40)], COUNTS),
    ],
)
def test_first_columns_that_name_the_rows(tmp_path: Path, name: str, first: list[object], rest: object) -> None:
    path = written(tmp_path, name, first, rest)
    source = open_source(path)
    (chunk,) = source.chunks()
    assert source.column_names == ["a", "b"]
    assert chunk.ids == list(map(str, first))
    (note,) = source.notes
    assert "the first column holds row names, not data" in note
    assert "--id-column none" in note
    if str(first[0]).replace(".", "").isdigit():
        overruled = open_source(path, id_column="none")
        assert overruled.column_names == [name, "a", "b"]
        assert next(overruled.chunks()).ids is None


@pytest.mark.parametrize(
    ("name", "first", "rest", "others"),
    [
        ("x", COUNTS[:, 0].tolist(), FRACTIONS, "a,b"),
        ("index", FRACTIONS[:, 0].tolist(), COUNTS, "a,b"),
        ("x1", list(range(40)), COUNTS, "x2,x3"),
        ("gene-0", list(range(40)), COUNTS, "gene-0,gene-1"),
        ("price", UNSORTED, COUNTS, "a,b"),
        ("acid", COUNTS[:, 0].tolist(), COUNTS, "a,b"),
        ("group id", COUNTS[:, 0].tolist(), COUNTS, "a,b"),
        ("x", list(range(40)), np.stack([np.arange(40), np.arange(5, 45)], axis=1), "a,b"),
        ("x", [-1, *range(39)], FRACTIONS, "a,b"),
        ("x", ["", *range(39)], FRACTIONS, "a,b"),
        ("x", [7, 9], FRACTIONS, "a,b"),
        ("", list(range(5)), FRACTIONS, ""),
    ],
)
def test_first_columns_that_are_data(tmp_path: Path, name: str, first: list[object], rest: object, others: str) -> None:
    source = open_source(written(tmp_path, name, first, rest, others))
    (chunk,) = source.chunks()
    assert len(source.column_names) == 3
    assert chunk.ids is None


def test_ids_without_a_header(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "", UNSORTED, FRACTIONS, ""))
    assert next(source.chunks()).ids == list(map(str, UNSORTED))
    assert source.column_names == ["1", "2"]


def test_a_column_of_blanks_is_no_name(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "", [""] * 40, FRACTIONS))
    assert source.column_names == ["a", "b"]


def test_columns_of_data_that_look_like_classes_are_noted(tmp_path: Path) -> None:
    three = np.tile([0, 1, 2], 14)[:40]
    for name, others in (("x", "a,b"), ("diagnosis", "a,b")):
        source = open_source(written(tmp_path, name, three.tolist(), FRACTIONS, others))
        assert source.column_names == [name, "a", "b"]
        assert any(f"column {name} looks like known classes" in note for note in source.notes)
        assert any(f"--row-classes {name}" in note for note in source.notes)
    assert not open_source(written(tmp_path, "x", three.tolist(), COUNTS)).notes
    assert not open_source(tmp_path / "x.csv", class_column="x").notes


def test_columns_of_data_that_look_like_row_names_are_noted(tmp_path: Path) -> None:
    swapped = np.column_stack([FRACTIONS[:, 0], np.arange(40)])
    source = open_source(written(tmp_path, "x", FRACTIONS[:, 1].tolist(), swapped, "a,patient"))
    assert source.column_names == ["x", "a", "patient"]
    assert "column patient looks like row names" in source.notes[0]
    (note,) = open_source(written(tmp_path, "x", FRACTIONS[:, 1].tolist(), swapped, "a,sample id")).notes
    assert "column sample id looks like row names" in note
    assert "--id-column 'sample id'" in note


def test_numbers_that_may_name_the_rows_of_a_table_of_counts_are_noted(tmp_path: Path) -> None:
    path = written(tmp_path, "MRN", UNSORTED, COUNTS)
    (note,) = open_source(path).notes
    assert "column MRN looks like row names but is taken as data: --id-column MRN makes it the row names" in note
    assert not open_source(path, id_column="none").notes
    assert not open_source(written(tmp_path, "x1", UNSORTED, COUNTS, "x2,x3")).notes
    assert not open_source(written(tmp_path, "MRN", UNSORTED, np.column_stack([COUNTS[:, 0], UNSORTED[::-1]]))).notes
    table = pd.DataFrame(COUNTS, columns=["a", "b"]).assign(MRN=UNSORTED)[["MRN", "a", "b"]]
    table.to_parquet(tmp_path / "x.parquet")
    assert "column MRN looks like row names" in open_source(tmp_path / "x.parquet").notes[0]


def test_the_same_rule_holds_for_parquet(tmp_path: Path) -> None:
    table = pd.DataFrame(FRACTIONS, columns=["a", "b"])
    for name, first in (("patient", UNSORTED), ("id", COUNTS[:, 0]), ("sample", [f"s{i}" for i in range(40)])):
        path = tmp_path / "x.parquet"
        table.assign(**{name: first})[[name, "a", "b"]].to_parquet(path)
        source = open_source(path)
        (chunk,) = source.chunks()
        assert (source.column_names, chunk.ids) == (["a", "b"], list(map(str, first)))
        assert "to read it as data: --id-column none" in source.notes[0]
        if name != "sample":
            assert open_source(path, id_column="none").column_names == [name, "a", "b"]
    table.assign(x=COUNTS[:, 0])[["x", "a", "b"]].to_parquet(tmp_path / "x.parquet")
    assert open_source(tmp_path / "x.parquet").column_names == ["x", "a", "b"]
    table.assign(diagnosis=COUNTS[:, 0]).to_parquet(tmp_path / "x.parquet")
    assert "column diagnosis looks like known classes" in open_source(tmp_path / "x.parquet").notes[0]


def test_all_text_columns_of_parquet_are_listed(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    table = pd.DataFrame({"gene": [f"g{i}" for i in range(40)], "kind": ["u", "v"] * 20, "a": FRACTIONS[:, 0]})
    table.assign(remark=[f"see {i}" for i in range(40)]).to_parquet(path)
    with pytest.raises(OptionsNeeded) as caught:
        open_source(path)
    assert "3 columns hold text, not numbers: gene (row names?), kind (known classes?), remark" in str(caught.value)
    assert typed_for(caught.value) == ("--id-column", "gene", "--row-classes", "kind", "--drop-column", "remark")
    source = open_source(path, id_column="gene", class_column="kind", drop_columns=("remark",))
    assert source.column_names == ["a"]
