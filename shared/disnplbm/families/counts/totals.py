"""Totals of sets of counts, without those that are 0: row after row, in compressed form."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.model.statistics import Floats, Labels

#: Columns of a stretch, which is looked through only where a count was added to it.
STRETCH = 64


class Totals(NamedTuple):
    """Totals of an array of sets of shape (a, b): of each row those that are not 0, in the order of the columns."""

    indptr: NDArray[np.int64]  # (a + 1,) where each row begins
    indices: NDArray[np.int32]  # (N,) column of each
    values: Floats  # (N,)

    @classmethod
    def of_dense(cls, values: Floats) -> Totals:
        """The same of an array of all totals, shape (a, b)."""
        result = _allocate(np.count_nonzero(values, axis=1))
        return result.first(int(_compress(values, *result)))

    def dense(self, columns: int) -> Floats:
        """All totals, shape (a, b), of so many columns."""
        values = np.zeros((len(self.indptr) - 1, columns))
        self.add_to(values, np.arange(len(values), dtype=np.int32))
        return values

    def add_to(self, values: Floats, targets: Labels) -> None:
        """Add each row to the row of ``values``, shape (c, b), that its target names; -1 is passed over."""
        _add_rows(*self, targets, values)

    def add_columns_to(self, values: Floats, labels: Labels) -> None:
        """Add each column to the column of ``values``, shape (a, g), that its label names; -1 is passed over."""
        _add_columns(*self, labels, values)

    def rows(self, chosen: NDArray[np.intp]) -> Totals:
        """Some of the rows, in that order."""
        result = _allocate(np.diff(self.indptr)[chosen])
        return result.first(int(_copy_rows(*self, chosen, *result)))

    def turned(self, columns: int) -> Totals:
        """The same of the transposed array, of so many columns now."""
        result = _allocate(np.bincount(self.indices, minlength=columns))
        return result.first(int(_turn(*self, *result)))

    def first(self, number: int) -> Totals:
        """The same without the room behind so many totals."""
        return Totals(self.indptr, self.indices[:number], self.values[:number])

    def behind(self, other: Totals) -> Totals:
        """The rows of another array, and behind them these."""
        indptr = np.append(other.indptr, self.indptr[1:] + other.indptr[-1])
        indices = np.concatenate([other.indices, self.indices])
        return Totals(indptr, indices, np.concatenate([other.values, self.values]))


def sum_rows(
    order: NDArray[np.intp], begins: NDArray[np.intp], stored: tuple[Any, ...], columns: Labels | None, width: int
) -> Totals:
    """Totals of sets of rows of a table of whole numbers from 0, in compressed form.

    Parameters
    ----------
    order : ndarray of int, shape (m,)
        Rows, one set after another.
    begins : ndarray of int, shape (a + 1,)
        Where each set begins among them.
    stored : tuple of ndarray
        Where each row of the table begins, the column of each cell, and the cells.
    columns : ndarray of int32, shape (p,), optional
        Column of the result that each column of the table is added to; by default its own.
    width : int
        Columns of the result.
    """
    cells = np.append(0, np.cumsum(np.diff(stored[0])[order]))[begins]
    result = _allocate(np.minimum(np.diff(cells), width))
    return result.first(int(_sum_rows(order, begins, *stored, columns, width, *result)))


def _allocate(lengths: NDArray[Any]) -> Totals:
    """Room for rows of at most such lengths, and for one number more."""
    number = int(lengths.sum()) + 1
    return Totals(np.zeros(len(lengths) + 1, dtype=np.int64), np.empty(number, dtype=np.int32), np.empty(number))


@inlined
def _append_row(totals, there, indices, values, number):  # type: ignore[no-untyped-def]
    """Write the totals of a row that are not 0 behind the others, and forget them; return how many there are then."""
    for stretch in range(there.size):
        if there[stretch]:
            there[stretch] = False
            for j in range(stretch * STRETCH, (stretch + 1) * STRETCH):
                # Written in any case: to skip a number costs more than to write over it.
                indices[number], values[number] = j, totals[j]
                number += 1 if totals[j] != 0.0 else 0
                totals[j] = 0.0
    return number


@inlined
def _room_of_row(width):  # type: ignore[no-untyped-def]
    """Room for the totals of a row, in whole stretches, and for what is known of each stretch."""
    stretches = -(-width // STRETCH)
    return np.zeros(stretches * STRETCH), np.zeros(stretches, np.bool_)


@kernel
def _sum_rows(order, begins, indptr, indices, counts, columns, width, ends, found, values):  # type: ignore[no-untyped-def]
    totals, there = _room_of_row(width)
    number = 0
    for a in range(begins.size - 1):
        for r in range(begins[a], begins[a + 1]):
            for t in range(indptr[order[r]], indptr[order[r] + 1]):
                j = indices[t] if columns is None else columns[indices[t]]
                totals[j] += counts[t]
                there[j // STRETCH] = True
        number = _append_row(totals, there, found, values, number)
        ends[a + 1] = number
    return number


@kernel
def _compress(dense, ends, found, values):  # type: ignore[no-untyped-def]
    totals, there = _room_of_row(dense.shape[1])
    number = 0
    for a in range(dense.shape[0]):
        totals[: dense.shape[1]] = dense[a]
        there[:] = True
        number = _append_row(totals, there, found, values, number)
        ends[a + 1] = number
    return number


@kernel
def _add_rows(indptr, indices, values, targets, into):  # type: ignore[no-untyped-def]
    for i in range(targets.size):
        if targets[i] >= 0:
            for t in range(indptr[i], indptr[i + 1]):
                into[targets[i], indices[t]] += values[t]


@kernel
def _add_columns(indptr, indices, values, labels, into):  # type: ignore[no-untyped-def]
    for i in range(into.shape[0]):
        for t in range(indptr[i], indptr[i + 1]):
            if labels[indices[t]] >= 0:
                into[i, labels[indices[t]]] += values[t]


@kernel
def _copy_rows(indptr, indices, values, chosen, ends, found, copied):  # type: ignore[no-untyped-def]
    number = 0
    for r in range(chosen.size):
        for t in range(indptr[chosen[r]], indptr[chosen[r] + 1]):
            found[number], copied[number] = indices[t], values[t]
            number += 1
        ends[r + 1] = number
    return number


@kernel
def _turn(indptr, indices, values, ends, found, turned):  # type: ignore[no-untyped-def]
    for t in range(indices.size):
        ends[indices[t] + 1] += 1
    for j in range(1, ends.size):
        ends[j] += ends[j - 1]
    place = ends[:-1].copy()
    for i in range(indptr.size - 1):
        for t in range(indptr[i], indptr[i + 1]):
            at = place[indices[t]]
            found[at], turned[at] = i, values[t]
            place[indices[t]] = at + 1
    return indices.size
