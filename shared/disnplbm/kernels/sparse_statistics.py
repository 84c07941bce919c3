"""Sufficient statistics of cells of one number where most are zero: the stored cells are visited, zeros are counted.

Rows are in compressed form. A zero is the same number everywhere (in a shifted frame, not 0 itself), so the zeros of a
set are known by how many they are: a set of that count and mean, and of scatter 0. It is merged with the stored cells
as any two sets are (:mod:`disnplbm.model.statistics`). A stored NaN is a missing cell. Sums run in index order, so the
bits depend on the data alone. The twins are in :mod:`disnplbm.model.sparse_statistics`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import kernel
from disnplbm.kernels.statistics import merge_one, plain
from disnplbm.model.sparse_statistics import StoredRows
from disnplbm.model.statistics import Floats, Labels, Statistics


@kernel
def _by_group(rows, indptr, indices, values, zero, groups, sizes, count, mean, scatter):  # type: ignore[no-untyped-def]
    absent = np.zeros(sizes.size)
    for r in range(rows.size):
        begin, end = indptr[rows[r]], indptr[rows[r] + 1]
        count_r, mean_r, scatter_r = count[r], mean[r], scatter[r]
        absent[:] = 0.0
        for t in range(begin, end):
            g, x = groups[indices[t]], values[t]
            if x == x:
                count_r[g] += 1.0
                mean_r[g] += x
            else:
                absent[g] += 1.0
        for g in range(sizes.size):
            mean_r[g] /= max(count_r[g], 1.0)
        for t in range(begin, end):
            g, x = groups[indices[t]], values[t]
            if x == x:
                scatter_r[g] += (x - mean_r[g]) * (x - mean_r[g])
        for g in range(sizes.size):
            merge_one(count, mean, scatter, r, g, sizes[g] - count_r[g] - absent[g], zero, 0.0)


@kernel
def _by_cluster(indptr, indices, values, zero, labels, sizes, absent, count, mean, scatter):  # type: ignore[no-untyped-def]
    for i in range(labels.size):
        k = labels[i]
        if k < 0:
            continue
        count_k, mean_k, scatter_k = count[k], mean[k], scatter[k]
        for t in range(indptr[i], indptr[i + 1]):
            j, x = indices[t], values[t]
            if x == x:
                count_k[j] += 1.0
                difference = x - mean_k[j]
                mean_k[j] += difference / count_k[j]
                scatter_k[j] += difference * (x - mean_k[j])
            else:
                absent[k, j] += 1.0
    complete = absent.shape[0] == 0
    for k in range(sizes.size):
        for j in range(count.shape[1]):
            observed = sizes[k] if complete else sizes[k] - absent[k, j]
            merge_one(count, mean, scatter, k, j, observed - count[k, j], zero, 0.0)


@kernel
def _add_up(values, state):  # type: ignore[no-untyped-def]
    count, mean, scatter = state
    for x in values:
        if x == x:
            count += 1.0
            difference = x - mean
            mean += difference / count
            scatter += difference * (x - mean)
    state[0], state[1], state[2] = count, mean, scatter


def stored_by_group(stored: StoredRows, rows: NDArray[np.intp], groups: Labels, n_groups: int) -> Statistics:
    """Statistics of some rows' cells in each group of columns.

    Parameters
    ----------
    rows : ndarray of int, shape (m,)
    groups : ndarray of int32, length p

    Returns
    -------
    Statistics of shape (m, n_groups)
    """
    result = Statistics.empty((len(rows), n_groups), 1)
    sizes = np.bincount(groups, minlength=n_groups).astype(np.float64)
    _by_group(rows, *stored.arrays, groups, sizes, *plain(result))
    return result


def stored_by_cluster(stored: StoredRows, labels: Labels, n_clusters: int, *, complete: bool) -> Statistics:
    """Statistics of every column's cells in every cluster of rows.

    Parameters
    ----------
    labels : ndarray of int32, length n
        Cluster of each row; one with label -1 is passed over.
    complete : bool
        That no cell is missing.

    Returns
    -------
    Statistics of shape (n_clusters, p)
    """
    result = Statistics.empty((n_clusters, stored.n_columns), 1)
    sizes = np.bincount(labels[labels >= 0], minlength=n_clusters).astype(np.float64)
    absent = np.zeros((0 if complete else n_clusters, stored.n_columns))
    _by_cluster(*stored.arrays, labels, sizes, absent, *plain(result))
    return result


class StoredMoments:
    """Count, mean and scatter of the stored cells of a table that streams by, the same however it is cut."""

    def __init__(self) -> None:
        self._state = np.zeros(3)

    def add(self, values: Floats) -> None:
        """Take in the next stored cells; NaN is missing."""
        _add_up(values, self._state)

    def with_zeros(self, cells: int) -> Statistics:
        """Statistics of all cells of the table, of which so many are not missing."""
        count, mean, scatter = self._state
        zeros, total = cells - count, max(cells, 1)
        # Squares of huge numbers overflow to infinity, which whoever asks is to refuse.
        with np.errstate(over="ignore", invalid="ignore"):
            scatter = scatter + mean * mean * (count * (zeros / total))
        return Statistics(np.array(float(cells)), np.array([mean * (count / total)]), np.array([[scatter]]))
