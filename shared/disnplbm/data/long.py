"""Long tables: each line holds the name of a row, the name of a column and the value of their cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.limits import check_columns, check_density
from disnplbm.data.named import id_name_of
from disnplbm.data.numerals import Numerals
from disnplbm.data.reading import Absent, Reading
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import READ_BYTES, Chunk, Source, SparseChunk
from disnplbm.data.words import words_of
from disnplbm.data.written import written_of
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Hint, Note
from disnplbm.smallest import smallest_type

_ROW = re.compile(r"(row|user|sample|cell|subject|patient|customer|doc|document|barcode|from|i)s?([ _.-]?id)?", re.I)
_VALUE = re.compile(r"(value|count|rating|score|weight|expression|frequency|quantity|amount|x|n)s?", re.I)


def refuse_long(
    names: Sequence[str], columns: Sequence[Sequence[str]], reading: Reading, numerals: Numerals, source: str
) -> None:
    """Refuse a long table that was not said to be one.

    It has names of rows that come again, other names, each pair once, and a value; the names are words, or the columns
    have the usual names of long tables.

    Parameters
    ----------
    names : sequence of str
        Of the three columns.
    columns : sequence of sequence of str
        Their first cells.
    """
    words = [not any(map(numerals.is_number, column)) for column in columns]
    called = _ROW.fullmatch(names[0].strip()) and _VALUE.fullmatch(names[2].strip())
    if words[2] or not (called or words[:2] == [True, True]) or not _looks_long(columns[0], columns[1]):
        return
    raise OptionsNeeded(
        Note(
            f"{source} looks like a long table: each line holds a row ({names[0]}), a column ({names[1]}) and a value"
            f" ({names[2]}). It must be pivoted, where absent pairs are missing cells; for an ordinary table say ",
            Hint("layout", "table"),
        ),
        reading.but(layout="long"),
    )


def _looks_long(rows: Sequence[str], others: Sequence[str]) -> bool:
    pairs = set(zip(rows, others, strict=True))
    if len(rows) < 3 or len(pairs) < len(rows) or len(set(rows)) == len(rows):
        return False
    return len(set(others)) < len(others) or len(set(rows)) == 1


@dataclass(frozen=True)
class _Pivoted:
    """Names in the order in which they come, and the cells of which a line speaks.

    Where a cell is several numbers, the data of ``cells`` are the places of their lines in ``numbers``.
    """

    rows: list[str]
    columns: list[str]
    cells: sp.csr_array
    numbers: NDArray[np.float64] | None = None


def long_columns(data: Sequence[int], source: str, reading: Reading) -> tuple[int, int, list[int]]:
    """The columns of data: names of rows, names of columns, values; covariates of the cells may come behind these."""
    row, column, *values = data if len(data) > 2 else (*data, *[-1] * 3)
    if len(data) < 3 or (len(data) > 3 and not reading.cell_covariates):
        raise InputError(
            f"{source} has {len(data)} columns, and a long table has three: row name, column name, value; leave out"
            " others by ",
            Hint("drop_columns"),
        )
    return row, column, values


def long_note(row: str, column: str, absent: Absent) -> Note:
    """What a long table is read as."""
    by = f"a long table: rows by {row}, columns by {column}; pairs that are absent are "
    if absent == "zero":
        return Note(f"{by}zero")
    return Note(f"{by}missing (", Hint("absent", "zero"), " reads them as zeros)")


class LongSource:
    """A long table as a table; cells of which no line speaks are missing, or zero and not stored.

    All lines are held, 5 to 12 bytes each, from when the cells or the column names are first asked for.

    Parameters
    ----------
    lines : Source
        The lines: one column of values and perhaps some of covariates, names of rows as its row names, names of columns
        as its classes.
    """

    def __init__(self, lines: Source, absent: Absent = "missing") -> None:
        self.name = lines.name
        self.dimension = len(lines.column_names)
        self.number_names = tuple(lines.column_names) if self.dimension > 1 else ()
        self.bytes_total = lines.bytes_total
        self.notes = lines.notes
        self.written, self.id_name = written_of(lines), id_name_of(lines)
        self.sparse = absent == "zero" and self.dimension == 1
        self._lines = lines

    def read_lines(self) -> Iterator[tuple[list[str], list[str], NDArray[np.float64]]]:
        """Names of rows and of columns, and numbers (c, d), of some lines at a time; NaN where one is blank."""
        for chunk in self._lines.chunks():
            yield chunk.ids or [], chunk.classes or [], chunk.values[:, :, 0]

    @property
    def column_names(self) -> list[str]:
        """In the order in which they come."""
        return self._pivoted.columns

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of the table, if it is one of words."""
        found = words_of(self._lines)
        if found is not None and self.sparse:
            raise InputError(
                f"{self.name} holds words, so pairs that are absent are no zeros: leave out ", Hint("absent", "zero")
            )
        return found

    def chunks(self) -> Iterator[Chunk]:
        """Read the lines, then hand out the rows that they make a few at a time."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        table = self._pivoted
        ends, columns = table.cells.indptr, table.cells.indices
        step = max(1, READ_BYTES // (8 * len(table.columns) * self.dimension))
        for start in range(0, len(table.rows), step):
            stop = min(len(table.rows), start + step)
            values = np.full((stop - start, len(table.columns), self.dimension), np.nan)
            row = np.repeat(np.arange(stop - start), np.diff(ends[start : stop + 1]))
            here = slice(ends[start], ends[stop])
            data = table.cells.data[here]
            values[row, columns[here]] = data[:, None] if table.numbers is None else table.numbers[data]
            yield Chunk(values, table.rows[start:stop], None, self.bytes_total * stop // len(table.rows))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read the lines, then hand out the rows that they make; the pairs that are absent are zero."""
        cells = self._pivoted.cells
        yield from sparse_chunks((cells.data, cells.indices, cells.indptr), self, self._pivoted.rows)

    @cached_property
    def _pivoted(self) -> _Pivoted:
        rows, columns = dict[str, int](), dict[str, int]()
        found: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        numbers, count = list[NDArray[np.float64]](), 0
        for chunk in self._lines.chunks():
            for codes, names, part in zip((rows, columns), (chunk.ids, chunk.classes), found, strict=False):
                part.append(np.array([codes.setdefault(name, len(codes)) for name in names or ()], dtype=np.int32))
            if self.dimension > 1:
                numbers.append(self._seen(chunk))
                found[2].append(np.arange(count, count + len(chunk.values)))
                count += len(chunk.values)
                continue
            values = chunk.values[:, 0, 0]
            # Counts take a byte each.
            found[2].append(values.astype(smallest_type(values)))
        if not found[2]:
            raise InputError(f"{self.name} has no rows: give a table with at least one row of numbers")
        check_columns(len(columns), self.name)
        check_density(len(rows), len(columns), sum(map(len, found[2])), self.bytes_total, self.name)
        row, column, value = map(_joined, found)
        cells = sp.coo_array((value, (row, column)), shape=(len(rows), len(columns))).tocsr()
        if cells.nnz < len(value):
            i, j = _find_twice(row, column)
            raise InputError(
                f"{self.name} has {list(rows)[i]!r} and {list(columns)[j]!r} in two lines or more: keep one line for"
                " each cell, or add up or average them first"
            )
        return _Pivoted(list(rows), list(columns), cells, np.concatenate(numbers) if numbers else None)

    def _seen(self, chunk: Chunk) -> NDArray[np.float64]:
        """Response and covariates of some lines, NaN where there is no response; InputError if a covariate lacks."""
        values = chunk.values[:, :, 0].copy()
        seen = ~np.isnan(values[:, 0])
        lacking = np.argwhere(np.isnan(values) & seen[:, None])
        if len(lacking):
            line, place = lacking[0]
            row, column = (names[line] if names else "" for names in (chunk.ids, chunk.classes))
            raise InputError(
                f"{self.name}: {self.number_names[place]} of row {row} and column {column} is missing, and their"
                f" {self.number_names[0]} is not: give it, or leave the line out"
            )
        values[~seen] = np.nan
        return values


def _joined(parts: list[Any]) -> NDArray[Any]:
    """One array of several, which are let go."""
    whole: NDArray[Any] = np.concatenate(parts)
    parts.clear()
    return whole


def _find_twice(row: NDArray[np.int32], column: NDArray[np.int32]) -> tuple[int, int]:
    """Row and column of a cell that is there more than once."""
    order = np.lexsort((column, row))
    row, column = row[order], column[order]
    first = np.flatnonzero((row[1:] == row[:-1]) & (column[1:] == column[:-1]))[0]
    return int(row[first]), int(column[first])
