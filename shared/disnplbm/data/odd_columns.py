"""What is odd about a table: columns that are constant, empty, or of the same name, and empty rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import NAMED, some_names
from disnplbm.data.codes import CodesOfMissing
from disnplbm.data.table import Chunk, Source, SparseChunk
from disnplbm.data.written import written_of
from disnplbm.errors import InputError
from disnplbm.notes import plural


class TableSummary:
    """What is odd about a table, found while it streams by.

    Attributes
    ----------
    low, high : ndarray, shape (p, d)
        Smallest and largest observed value; inf and -inf where nothing was observed.
    observed : ndarray of int64, shape (p,)
    rows : int
        Rows seen so far.
    missing : int
        Cells without a value.
    stored : int
        Numbers that are missing or not 0.
    empty_rows : Examples
        Rows without any value.
    """

    def __init__(self, source: Source) -> None:
        shape = (len(source.column_names), source.dimension)
        self._source = source
        self.low = np.full(shape, np.inf)
        self.high = np.full(shape, -np.inf)
        self.observed = np.zeros(shape[0], dtype=np.int64)
        self.rows = self.missing = self.stored = 0
        self.empty_rows = Examples()
        self._codes = CodesOfMissing()

    def add(self, chunk: Chunk) -> None:
        """Take in the next rows."""
        values = chunk.values
        low, high = np.fmin.reduce(values, axis=0, initial=np.inf), np.fmax.reduce(values, axis=0, initial=-np.inf)
        np.minimum(self.low, low, out=self.low)
        np.maximum(self.high, high, out=self.high)
        self._codes.add(values, float(low.min()), float(high.max()))
        missing = np.isnan(values[:, :, 0])
        self.observed += len(values) - np.count_nonzero(missing, axis=0)
        self.missing += int(missing.sum())
        # NaN is not 0 either.
        self.stored += int(np.count_nonzero(values))
        self._add_empty(np.flatnonzero(missing.all(axis=1)), chunk.ids)
        self.rows += len(values)

    def add_sparse(self, chunk: SparseChunk) -> None:
        """Take in the next rows of a table of one number a cell; zeros are counted and not visited."""
        rows, (n, p) = chunk.values, chunk.values.shape
        low, high = np.full(p, np.inf), np.full(p, -np.inf)
        np.fmin.at(low, rows.indices, rows.data)
        np.fmax.at(high, rows.indices, rows.data)
        zeros = np.bincount(rows.indices, minlength=p) < n
        low[zeros], high[zeros] = np.minimum(low[zeros], 0.0), np.maximum(high[zeros], 0.0)
        np.minimum(self.low[:, 0], low, out=self.low[:, 0])
        np.maximum(self.high[:, 0], high, out=self.high[:, 0])
        # A zero stands for all of them: how many there are does not count.
        distinct = np.append(rows.data, 0.0) if zeros.any() else rows.data
        self._codes.add(distinct, float(low.min()), float(high.max()))
        missing = np.isnan(rows.data)
        self.observed += n - np.bincount(rows.indices[missing], minlength=p)
        self.missing += int(missing.sum())
        self.stored += len(rows.data)
        of_row = np.bincount(np.repeat(np.arange(n), np.diff(rows.indptr))[missing], minlength=n)
        self._add_empty(np.flatnonzero(of_row == p), chunk.ids)
        self.rows += n

    def _add_empty(self, rows: NDArray[np.intp], ids: Sequence[str] | None) -> None:
        """Take in which of the next rows are empty."""
        for i in rows:
            self.empty_rows.add(ids[i] if ids is not None else str(self.rows + i))

    def check(self) -> None:
        """Raise InputError if the whole table had no rows."""
        if self.rows == 0:
            raise InputError(f"{self._source.name} has no rows: give a table with at least one row of numbers")

    @property
    def constant(self) -> NDArray[np.bool_]:
        """Columns with at least two observed cells, all equal; shape (p,)."""
        equal: NDArray[np.bool_] = np.all(self.low == self.high, axis=1)
        return equal & (self.observed > 1)

    @property
    def empty(self) -> NDArray[np.bool_]:
        """Columns without any observed cell; shape (p,)."""
        empty: NDArray[np.bool_] = self.observed == 0
        return empty

    def codes(self) -> list[str]:
        """One line for each number that seems to stand for a missing cell."""
        return self._codes.notes(is_text=written_of(self._source) is not None)

    def notes(self) -> list[str]:
        """What the source says, and one line for each kind of odd columns and rows, naming the first few."""
        names, found = self._source.column_names, list(self._source.notes)
        for what, which in (("constant", self.constant), ("with all cells missing", self.empty)):
            columns = np.flatnonzero(which).tolist()
            if columns:
                found.append(describe("column", what, (names[j] for j in columns), len(columns)))
        repeated = repeated_names(names)
        if repeated:
            found.append(
                describe("column name", "used more than once, told apart by position", repeated, len(repeated))
            )
        if self.empty_rows.total:
            found.append(self.empty_rows.describe("row", "with all cells missing"))
        return [*found, *self.codes()]


def repeated_names(names: Sequence[str]) -> list[str]:
    """Names that occur more than once, in order of first occurrence."""
    return [name for name, count in Counter(names).items() if count > 1]


def describe(noun: str, what: str, names: Iterable[str], total: int) -> str:
    """A warning line.

    >>> describe("column", "constant", ["a", "b"], 2)
    '2 columns constant: a, b'
    """
    return f"{plural(total, noun)} {what}: {some_names(names, total)}"


class Examples:
    """The first few names of a kind, and how many there were."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.total = 0

    def add(self, name: str) -> None:
        """Count one more."""
        self.total += 1
        if len(self.names) < NAMED:
            self.names.append(name)

    def describe(self, noun: str, what: str) -> str:
        """A warning line about them."""
        return describe(noun, what, self.names, self.total)
