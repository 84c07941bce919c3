"""Dense tables of real numbers."""

from __future__ import annotations

import numpy as np

from disnplbm.families.base import ROWS_AT_ONCE, CellsOf, Rows
from disnplbm.kernels.statistics import cells_by_cluster, cells_by_group
from disnplbm.model.statistics import Floats, Labels, Statistics

#: Statistics grow with a cell's length, or with its square: above this one, fewer rows are held at a time.
SMALL_CELL = 8


class DenseCells(CellsOf[Statistics]):
    """Cells that are all there in memory, in the working frame.

    Parameters
    ----------
    values : ndarray of shape (n, p, d), C-contiguous
        NaN where missing.
    complete : bool
        That no cell of the whole data (not of these rows alone) is missing.
    diagonal : bool
        Whether the numbers of a cell are independent, see :class:`disnplbm.model.frame.Frame`.
    """

    def __init__(self, values: Floats, *, complete: bool, diagonal: bool = False) -> None:
        self.values = np.ascontiguousarray(values, dtype=np.float64)
        self._complete = complete
        self._diagonal = diagonal

    @property
    def n_rows(self) -> int:
        return int(self.values.shape[0])

    @property
    def n_columns(self) -> int:
        return int(self.values.shape[1])

    @property
    def n_bytes(self) -> int:
        return int(self.values.nbytes)

    @property
    def complete(self) -> bool:
        return self._complete

    @property
    def numbers(self) -> int:
        d = int(self.values.shape[2])
        return 3 * d if self._diagonal else 1 + d + d * d

    @property
    def rows_at_once(self) -> int:
        d = self.values.shape[2]
        fewer = SMALL_CELL / d if self._diagonal else SMALL_CELL**2 / d**2
        return max(int(ROWS_AT_ONCE * min(fewer, 1.0)), 1)

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        return cells_by_group(self.values[rows], column_labels, n_groups, diagonal=self._diagonal)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        return cells_by_cluster(self.values, labels, n_clusters, complete=self._complete, diagonal=self._diagonal)
