"""Dense tables of real numbers: in memory, or in a file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import ROWS_AT_ONCE, CellsOf, Rows
from disnplbm.kernels.statistics import cells_by_cluster, cells_by_group
from disnplbm.model.frame import Frame
from disnplbm.model.statistics import Floats, Labels, Statistics

#: Statistics grow with a cell's length, or with its square: above this one, fewer rows are held at a time.
SMALL_CELL = 8

#: Numbers that are brought into the working frame at a time: they stay in the processor's cache.
STRETCH_NUMBERS = 2**16


class AllCells(CellsOf[Statistics]):
    """Every cell of some rows, zeros too.

    Parameters
    ----------
    shape : tuple of int
        Rows, columns, numbers in a cell: (n, p, d).
    complete : bool
        That no cell of the whole data (not of these rows alone) is missing.
    diagonal : bool
        Whether the numbers of a cell are independent, see :class:`disnplbm.model.frame.Frame`.
    """

    def __init__(self, shape: tuple[int, ...], *, complete: bool, diagonal: bool) -> None:
        self.n_rows, self.n_columns, d = shape
        self.n_bytes = 8 * self.n_rows * self.n_columns * d
        self.dimension = d
        self.numbers = 3 * d if diagonal else 1 + d + d * d
        self.complete = complete
        fewer = SMALL_CELL / d if diagonal else SMALL_CELL**2 / d**2
        self.rows_at_once = max(int(ROWS_AT_ONCE * min(fewer, 1.0)), 1)
        self._diagonal = diagonal

    @abstractmethod
    def stretches(self, step: int) -> Iterator[tuple[int, Floats]]:
        """First row and cells, (c, p, d) in the working frame, of stretches of that many rows; NaN where missing."""


class DenseCells(AllCells):
    """Cells that are all there in memory, in the working frame.

    Parameters
    ----------
    values : ndarray of shape (n, p, d), C-contiguous
        NaN where missing.
    complete, diagonal : bool
        See :class:`AllCells`.
    """

    def __init__(self, values: Floats, *, complete: bool, diagonal: bool = False) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        super().__init__(self.values.shape, complete=complete, diagonal=diagonal)

    def stretches(self, step: int) -> Iterator[tuple[int, Floats]]:
        for start in range(0, self.n_rows, step):
            yield start, self.values[start : start + step]

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        return cells_by_group(self.values[rows], column_labels, n_groups, diagonal=self._diagonal)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        return cells_by_cluster(self.values, labels, n_clusters, complete=self.complete, diagonal=self._diagonal)


class FiledCells(AllCells):
    """Cells in a file, in the units and the type that they have there; few of them are in memory at a time.

    Every statistic has the bits of :class:`DenseCells`: the same numbers enter the frame in the same way, and are added
    in the same order.

    Parameters
    ----------
    raw : ndarray of shape (n, p, d), of any type of numbers
        Mapped from the file.
    frame : Frame
    complete : bool
        See :class:`AllCells`.
    forget : callable
        Called when cells were read: lets go of the memory that the system gave to them.
    """

    def __init__(self, raw: NDArray[Any], frame: Frame, *, complete: bool, forget: Callable[[], None]) -> None:
        super().__init__(raw.shape, complete=complete, diagonal=frame.diagonal)
        self._raw, self._frame, self._forget = raw, frame, forget
        self._step = max(1, STRETCH_NUMBERS // (self.n_columns * self.dimension))

    def stretches(self, step: int) -> Iterator[tuple[int, Floats]]:
        for start in range(0, self.n_rows, step):
            yield start, self._enter(slice(start, start + step))

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        places = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else np.asarray(rows)
        result = Statistics.empty((len(places), n_groups), self.dimension, diagonal=self._diagonal)
        for start in range(0, len(places), self._step):
            here = places[start : start + self._step]
            # A slice of the file takes no copy of its numbers.
            which = slice(here[0], here[-1] + 1) if isinstance(rows, slice) and rows.step in (None, 1) else here
            values = self._enter(which)
            result[start : start + len(here)] = cells_by_group(values, column_labels, n_groups, diagonal=self._diagonal)
        return result

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        d, parts = self.dimension, self.n_columns * self.dimension
        shape = (-1, parts, 1) if self._diagonal else (-1, self.n_columns, d)
        result = Statistics.empty((n_clusters, shape[1]), shape[2])
        for start in range(0, self.n_rows, self._step):
            here = labels[start : start + self._step]
            ours = np.flatnonzero(here >= 0)
            if not len(ours):
                continue
            all_of_them = len(ours) == len(here)
            values = self._enter(slice(start, start + len(here)) if all_of_them else start + ours)
            cells_by_cluster(values.reshape(shape), here[ours], n_clusters, complete=self.complete, into=result)
        return result.folded(d) if self._diagonal else result

    def _enter(self, rows: Rows) -> Floats:
        """Some rows in the working frame, (c, p, d), C-contiguous."""
        raw = self._raw[rows]
        values = np.empty(raw.shape)
        np.subtract(raw, self._frame.centre, out=values, dtype=np.float64)
        values /= self._frame.scale
        self._forget()
        return values
