"""Factors of rows and columns, as they are given in a file or in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disnplbm.data.factors import GivenFactors, NewFactors, checked, read_factors
from disnplbm.data.matching import LabelList
from disnplbm.errors import InputError

ROWS, COLUMNS = ["a", "b", "c"], ["x", "y"]


@pytest.mark.parametrize(
    ("name", "text", "names"),
    [
        ("f.csv", "id,size\na,1\nb,2.5\nc,3\n", ROWS),
        ("f.csv", "who,size\na,1\nb,2.5\nc,3\n", ROWS),
        ("f.csv", "size\n1\n2.5\n3\n", None),
        ("f.txt", "1\n2.5\n3\n", None),
        ("f.tsv", "id\tsize\na\t1\nb\t2,5\nc\t3\n", ROWS),
    ],
)
def test_factors_in_text(tmp_path: Path, name: str, text: str, names: list[str] | None) -> None:
    (tmp_path / name).write_text(text)
    assert read_factors(tmp_path / name) == LabelList([1.0, 2.5, 3.0], names)


def test_factors_in_other_files(tmp_path: Path) -> None:
    np.save(tmp_path / "f.npy", [1.0, 2.5, 3.0])
    assert read_factors(tmp_path / "f.npy") == LabelList([1.0, 2.5, 3.0])
    pd.DataFrame({"size": [1.0, 2.5, 3.0]}, index=ROWS).to_parquet(tmp_path / "f.parquet")
    assert read_factors(tmp_path / "f.parquet") == LabelList([1.0, 2.5, 3.0], ROWS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("id,size\na,1\nb,0\n", r"the factor in row 2 \(b\) is 0; factors are finite numbers above 0"),
        ("id,size\na,-1\nb,1\n", r"the factor in row 1 \(a\) is -1"),
        ("id,size\na,\nb,1\n", r"the factor in row 1 \(a\) is missing"),
        ("size\n1\n-2\n", "the factor in row 2 is -2"),
        ("id,size,more\na,1,2\nb,1,3\n", r"has 2 columns of numbers \(size, more\)"),
        ("id,size\na,much\nb,1\n", "'much'"),
    ],
)
def test_what_is_no_factor_is_refused_by_its_row(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "f.csv").write_text(text)
    with pytest.raises(InputError, match=says):
        read_factors(tmp_path / "f.csv")


def test_infinite_factors_are_refused() -> None:
    with pytest.raises(InputError, match="exposure: the factor in row 2 is inf"):
        checked(LabelList([1.0, np.inf]), "exposure")


def test_factors_are_matched_by_name_or_taken_in_order() -> None:
    by_name = GivenFactors(LabelList([3.0, 1.0, 2.0], ["c", "a", "b"]))
    found, notes = by_name.matched(ROWS, COLUMNS, "x.csv")
    assert found.rows.tolist() == [1.0, 2.0, 3.0]
    assert found.columns.tolist() == [1.0, 1.0]
    assert notes == ["the factors of the rows are in another order than x.csv: matched by their ids"]
    found, notes = GivenFactors(LabelList([1.0, 2.0, 3.0]), LabelList([4.0, 5.0], COLUMNS)).matched(ROWS, COLUMNS, "x")
    assert (found.rows.tolist(), found.columns.tolist()) == ([1.0, 2.0, 3.0], [4.0, 5.0])
    assert notes == [
        "the factors of the rows have no ids: taken in the order of the rows of x",
        "the factors of the columns are matched by their names",
    ]
    with pytest.raises(InputError, match="lack rows of x: c"):
        GivenFactors(LabelList([1.0, 2.0], ["a", "b"])).matched(ROWS, COLUMNS, "x")


def test_factors_of_new_rows_come_some_at_a_time() -> None:
    by_name = NewFactors(LabelList([3.0, 1.0, 2.0], ["c", "a", "b"]), "new.csv")
    assert by_name.take(["a", "b"], 2).tolist() == [1.0, 2.0]
    assert by_name.finish(named=True) == "the factors are matched by their names"
    with pytest.raises(InputError, match=r"row d of new\.csv has no factor"):
        by_name.take(["d"], 1)
    in_order = NewFactors(LabelList([3.0, 1.0, 2.0]), "new.csv")
    assert in_order.take(["p", "q"], 2).tolist() == [3.0, 1.0]
    with pytest.raises(InputError, match=r"there are 3 factors, and new\.csv has 2 rows"):
        in_order.finish(named=True)
    with pytest.raises(InputError, match=r"there are 3 factors, and new\.csv has more rows"):
        in_order.take(None, 2)
