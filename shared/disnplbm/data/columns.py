"""What is odd about the columns of a table, found while it streams by: constant, empty, or of the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import NAMED, plural, some_names


class ColumnSummary:
    """Range and number of observed cells of each column.

    Attributes
    ----------
    low, high : ndarray, shape (p, d)
        Smallest and largest observed value; inf and -inf where nothing was observed.
    observed : ndarray of int64, shape (p,)
    rows : int
        Rows seen so far.
    """

    def __init__(self, columns: int, dimension: int) -> None:
        self.low = np.full((columns, dimension), np.inf)
        self.high = np.full((columns, dimension), -np.inf)
        self.observed = np.zeros(columns, dtype=np.int64)
        self.rows = 0

    def add(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Take in rows (c, p, d); returns which cells are missing, (c, p)."""
        np.minimum(self.low, np.fmin.reduce(values, axis=0, initial=np.inf), out=self.low)
        np.maximum(self.high, np.fmax.reduce(values, axis=0, initial=-np.inf), out=self.high)
        missing: NDArray[np.bool_] = np.isnan(values[:, :, 0])
        self.observed += len(values) - np.count_nonzero(missing, axis=0)
        self.rows += len(values)
        return missing

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

    def warnings(self, names: Sequence[str]) -> list[str]:
        """One line for each kind of odd column that occurs, naming the first few."""
        found = []
        for what, which in (("constant", self.constant), ("with all cells missing", self.empty)):
            columns = np.flatnonzero(which).tolist()
            if columns:
                found.append(describe("column", what, (names[j] for j in columns), len(columns)))
        repeated = repeated_names(names)
        if repeated:
            found.append(
                describe("column name", "used more than once, told apart by position", repeated, len(repeated))
            )
        return found


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
