"""Sparse tables of real numbers: a cell that is not stored is zero, and costs nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.base import Rows, SparseCellsOf
from disnplbm.kernels.sparse_statistics import stored_by_cluster, stored_by_group
from disnplbm.model.frame import Frame
from disnplbm.model.sparse_statistics import StoredRows
from disnplbm.model.statistics import Floats, Labels, Statistics


class SparseCells(SparseCellsOf[Statistics]):
    """Rows of cells of one number in compressed form. In the working frame a zero is a number like any other.

    Parameters
    ----------
    indptr, indices, values : ndarray
        As of :class:`disnplbm.families.base.SparseCellsOf`; values are in the units of the table, NaN where missing,
        and are brought into the working frame.
    n_columns : int
    frame : Frame
        Of cells of one number.
    complete : bool
        As there.
    """

    numbers = 3

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: Floats,
        n_columns: int,
        frame: Frame,
        *,
        complete: bool,
    ) -> None:
        zero = float(frame.enter(np.zeros(1))[0])
        super().__init__(indptr, indices, framed := frame.enter(values), n_columns, complete=complete)
        self.stored = StoredRows(indptr, indices, framed, zero, n_columns)
        self._frame = frame

    def to_csr(self) -> csr_array:
        values = self.stored.values * self._frame.scale[0] + self._frame.centre[0]
        return csr_array((values, self.stored.indices, self.stored.indptr), (self.n_rows, self.n_columns))

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Statistics:
        return stored_by_group(self.stored, np.arange(self.n_rows)[rows], column_labels, n_groups)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        return stored_by_cluster(self.stored, labels, n_clusters, complete=self.complete)
