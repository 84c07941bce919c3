"""Tables of categories, one byte a cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import CellsOf, Rows
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Labels

#: Code of a missing cell: there are at most as many categories.
MISSING = 255


class CodedCells(CellsOf[Sums]):
    """Categories by number.

    Parameters
    ----------
    codes : ndarray of uint8, shape (n, p)
        0..C-1, or :data:`MISSING`.
    n_categories : int
        C.
    complete : bool
        That no cell of the whole data (not of these rows alone) is missing.
    """

    def __init__(self, codes: NDArray[np.uint8], n_categories: int, *, complete: bool) -> None:
        self._codes = np.ascontiguousarray(codes)
        self.n_rows, self.n_columns = codes.shape
        self.n_bytes = codes.nbytes
        self.numbers = n_categories
        self.complete = complete

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        codes = self._codes[rows]
        sums = np.zeros((len(codes), n_groups, self.numbers))
        _count(codes, np.arange(len(codes), dtype=np.int32), column_labels, sums)
        return Sums(sums)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        sums = np.zeros((n_clusters, self.n_columns, self.numbers))
        _count(self._codes, labels, np.arange(self.n_columns, dtype=np.int32), sums)
        return Sums(sums)


@kernel
def _count(codes, row_labels, column_labels, sums):  # type: ignore[no-untyped-def]
    for i in range(row_labels.size):
        if row_labels[i] < 0:
            continue
        for j in range(column_labels.size):
            if codes[i, j] != MISSING:
                sums[row_labels[i], column_labels[j], codes[i, j]] += 1.0
