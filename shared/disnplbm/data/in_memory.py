"""What may be given for a table in Python, and how its rows are had: arrays, DataFrames, Arrow, sparse, AnnData.

A masked cell is missing. Dates, durations and complex numbers are refused in each of them: as numbers they would be a
count of nanoseconds or days, or half of what they are. So is text, but where it makes a table of words.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.cells import NAMED, not_numeric
from disnplbm.data.roles import is_unnamed
from disnplbm.data.words_in_memory import find_words, is_wordy
from disnplbm.errors import InputError, first_line
from disnplbm.notes import Hint

_NO_NUMBERS = (
    *(str, bytes, complex, np.complexfloating),
    *(datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64),
)
"""Objects that NumPy would turn into numbers, or that it refuses with words of its own."""


_ROWS = 4096
"""Rows that are looked at together for blank columns."""


@dataclass(frozen=True, slots=True)
class InMemory:
    """A table in memory.

    Parameters
    ----------
    rows : callable
        Gives the cells of the rows from one position to another, as an array of numbers.
    column_names, row_names : list of str, optional
        If the table has them.
    sparse : csr_array or csr_matrix, optional
        The cells of a sparse table; what it does not store is zero.
    words : tuple of str, optional
        The different words of a table of words, whose cells are their numbers.
    """

    shape: tuple[int, ...]
    rows: Callable[[int, int], NDArray[Any]]
    column_names: list[str] | None = None
    row_names: list[str] | None = None
    sparse: Any = None
    words: tuple[str, ...] | None = None


def in_memory(given: Any, name: str, words: str = "no") -> InMemory:
    """Find out what a table is.

    Parameters
    ----------
    given : array-like, DataFrame, Arrow table, SciPy sparse matrix, or AnnData
    name : str
        What to call it in messages.
    words : {"auto", "yes", "no", "only"}
        Whether it may be a table of words, as a :class:`~disnplbm.data.reading.Reading` has it.

    Raises
    ------
    InputError
        It is no table, or one of neither numbers nor words.
    """
    if isinstance(given, InMemory):
        return given
    if _is_anndata(given):
        return _of_anndata(given, name)
    if sp.issparse(given):
        return _of_sparse(given, name)
    if hasattr(given, "to_frame") and not hasattr(given, "columns"):
        kind = type(given).__name__
        raise InputError(f"{name} is a {kind}, not a table: {name}.to_frame() is a table with one column")
    if hasattr(given, "iloc"):
        with mention_categories(words):
            return _of_pandas(given, name, words)
    if _is_arrow(given):
        with mention_categories(words):
            return _of_arrow(given, name, words)
    if words != "no" and (table := _of_text(given, name, words)) is not None:
        return table
    with mention_categories(words):
        array = plain_array(given, name)
    return InMemory(array.shape, lambda start, stop: array[start:stop])


class _NoNumbers(InputError):
    """Cells of a table are no numbers."""


@contextmanager
def mention_categories(words: str) -> Iterator[None]:
    """Say of a table that is refused for its words what takes them as they are."""
    try:
        yield
    except _NoNumbers as error:
        if words != "auto":
            raise
        raise InputError(error.note, "; to take all cells as categories: ", Hint("words", "yes")) from error


def _of_text(given: Any, name: str, words: str) -> InMemory | None:
    """An array of text, or a list of it, as a table of words; None if it is none."""
    array = np.asanyarray(given)
    masked = isinstance(array, np.ma.MaskedArray)
    if array.ndim != 2 or 0 in array.shape or (array.dtype.kind not in "UO" and words != "only"):
        return None
    cells = array.astype(object).filled(None) if masked else array.astype(object)
    if array.dtype.kind == "O" and not is_wordy(cells.ravel().tolist()) and words != "only":
        return None
    return _coded(cells.T.tolist(), None, None, name, words)


def _coded(
    columns: Sequence[Sequence[Any]], names: list[str] | None, row_names: list[str] | None, name: str, words: str
) -> InMemory | None:
    found = find_words(columns, names or [str(j) for j in range(len(columns))], name, words, named=row_names is None)
    if found is None:
        return None
    codes, of_codes = found
    return InMemory(codes.shape, lambda start, stop: codes[start:stop], names, row_names, words=of_codes)


def _of_sparse(matrix: Any, name: str) -> InMemory:
    check_numeric(matrix.dtype, name)
    rows = matrix.tocsr()
    return InMemory(rows.shape, lambda start, stop: rows[start:stop].toarray(), sparse=rows)


def without_blank(table: InMemory, kept: Collection[str] = ()) -> tuple[InMemory, int]:
    """A table without the columns that have neither a name nor a value, and how many those are.

    A blank cell at the end of each line of a text file makes such a column, as pandas reads it.

    Parameters
    ----------
    kept : collection of str
        Names of columns that stay.
    """
    names = table.column_names or []
    unnamed = [j for j, name in enumerate(names) if is_unnamed(name) and name not in kept]
    for start in range(0, table.shape[0], _ROWS):
        if not unnamed:
            return table, 0
        rows = np.asarray(table.rows(start, min(table.shape[0], start + _ROWS)), dtype=np.float64)
        unnamed = [j for j in unnamed if np.isnan(rows[:, j]).all()]
    data = [j for j in range(len(names)) if j not in set(unnamed)]
    # A table without anything in it is refused as such.
    if not unnamed or not data:
        return table, 0
    shape, named = (table.shape[0], len(data)), [names[j] for j in data]
    sparse = None if table.sparse is None else table.sparse[:, data]
    fewer = replace(table, shape=shape, rows=lambda i, j: table.rows(i, j)[:, data], column_names=named, sparse=sparse)
    return fewer, len(unnamed)


def is_named(given: Any) -> bool:
    """Whether a table has names of columns: a DataFrame of pandas or polars, an Arrow table, or AnnData."""
    return hasattr(given, "iloc") or hasattr(given, "to_frame") or _is_arrow(given) or _is_anndata(given)


def plain_array(given: Any, name: str) -> NDArray[Any]:
    """An array of numbers, with NaN where a cell is masked or None.

    Raises
    ------
    InputError
        It holds something else than real numbers, or is no array at all.
    """
    if isinstance(given, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in given):
        given = np.ma.stack(given)
    array = np.asanyarray(given)
    if array.dtype.names is not None:
        raise InputError(f"{name} is a structured array: pandas.DataFrame({name}) is a table of its fields")
    if array.ndim == 0:
        kind = type(given).__name__
        raise InputError(f"{name} is of type {kind}, not a table: give an array, a DataFrame or a sparse matrix")
    if array.dtype == object:
        array = _from_objects(array, name)
    check_numeric(array.dtype, name)
    if isinstance(array, np.ma.MaskedArray):
        return np.ma.filled(array.astype(np.float64), np.nan)
    return np.asarray(array)


def check_numeric(dtype: np.dtype[Any], name: str) -> None:
    """Raise InputError unless the type is boolean, integer or real."""
    if dtype.kind == "c":
        # scikit-learn asks for these first words.
        what = f"{name} holds {dtype}, not real numbers"
        raise InputError(f"Complex data not supported: {what}; take the real part, or d = 2")
    if dtype.kind not in "biuf":
        what = "text" if dtype.kind in "US" else str(dtype)
        raise (_NoNumbers if dtype.kind == "U" else InputError)(
            f"{name} holds {what}, not real numbers; convert it to float64 first"
        )


def _from_objects(array: NDArray[Any], name: str) -> NDArray[np.float64]:
    cells = np.array(np.ma.getdata(array))
    cells[np.ma.getmaskarray(array)] = None
    listed = [None if _is_none(cell) else cell for cell in cells.ravel().tolist()]
    for cell in listed:
        if isinstance(cell, _NO_NUMBERS):
            kind = type(cell).__name__
            raise (_NoNumbers if isinstance(cell, str) else InputError)(
                f"{name} holds {cell!r}, which is no number but a {kind}; convert it to float64 first"
            )
    # What is no number at all is refused by NumPy, in the words that scikit-learn asks for.
    return np.array(listed, dtype=object).astype(np.float64).reshape(array.shape)


def _is_none(cell: Any) -> bool:
    """None, NumPy's masked cell, or pandas' NA."""
    return cell is None or cell is np.ma.masked or type(cell).__name__ == "NAType"


def _of_pandas(table: Any, name: str, words: str) -> InMemory:
    names = [str(label) for label in table.columns], index_names(table.index)
    may_be = words == "only" or (words != "no" and not all(map(_is_number, table.dtypes)))
    if may_be and len(names[0]) > 0 and len(table) > 0:
        columns = [table.iloc[:, j] for j in range(len(names[0]))]
        texts = [_is_text(column) for column in columns]
        # A question that nobody answered is no number, and no word either.
        plain = all(
            text or _is_number(column.dtype) or bool(column.isna().all())
            for column, text in zip(columns, texts, strict=True)
        )
        if plain and (any(texts) or words == "only"):
            cells = [column.astype(object).tolist() for column in columns]
            if (found := _coded(cells, *names, name, words)) is not None:
                return found
    if words == "yes":
        table = _without_categories(table)
    others = [
        (str(label), str(dtype))
        for label, dtype in zip(table.columns, table.dtypes, strict=True)
        if not _is_number(dtype)
    ]
    if others:
        left_out = [label for label, _ in others[:NAMED]]
        odd = (table.iloc[:, j] for j, dtype in enumerate(table.dtypes) if not _is_number(dtype))
        kind = _NoNumbers if all(map(_is_text, odd)) else InputError
        raise kind(f"{not_numeric(others, name)}: {name}.drop(columns={left_out})")
    if _stores_no_zeros(table.dtypes):
        return replace(_of_sparse(table.sparse.to_coo(), name), column_names=names[0], row_names=names[1])
    return InMemory(
        table.shape, lambda start, stop: table.iloc[start:stop].to_numpy(dtype=np.float64, na_value=np.nan), *names
    )


def _without_categories(table: Any) -> Any:
    """A table of pandas whose categories that are numbers are numbers: a type of cells says that they are codes."""
    columns = [table.iloc[:, j] for j in range(table.shape[1])]
    coded = [
        j
        for j, column in enumerate(columns)
        if type(column.dtype).__name__ == "CategoricalDtype" and _is_number(column.dtype.categories.dtype)
    ]
    if coded:
        table = table.copy(deep=False)
    for j in coded:
        table.isetitem(j, columns[j].astype(np.float64))
    return table


def _is_number(dtype: Any) -> bool:
    """Whether a type of pandas is one of numbers or truth values."""
    return getattr(dtype, "kind", "O") in "biuf"


def _is_text(column: Any) -> bool:
    """Whether a column of pandas holds words."""
    kind = type(column.dtype).__name__
    if kind in ("StringDtype", "CategoricalDtype"):
        return True
    return getattr(column.dtype, "kind", "O") == "O" and is_wordy(column.tolist())


def _stores_no_zeros(dtypes: Sequence[Any]) -> bool:
    """Whether all columns are sparse, and what they do not store is zero and not missing."""
    sparse = (type(dtype).__name__ == "SparseDtype" and dtype.fill_value == 0 for dtype in dtypes)
    return len(dtypes) > 0 and all(sparse)


def index_names(index: Any) -> list[str] | None:
    """Names that an index of pandas has, its levels with commas between them; None if it only counts."""
    if type(index).__name__ == "RangeIndex":
        return None
    return [", ".join(map(str, label)) if index.nlevels > 1 else str(label) for label in index]


def _is_arrow(given: Any) -> bool:
    exports = hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")
    return exports and hasattr(given, "columns")


def _of_arrow(given: Any, name: str, words: str) -> InMemory:
    # Imported on use: it is slow to load, and who has such a table has it loaded.
    import pyarrow as pa

    from disnplbm.data.arrow import is_text, numbers, other_columns, saved_index, strings

    try:
        table = pa.table(given)
    except Exception as error:
        # Each library has exceptions of its own for columns that Arrow does not know.
        raise InputError(f"{name} cannot be read as an Arrow table: {first_line(error)}") from error
    index = saved_index(table.schema)
    data = [j for j in range(table.num_columns) if j not in index]
    others, texts = other_columns(table.schema, data), [j for j in data if is_text(table.schema.field(j))]
    if words != "no" and len(others) == len(texts) and (texts or words == "only") and data and table.num_rows:
        row_names = strings([table.column(j) for j in index]) if index else None
        columns = [table.column(j).to_pylist() for j in data]
        if (found := _coded(columns, [table.column_names[j] for j in data], row_names, name, words)) is not None:
            return found
    if others:
        kind = _NoNumbers if len(others) == len(texts) else InputError
        raise kind(f"{not_numeric(others, name)} of {name}")
    names, columns = table.column_names, [table.column(j) for j in data]

    def rows(start: int, stop: int) -> NDArray[Any]:
        return np.column_stack([numbers(column.slice(start, stop - start)) for column in columns])

    return InMemory(
        (table.num_rows, len(data)),
        rows,
        [names[j] for j in data],
        strings([table.column(j) for j in index]) if index else None,
    )


def _is_anndata(given: Any) -> bool:
    return hasattr(given, "obs_names") and hasattr(given, "var_names") and hasattr(given, "X")


def _of_anndata(data: Any, name: str) -> InMemory:
    """The matrix X of observations by variables."""
    if getattr(data, "isbacked", False):
        raise InputError(f"{name} is in a file: give {name}.to_memory(), or the file to `disnplbm fit`")
    if data.X is None:
        layers = list(data.layers)
        others = f"its layers are {', '.join(layers)}: give {name}.layers[...] instead"
        raise InputError(f"{name} has no matrix X; {others if layers else 'nor has it any layer: store the data in X'}")
    column_names, row_names = ([str(label) for label in labels] for labels in (data.var_names, data.obs_names))
    return replace(in_memory(data.X, f"{name}.X"), column_names=column_names, row_names=row_names)
