"""Tables in memory: what is missing stays missing, and what is no number is refused, whoever holds it."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import scipy.sparse as sp

from disnplbm.data.array import ArraySource
from disnplbm.data.table import is_sparse
from disnplbm.errors import InputError

DAY, WAIT = datetime.date(2020, 1, 1), datetime.timedelta(days=1)
MASKED = np.ma.masked_array([[1.0, -999.0], [3.0, 4.0]], mask=[[False, True], [False, False]])


class Exported:
    """A table of a library that speaks Arrow, such as polars."""

    def __init__(self, table: pa.Table) -> None:
        self._table, self.columns = table, table.column_names

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def cells(given: Any) -> list[Any]:
    values = np.concatenate([chunk.values for chunk in ArraySource(given).chunks()])
    return values[:, :, 0].tolist() if values.shape[2] == 1 else values.tolist()


def row_names(given: Any) -> list[str] | None:
    (chunk,) = ArraySource(given).chunks()
    return chunk.ids


@pytest.mark.parametrize(
    "given",
    [
        MASKED,
        [MASKED[0], MASKED[1]],
        np.ma.masked_array([[1, -999], [3, 4]], mask=MASKED.mask),
        np.ma.masked_array([[1, "n/a"], [3, 4]], mask=MASKED.mask, dtype=object),
        [[1, None], [3, 4]],
        np.array([[1, pd.NA], [3, decimal.Decimal("4.0")]], dtype=object),
        pd.DataFrame({"a": [1, 3], "b": pd.array([None, 4], dtype="Int64")}),
        pa.table({"a": [1, 3], "b": [None, 4.0]}),
        Exported(pa.table({"a": [1, 3], "b": [None, decimal.Decimal("4.0")]})),
        pa.RecordBatch.from_pydict({"a": [1, 3], "b": [None, 4.0]}),
    ],
)
def test_what_is_missing_stays_missing(given: Any) -> None:
    """Report 10: what lies under a mask is no data."""
    np.testing.assert_array_equal(cells(given), [[1.0, np.nan], [3.0, 4.0]])


def test_a_cell_of_several_numbers_is_missing_if_one_of_them_is_masked() -> None:
    given = np.ma.masked_array(np.ones((1, 2, 2)), mask=[[[False, True], [False, False]]])
    np.testing.assert_array_equal(cells(given), [[[np.nan, np.nan], [1.0, 1.0]]])


def test_true_is_one_in_every_table() -> None:
    columns = {"a": [True, False], "b": [False, False]}
    for given in (
        pd.DataFrame(columns),
        pa.table(columns),
        np.array([[True, False], [False, False]]),
        [[True, 0], [0, 0]],
    ):
        assert cells(given) == [[1.0, 0.0], [0.0, 0.0]]


def frames(cell: Any) -> list[Any]:
    """A table with a column of such cells, as each library has it."""
    columns = {"a": [1.0, 2.0], "b": [cell, cell]}
    arrow = pa.table(columns)
    return [pd.DataFrame(columns), pd.DataFrame(columns, dtype=object), arrow, Exported(arrow)]


@pytest.mark.parametrize(
    "cell", [DAY, datetime.datetime(2020, 1, 1), WAIT, datetime.time(3), "1.5", b"1.5", [1.0]], ids=repr
)
def test_a_column_of_something_else_is_refused_by_name(cell: Any) -> None:
    """Report 12: a date is no number of days."""
    for given in frames(cell):
        with pytest.raises(InputError, match=r"column [ab] is of type .*, not numeric.*; convert it, or leave it out"):
            ArraySource(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([[DAY, 1], [DAY, 2]], "holds datetime.date\\(2020, 1, 1\\), which is no number but a date"),
        (np.array([[np.datetime64("2020-01-01", "ns"), 1]], dtype=object), "no number but a datetime64"),
        (np.array([[np.timedelta64(3, "ns"), 1]], dtype=object), "no number but a timedelta64"),
        (np.array([[pd.Timestamp(3), 1]], dtype=object), "no number but a Timestamp"),
        (np.array([["1", "2"]], dtype=object), "holds '1', which is no number but a str"),
        (np.array([[1j, 2]], dtype=object), "no number but a complex"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "holds datetime64\\[D\\], not real numbers"),
        (np.array([[3]], dtype="m8[s]"), "holds timedelta64\\[s\\], not real numbers"),
        (np.ma.masked_array(np.array([["2020-01-01"]], dtype="M8[D]")), "holds datetime64"),
        ([["1", "2"]], "holds text, not real numbers"),
        (np.array([[b"1"]]), "holds text"),
        (np.ones((2, 2), dtype=complex), "Complex data not supported"),
        (sp.csr_array(np.ones((2, 2), dtype=complex)), "Complex data not supported"),
        (np.array([(1.0, 2)], dtype=[("a", "f8"), ("b", "i8")]), "is a structured array: pandas.DataFrame\\(X\\)"),
        (np.rec.array([(1.0, 2.0)]), "is a structured array"),
        (pd.Series([1.0, 2.0]), "is a Series, not a table: X.to_frame\\(\\) is a table with one column"),
        (pd.Index([1.0, 2.0]), "is a Index, not a table"),
        ("x.csv", "is of type str, not a table"),
        (None, "is of type NoneType, not a table"),
        (3.0, "is of type float, not a table"),
        (anndata.AnnData(obs=pd.DataFrame(index=["c1"])), "no matrix X; nor has it any layer"),
    ],
    ids=range(21),
)
def test_what_is_no_table_of_numbers_is_refused_in_one_line(given: Any, said: str) -> None:
    with pytest.raises(InputError, match=said) as refused:
        ArraySource(given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("table", [pa.Table.from_pandas, lambda frame: Exported(pa.Table.from_pandas(frame))])
def test_the_index_that_pandas_saved_in_an_arrow_table_names_the_rows(table: Callable[[Any], Any]) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index([7, 8], name="sample"))
    source = ArraySource(table(frame))
    assert (source.column_names, row_names(table(frame))) == (["a"], ["7", "8"])
    levels = frame.set_index(pd.MultiIndex.from_tuples([(1, 2001), (1, 2002)], names=["id", "year"]))
    assert row_names(table(levels)) == row_names(levels) == ["1, 2001", "1, 2002"]
    assert row_names(table(frame.reset_index(drop=True))) is None


@pytest.mark.parametrize("matrix", [np.eye(2), sp.csr_array(np.eye(2)), sp.csc_array(np.eye(2))])
def test_anndata_is_its_matrix_with_names(matrix: Any) -> None:
    data = anndata.AnnData(matrix, obs=pd.DataFrame(index=["c1", "c2"]), var=pd.DataFrame(index=["g1", "g2"]))
    assert cells(data) == [[1.0, 0.0], [0.0, 1.0]]
    assert (ArraySource(data).column_names, row_names(data)) == (["g1", "g2"], ["c1", "c2"])
    assert cells(data[::-1]) == [[0.0, 1.0], [1.0, 0.0]]


def test_anndata_without_x_names_its_layers() -> None:
    data = anndata.AnnData(
        obs=pd.DataFrame(index=["c1"]), var=pd.DataFrame(index=["g"]), layers={"counts": np.ones((1, 1))}
    )
    with pytest.raises(InputError, match=r"X has no matrix X; its layers are counts: give X\.layers"):
        ArraySource(data)


def test_all_columns_of_something_else_are_named() -> None:
    table = pd.DataFrame({"gene": ["g"], "a": [1.0], "kind": ["x"], "b": [2.0], "remark": ["y"]})
    with pytest.raises(InputError, match=r"column gene is of type .* \(likewise kind, remark\)"):
        ArraySource(table)


def test_tables_that_store_no_zeros_are_sparse() -> None:
    table = np.array([[0.0, 2.0, 0.0], [np.nan, 0.0, 3.0]])
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(table), index=["a", "b"], columns=["x", "y", "z"])
    names = pd.DataFrame(index=["a", "b"]), pd.DataFrame(index=["x", "y", "z"])
    for given in (frame, anndata.AnnData(sp.csc_matrix(table), *names)):
        source = ArraySource(given)
        assert is_sparse(source)
        (chunk,) = source.sparse_chunks()
        np.testing.assert_array_equal(chunk.values.toarray(), table)
        assert (chunk.values.nnz, chunk.ids, source.column_names) == (3, ["a", "b"], ["x", "y", "z"])
    for given in (
        frame.astype({"x": float}),
        pd.DataFrame(table).astype(pd.SparseDtype(float)),
        anndata.AnnData(table, *names),
    ):
        source = ArraySource(given)
        assert not is_sparse(source)
        np.testing.assert_array_equal(next(iter(source.chunks())).values[:, :, 0], table)


def test_blank_columns_of_a_sparse_frame_are_left_out() -> None:
    table = np.array([[1.0, np.nan, 0.0], [0.0, np.nan, 4.0]])
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(table), columns=["x", "Unnamed: 1", "z"])
    source = ArraySource(frame)
    assert is_sparse(source)
    (chunk,) = source.sparse_chunks()
    assert (chunk.values.toarray().tolist(), source.column_names) == ([[1.0, 0.0], [0.0, 4.0]], ["x", "z"])
