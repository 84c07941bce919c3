"""Data frames of columns of several kinds, and tables in memory over the same rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from disnplbm.cell_types import MIXED
from disnplbm.data.array import ArraySource
from disnplbm.data.cell_choice import BINARY, CATEGORICAL, words_for
from disnplbm.data.cells import check_finite, not_numeric
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.in_memory import index_names
from disnplbm.data.marks import truth
from disnplbm.data.mixed.columns import PartSource, SourceOfParts, find_parts
from disnplbm.data.mixed.kinds import parse_columns_as
from disnplbm.data.mixed.rows import join_tables
from disnplbm.data.numerals import PLAIN
from disnplbm.data.roles import suspects_in_memory
from disnplbm.data.table import Chunk
from disnplbm.data.transform import NONE
from disnplbm.data.words import WordChunk
from disnplbm.data.words_in_memory import is_wordy, word_of
from disnplbm.errors import InputError, first_line
from disnplbm.model.statistics import Floats


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a frame.

    Parameters
    ----------
    look : callable
        Makes a look at it, before any cell is read.
    words : callable
        Its cells as a text file would have them.
    numbers : callable
        Its cells as numbers, if they are.
    """

    look: Callable[[], ColumnLook]
    words: Callable[[], list[str]]
    numbers: Callable[[], Floats]


class FrameReader:
    """A DataFrame of pandas or polars, or an Arrow table, as a :class:`disnplbm.data.mixed.columns.ColumnReader`.

    Parameters
    ----------
    name : str
        What to call it in messages.

    Raises
    ------
    InputError
        It has no named columns, or one of them holds dates or the like.
    """

    dimension = 1
    id_name: str | None = None

    def __init__(self, given: Any, name: str) -> None:
        self.name = name
        self._columns, self._row_names, self.rows = (_of_pandas if hasattr(given, "iloc") else _of_arrow)(given, name)
        self.column_names = [column.look().name for column in self._columns]
        self.bytes_total = 8 * self.rows * len(self._columns)
        self.notes = suspects_in_memory(
            self.column_names, [column.words() for column in self._columns], name, pandas=hasattr(given, "iloc")
        )

    def looks(self) -> list[ColumnLook]:
        """A look at each column, before any cell is read."""
        return [column.look() for column in self._columns]

    def is_missing(self, cell: str) -> bool:
        """Whether a cell is missing."""
        return PLAIN.is_missing(cell)

    def taking(self, columns: Sequence[int]) -> FrameReader:
        """The same table with some of its columns alone, and without notes."""
        taken = copy(self)
        taken._columns = [self._columns[k] for k in columns]
        taken.column_names = [self.column_names[k] for k in columns]
        taken.notes = []
        return taken

    def word_chunks(self) -> Iterator[WordChunk]:
        """All rows, as words."""
        yield WordChunk([column.words() for column in self._columns], self._row_names, None, self.bytes_total)

    def chunks(self) -> Iterator[Chunk]:
        """All rows, as numbers."""
        values = np.stack([column.numbers() for column in self._columns], axis=1)[:, :, None]
        check_finite(values, 0, self.name, self.column_names)
        yield Chunk(values, self._row_names, None, self.bytes_total)


def find_parts_in_memory(given: Any, cells: str, columns_as: Mapping[str, str], transform: str | None) -> SourceOfParts:
    """A DataFrame of columns of several kinds, or a dict of tables over the same rows, as a table of parts.

    Parameters
    ----------
    given : DataFrame of pandas or polars, Arrow table, or dict
        The tables of a dict may be whatever the estimator takes; they are called by its keys.
    cells : str
        The type that is asked for. With :data:`~disnplbm.cell_types.MIXED` the columns of frames are looked at one by
        one.
    columns_as : mapping
        Kinds that somebody asks for, by the names of columns.
    transform : str, optional
        Of real numbers, if somebody says.

    Raises
    ------
    InputError
        A table has no named columns, a column fits no kind, or rows cannot be matched.
    """
    asked = [f"{name}={kind}" for name, kind in columns_as.items()]
    # A sparse array by its keys is a dict, too.
    if not isinstance(given, dict) or issparse(given):
        reader = FrameReader(given, "X")
        return find_parts(reader, None, parse_columns_as(asked, reader.column_names, "X"), transform)
    tables = list[SourceOfParts]()
    for name, table in given.items():
        if cells == MIXED and _has_columns(table):
            reader = FrameReader(table, str(name))
            ours = [text for text in asked if text.rpartition("=")[0] in reader.column_names]
            found = find_parts(reader, None, parse_columns_as(ours, reader.column_names, reader.name), transform)
            tables.append(replace(found, name=str(name)))
            continue
        source = ArraySource(table, name=str(name), words=words_for(cells))
        kind, columns = "auto" if cells == MIXED else cells, tuple(range(len(source.column_names)))
        part = PartSource(str(name), source, kind, NONE if transform is None else transform, columns, "")
        tables.append(SourceOfParts(str(name), source.column_names, (part,), []))
    if not tables:
        raise InputError("X is an empty dict: give at least one table")
    return join_tables(tables)


def _has_columns(table: Any) -> bool:
    """Whether a table in memory has named columns of any kind."""
    return hasattr(table, "iloc") or hasattr(table, "__arrow_c_stream__")


def _of_pandas(given: Any, name: str) -> tuple[list[_Column], list[str] | None, int]:
    columns = [given.iloc[:, j] for j in range(given.shape[1])]
    looks = [_look_at(column) for column in columns]
    odd = [(str(column.name), str(column.dtype)) for column, look in zip(columns, looks, strict=True) if look is None]
    if odd:
        raise InputError(f"{not_numeric(odd, name)}: {name}.drop(columns={[label for label, _ in odd]})")
    found = [
        _Column(look, partial(_words, column), partial(_numbers, column, look))
        for column, look in zip(columns, looks, strict=True)
        if look is not None
    ]
    return found, index_names(given.index), len(given)


def _look_at(column: Any) -> Callable[[], ColumnLook] | None:
    """Makes looks at a column of pandas, by what its type says; None of one that holds dates or the like."""
    label, dtype = str(column.name), column.dtype
    kind = getattr(dtype, "kind", "O")
    if type(dtype).__name__ == "CategoricalDtype":
        declared = tuple(word_of(category) for category in dtype.categories)
        return partial(ColumnLook, label, PLAIN.parse, CATEGORICAL, declared)
    if kind == "b":
        return partial(ColumnLook, label, truth, BINARY)
    if kind in "iuf":
        return partial(ColumnLook, label, PLAIN.parse)
    cells = column.tolist()
    if type(dtype).__name__ in ("StringDtype", "str") or is_wordy(cells):
        return partial(ColumnLook, label, None)
    if all(isinstance(cell, bool) or word_of(cell) == "" for cell in cells):
        return partial(ColumnLook, label, truth, BINARY)
    if all(isinstance(cell, int | float | np.number) or word_of(cell) == "" for cell in cells):
        return partial(ColumnLook, label, PLAIN.parse)
    return None


def _words(column: Any) -> list[str]:
    return [word_of(cell) for cell in column.astype(object).tolist()]


def _numbers(column: Any, look: Callable[[], ColumnLook]) -> Floats:
    if getattr(column.dtype, "kind", "O") in "biuf":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    parse = look().parse or PLAIN.parse
    found = [np.nan if PLAIN.is_missing(cell) else parse(cell) for cell in _words(column)]
    return np.array(found, dtype=np.float64)


def _of_arrow(given: Any, name: str) -> tuple[list[_Column], list[str] | None, int]:
    # Imported on use: it is slow to load, and who has such a table has it loaded.
    import pyarrow as pa

    from disnplbm.data.arrow import is_text, look_at, numbers, other_columns, saved_index, strings, words

    if not _has_columns(given):
        raise InputError(f"{name} has no named columns, and a table of columns of several kinds needs them")
    try:
        table = pa.table(given)
    except Exception as error:
        # Each library has exceptions of its own for columns that Arrow does not know.
        raise InputError(f"{name} cannot be read as an Arrow table: {first_line(error)}") from error
    index = saved_index(table.schema)
    data = [j for j in range(table.num_columns) if j not in index]
    dates = [j for j in data if not is_text(table.schema.field(j))]
    if others := other_columns(table.schema, dates):
        raise InputError(f"{not_numeric(others, name)} of {name}")
    columns = [
        _Column(
            partial(look_at, table.schema.field(j)),
            partial(words, table.column(j)),
            partial(numbers, table.column(j)),
        )
        for j in data
    ]
    return columns, strings([table.column(j) for j in index]) if index else None, table.num_rows
