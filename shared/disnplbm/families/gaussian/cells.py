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
        self.n_rows, self.n_columns, d = self.values.shape
        self.n_bytes = self.values.nbytes
        self.numbers = 3 * d if diagonal else 1 + d + d * d
        self.complete = complete
        fewer = SMALL_CELL / d if diagonal else SMALL_CELL**2 / d**2
        self.rows_at_once = max(int(ROWS_AT_ONCE * min(fewer, 1.0)), 1)
        self._diagonal = diagonal

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        return cells_by_group(self.values[rows], column_labels, n_groups, diagonal=self._diagonal)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        return cells_by_cluster(self.values, labels, n_clusters, complete=self.complete, diagonal=self._diagonal)
