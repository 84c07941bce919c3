"""Exposures of sets of counts where no cell is missing: products of factors, which need no array of all sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from disnplbm.families.exponential.kernels import add_rows
from disnplbm.kernels.compiler import kernel, rounding_kernel
from disnplbm.model.statistics import Floats, Labels

#: Exposures that are computed at a time: they stay in the cache.
_AT_ONCE = 1 << 15

#: Groups whose exposures are added up before they are added to the others of an item.
_GROUPS = 8


class Exposure(NamedTuple):
    """Exposures of an array of sets of shape (a, b): the sum over t of rows[t, i] columns[t, j], in the order of t.

    T terms are what so many shards know of the same clusters. An axis that has the same factors in all of them has
    them once, in an array of length 1.
    """

    rows: Floats  # (T, a), or (1, a)
    columns: Floats  # (T, b), or (1, b)

    @property
    def shape(self) -> tuple[int, int]:
        """(a, b)."""
        return self.rows.shape[1], self.columns.shape[1]

    @property
    def turned(self) -> Exposure:
        """The exposures of the transposed array."""
        return Exposure(self.columns, self.rows)

    def of_rows(self, index: Any) -> Exposure:
        """The exposures of some rows."""
        return Exposure(np.ascontiguousarray(self.rows[:, index]), self.columns)

    def dense(self) -> Floats:
        """All of them, shape (a, b)."""
        result = np.empty(self.shape)
        _multiply(*self, result)
        return result

    def add_to(self, into: Floats, labels: Labels) -> None:
        """Add each row to the row of ``into``, shape (c, b), that its label names; -1 is passed over."""
        for rows, exposures in self._stretches():
            add_rows(exposures, labels[rows], into)

    def factored(self) -> tuple[Floats, Floats]:
        """Factors of the rows, shape (a,), and of the columns, shape (b,), which add up to 1."""
        of_rows, of_columns = np.zeros(self.shape[0]), np.zeros(self.shape[1])
        everything = np.zeros(1)
        for rows, exposures in self._stretches():
            _add_up(exposures, of_rows[rows], of_columns, everything)
        return of_rows, of_columns / everything if everything[0] > 0.0 else np.zeros(len(of_columns))

    def _stretches(self) -> Iterator[tuple[slice, Floats]]:
        """Some rows, and their exposures, which the next ones are written over."""
        number, width = self.shape
        step = max(_AT_ONCE // max(width, 1), 1)
        room = np.empty((min(step, number), width))
        for start in range(0, number, step):
            rows = slice(start, min(start + step, number))
            exposures = room[: rows.stop - start]
            _multiply(np.ascontiguousarray(self.rows[:, rows]), self.columns, exposures)
            yield rows, exposures


@rounding_kernel
def _multiply(rows, columns, result):  # type: ignore[no-untyped-def]
    for i in range(result.shape[0]):
        of_row = result[i]
        for t in range(max(rows.shape[0], columns.shape[0])):
            factor, factors = rows[min(t, rows.shape[0] - 1), i], columns[min(t, columns.shape[0] - 1)]
            if t == 0:
                for j in range(of_row.size):
                    of_row[j] = factor * factors[j]
            else:
                for j in range(of_row.size):
                    of_row[j] += factor * factors[j]


@kernel
def _add_up(exposures, of_rows, of_columns, everything):  # type: ignore[no-untyped-def]
    groups = of_columns.size
    for i in range(of_rows.size):
        for start in range(0, groups, _GROUPS):
            of_groups = 0.0
            for g in range(start, min(start + _GROUPS, groups)):
                of_groups += exposures[i, g]
            of_rows[i] += of_groups
        for g in range(groups):
            of_columns[g] += exposures[i, g]
        everything[0] += of_rows[i]
