"""Long tables: refused with a word, or pivoted when asked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from disnplbm.cli.flags import flag
from disnplbm.data.source import open_source
from disnplbm.data.table import is_sparse
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import say
from spoken import typed_for


def written(folder: Path, text: str, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_report_25_a_long_table_must_be_pivoted(tmp_path: Path) -> None:
    path = written(tmp_path, "row,col,value\nbar,bar,1\nbar,caz,2\nfoo,bar,3\n")
    with pytest.raises(OptionsNeeded, match="must be pivoted, where absent pairs are missing") as caught:
        open_source(path)
    assert typed_for(caught.value) == ("--layout", "long")
    source = open_source(path, layout="long")
    (chunk,) = source.chunks()
    assert (source.column_names, chunk.ids) == (["bar", "caz"], ["bar", "foo"])
    assert np.array_equal(chunk.values[:, :, 0], [[1, 2], [3, np.nan]], equal_nan=True)
    assert any("pairs that are absent are missing" in note for note in source.notes)


@pytest.mark.parametrize(
    "text",
    [
        "a,b,1\na,c,2\nb,b,3\n",
        "user,item,rating\n7,3,5\n7,4,2\n8,3,1\n",
        "gene,cell,count\ng1,c1,5\ng1,c2,2\ng1,c3,1\n",
    ],
)
def test_other_long_tables_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(OptionsNeeded, match="looks like a long table"):
        open_source(written(tmp_path, text))


@pytest.mark.parametrize(
    "text",
    [
        "sample,class,value\ns1,A,5\ns2,A,2\ns3,B,1\n",
        "a,b,c\n7,3,5\n7,4,2\n8,3,1\n",
        "class,site,value\nA,x,5\nA,x,2\nB,x,1\n",
    ],
)
def test_ordinary_tables_of_three_columns_are_not_long(tmp_path: Path, text: str) -> None:
    try:
        list(open_source(written(tmp_path, text)).chunks())
    except InputError as error:
        assert "long" not in str(error)  # noqa: PT017 - some of them hold text


def test_a_long_table_can_be_said_to_be_an_ordinary_one(tmp_path: Path) -> None:
    path = written(tmp_path, "user,item,rating\n7,3,5\n7,4,2\n8,3,1\n")
    assert open_source(path, layout="table").column_names == ["user", "item", "rating"]


def test_lines_may_come_in_any_order_and_other_columns_are_left_out(tmp_path: Path) -> None:
    path = written(tmp_path, "f,day,item,n\nu2,mon,b,4\nu1,tue,a,1\nu2,mon,a,NA\nu1,mon,c,2\n")
    source = open_source(path, layout="long", drop_columns=("day",))
    (chunk,) = source.chunks()
    assert (source.column_names, chunk.ids) == (["b", "a", "c"], ["u2", "u1"])
    assert np.array_equal(chunk.values[:, :, 0], [[4, np.nan, np.nan], [np.nan, 1, 2]], equal_nan=True)
    with pytest.raises(InputError, match="has 4 columns, and a long table has three"):
        open_source(path, layout="long")


def test_a_pair_in_two_lines_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,1\na,c,2\na,b,3\n")
    with pytest.raises(InputError, match="has 'a' and 'b' in two lines"):
        list(open_source(path, layout="long").chunks())


def test_a_long_table_in_many_chunks_is_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("disnplbm.data.long.READ_BYTES", 8 * 30)
    rng = np.random.default_rng(0)
    table = np.where(rng.random((40, 12)) < 0.3, np.nan, rng.normal(size=(40, 12)))
    table[:, 0] = table[0] = 1.0
    cells = rng.permutation(np.argwhere(~np.isnan(table)))
    lines = [f"r{i},c{j},{float(table[i, j])!r}" for i, j in cells]
    source = open_source(written(tmp_path, "\n".join(["row,col,value", *lines]) + "\n"), layout="long")
    chunks = list(source.chunks())
    rows = [int(name[1:]) for chunk in chunks for name in chunk.ids or ()]
    columns = [int(name[1:]) for name in source.column_names]
    assert len(chunks) > 1
    assert (sorted(rows), sorted(columns)) == (list(range(40)), list(range(12)))
    found = np.concatenate([chunk.values for chunk in chunks])[:, :, 0]
    assert np.array_equal(found, table[np.ix_(rows, columns)], equal_nan=True)


def test_a_tiny_long_table_cannot_stand_for_a_huge_one(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"r{i},c{i},1\n" for i in range(20_000)))
    with pytest.raises(InputError, match="less than one in"):
        open_source(path, layout="long").column_names  # noqa: B018 - reads the table


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_pairs_that_are_absent_are_missing_or_zero(tmp_path: Path, ending: str) -> None:
    frame = pd.DataFrame({"cell": ["a", "a", "b", "c"], "gene": [7, 9, 8, 7], "count": [4, 0, np.nan, 2]})
    path = tmp_path / f"x.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    source = open_source(path, layout="long")
    assert not is_sparse(source)
    (chunk,) = source.chunks()
    nan = np.nan
    np.testing.assert_array_equal(chunk.values[:, :, 0], [[4, 0, nan], [nan, nan, nan], [2, nan, nan]])
    assert [say(note, flag) for note in source.notes if "long" in note] == [
        "a long table: rows by cell, columns by gene; pairs that are absent are missing (--absent zero reads them as"
        " zeros)"
    ]
    for turned in (False, True):
        source = open_source(path, layout="long", absent="zero", transpose=turned, most_bytes=10_000)
        assert is_sparse(source)
        (sparse,) = source.sparse_chunks()
        found, names = sparse.values.toarray(), (sparse.ids, source.column_names)
        assert sparse.values.nnz == 3
        np.testing.assert_array_equal(found.T if turned else found, [[4, 0, 0], [0, 0, nan], [2, 0, 0]])
        assert names[:: -1 if turned else 1] == (["a", "b", "c"], ["7", "9", "8"])
        np.testing.assert_array_equal(next(iter(source.chunks())).values[:, :, 0], found)
        assert "a long table: rows by cell, columns by gene; pairs that are absent are zero" in source.notes


def test_a_long_parquet_file_has_three_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["u", "v"], "day": [1, 2], "b": ["x", "y"], "n": [1.5, 2.5]})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="has 4 columns, and a long table has three"):
        open_source(tmp_path / "x.parquet", layout="long")
    source = open_source(tmp_path / "x.parquet", layout="long", drop_columns=("day",), absent="zero")
    assert np.array_equal(next(iter(source.chunks())).values[:, :, 0], [[1.5, 0], [0, 2.5]])
    frame[["a", "n", "b"]].to_parquet(tmp_path / "y.parquet")
    with pytest.raises(InputError, match="column b holds text"):
        open_source(tmp_path / "y.parquet", layout="long")


def test_what_is_absent_is_asked_of_long_tables_only(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,2\n3,4\n")
    with pytest.raises(InputError, match="--absent zero is for long tables: add --layout long, or leave it out"):
        open_source(path, absent="zero")


def test_other_formats_have_no_lines(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 2)))
    with pytest.raises(InputError, match="--layout long does not apply"):
        open_source(tmp_path / "x.npy", layout="long")
