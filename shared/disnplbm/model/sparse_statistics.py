"""Statistics of cells of one number where most are zero: the zeros of a set enter by how many they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels, Statistics, merge, summarise


@dataclass(frozen=True, slots=True, eq=False)
class StoredRows:
    """Rows of a table in compressed form.

    Parameters
    ----------
    indptr : ndarray of int64, shape (n + 1,)
        Where the stored cells of each row begin.
    indices : ndarray of int32, shape (N,)
        Column of each stored cell, ascending in each row.
    values : ndarray of shape (N,)
        NaN where missing.
    zero : float
        What a cell is that is not stored.
    n_columns : int
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: Floats
    zero: float
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Floats, float]:
        """All but the number of columns, as the kernels take them."""
        return self.indptr, self.indices, self.values, self.zero


def stored_by_group(stored: StoredRows, rows: NDArray[np.intp], groups: Labels, n_groups: int) -> Statistics:
    """Statistics of some rows' cells in each group of columns: the twin of the kernel of the same name."""
    result = Statistics.empty((len(rows), n_groups), 1)
    for r, i in enumerate(rows):
        here = slice(stored.indptr[i], stored.indptr[i + 1])
        of_cells = groups[stored.indices[here]]
        for g in range(n_groups):
            result[r, g] = _with_zeros(stored.values[here][of_cells == g], int((groups == g).sum()), stored.zero)
    return result


def stored_by_cluster(stored: StoredRows, labels: Labels, n_clusters: int) -> Statistics:
    """Statistics of every column's cells in every row cluster: the twin of the kernel of the same name."""
    result = Statistics.empty((n_clusters, stored.n_columns), 1)
    of_cells = np.repeat(labels, np.diff(stored.indptr))
    for k in range(n_clusters):
        for j in range(stored.n_columns):
            values = stored.values[(of_cells == k) & (stored.indices == j)]
            result[k, j] = _with_zeros(values, int((labels == k).sum()), stored.zero)
    return result


def _with_zeros(values: Floats, size: int, zero: float) -> Statistics:
    """Statistics of a set of that size with these stored cells, the others all zero."""
    zeros = Statistics.empty((), 1)
    if size > len(values):
        zeros = Statistics(np.array(float(size - len(values))), np.array([zero]), np.zeros((1, 1)))
    return merge(summarise(values[:, None]), zeros)
