"""Sparse tables of categories: one category, zero for most tables, costs nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.base import Rows, SparseCellsOf
from disnplbm.families.category_names import MOST_CATEGORIES
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Labels

#: Code of a missing cell.
MISSING = MOST_CATEGORIES


class SparseCodes(SparseCellsOf[Sums]):
    """Rows of categories in compressed form.

    Parameters
    ----------
    indptr, indices, codes : ndarray
        As of :class:`disnplbm.families.base.SparseCellsOf`; codes of uint8 are 0..C-1, or :data:`MISSING`.
    n_columns : int
    n_categories : int
        C.
    base : int
        Code of a cell that is not stored.
    complete : bool
        As there.
    """

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        codes: NDArray[np.uint8],
        n_columns: int,
        n_categories: int,
        *,
        base: int = 0,
        complete: bool,
    ) -> None:
        super().__init__(indptr, indices, codes, n_columns, complete=complete)
        self._base = base
        self.numbers = n_categories

    @classmethod
    def of(cls, codes: NDArray[np.uint8], n_categories: int, *, base: int = 0, complete: bool) -> SparseCodes:
        """The same of a dense table of codes, shape (n, p)."""
        rows, indices = np.nonzero(codes != base)
        indptr = np.searchsorted(rows, np.arange(len(codes) + 1))
        stored = indptr, indices.astype(np.int32), codes[rows, indices]
        return cls(*stored, codes.shape[1], n_categories, base=base, complete=complete)

    def to_csr(self) -> csr_array:
        """The codes of the cells."""
        indptr, indices, codes = self._stored
        values = codes.astype(np.float64)
        values[codes == MISSING] = np.nan
        shown = csr_array((values, indices, indptr), (self.n_rows, self.n_columns))
        if self._base == 0:
            return shown
        dense = np.full(shown.shape, float(self._base))
        rows = np.repeat(np.arange(self.n_rows), np.diff(indptr))
        dense[rows, indices] = values
        return csr_array(dense)

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        chosen = np.arange(self.n_rows)[rows]
        sizes = np.bincount(column_labels, minlength=n_groups).astype(np.float64)
        sums = np.zeros((len(chosen), n_groups, self.numbers))
        sums[..., self._base] = sizes
        own = np.arange(len(chosen), dtype=np.int32)
        _count(chosen, own, *self._stored, column_labels, self._base, sums)
        return Sums(sums)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        sizes = np.bincount(labels[labels >= 0], minlength=n_clusters).astype(np.float64)
        sums = np.zeros((n_clusters, self.n_columns, self.numbers))
        sums[..., self._base] = sizes[:, None]
        own = np.arange(self.n_columns, dtype=np.int32)
        _count(np.arange(self.n_rows), labels, *self._stored, own, self._base, sums)
        return Sums(sums)


@kernel
def _count(rows, row_labels, indptr, indices, codes, column_labels, base, sums):  # type: ignore[no-untyped-def]
    for r in range(rows.size):
        k = row_labels[r]
        if k < 0:
            continue
        for t in range(indptr[rows[r]], indptr[rows[r] + 1]):
            g = column_labels[indices[t]]
            sums[k, g, base] -= 1.0
            if codes[t] != MISSING:
                sums[k, g, codes[t]] += 1.0
