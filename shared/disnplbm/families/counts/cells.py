"""Sparse tables of counts: a cell that is not stored is a zero, and costs nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.families.base import Rows, SparseCellsOf
from disnplbm.families.counts.exposure import Exposure
from disnplbm.families.counts.sums import CountSums
from disnplbm.families.counts.totals import sum_rows
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.compiler import kernel
from disnplbm.kernels.special import log, log_gamma
from disnplbm.model.statistics import Floats, Labels


class SparseCounts(SparseCellsOf[Sums]):
    """Rows of counts in compressed form, and the exposure of each cell: its row's factor times its column's.

    Parameters
    ----------
    indptr, indices, counts : ndarray
        As of :class:`disnplbm.families.base.SparseCellsOf`; NaN where missing.
    row_factors, column_factors : ndarray of shapes (n,) and (p,)
    complete : bool
        As there.
    """

    numbers = 2

    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        counts: NDArray[Any],
        row_factors: Floats,
        column_factors: Floats,
        *,
        complete: bool,
    ) -> None:
        super().__init__(indptr, indices, counts, len(column_factors), complete=complete)
        self.row_factors, self.column_factors = row_factors, column_factors

    def to_csr(self) -> csr_array:
        indptr, indices, counts = self._stored
        return csr_array((counts.astype(np.float64), indices, indptr), (self.n_rows, self.n_columns))

    def by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums:
        chosen = np.arange(self.n_rows)[rows]
        exposures = _sum_factors(column_labels, self.column_factors, n_groups)
        sums = np.zeros((len(chosen), n_groups, 2))
        _sum_rows(chosen, *self._stored, column_labels, self.row_factors, self.column_factors, exposures, sums)
        return Sums(sums)

    def by_cluster(self, labels: Labels, n_clusters: int) -> Sums:
        exposures = _sum_factors(labels, self.row_factors, n_clusters)
        sums = np.zeros((n_clusters, self.n_columns, 2))
        _sum_clusters(labels, *self._stored, self.row_factors, self.column_factors, exposures, sums)
        return Sums(sums)

    def light_by_group(self, rows: Rows, column_labels: Labels, n_groups: int) -> Sums | CountSums:
        if not self.complete:
            return self.by_group(rows, column_labels, n_groups)
        chosen = np.arange(self.n_rows)[rows]
        of_groups = _sum_factors(column_labels, self.column_factors, n_groups)
        exposure = Exposure(np.ascontiguousarray(self.row_factors[rows])[None], of_groups[None])
        each = np.arange(len(chosen) + 1)
        return CountSums(sum_rows(chosen, each, self._stored, column_labels, n_groups), exposure)

    def light_by_cluster(self, labels: Labels, n_clusters: int) -> Sums | CountSums:
        if not self.complete:
            return self.by_cluster(labels, n_clusters)
        of_clusters = _sum_factors(labels, self.row_factors, n_clusters)
        order = np.argsort(labels, kind="stable")
        begins = np.searchsorted(labels[order], np.arange(n_clusters + 1))
        exposure = Exposure(of_clusters[None], self.column_factors[None])
        return CountSums(sum_rows(order, begins, self._stored, None, self.n_columns), exposure)

    def pearson_sums(self, row_labels: Labels, column_labels: Labels, shape: tuple[int, ...]) -> Floats:
        """Sums that Pearson's statistic is made of, by block: shape (3, K, L).

        They are the sum of x^2 / exposure over the counts; missing cells that have an exposure; and the sum of
        1 / exposure over these.
        """
        sums = np.zeros((3, *shape))
        _sum_squares(row_labels, column_labels, *self._stored, self.row_factors, self.column_factors, sums)
        return sums


def _sum_factors(labels: Labels, factors: Floats, number: int) -> Floats:
    """Sums of the factors that share a label, shape (number,); a label of -1 is left out."""
    there = labels >= 0
    return np.asarray(np.bincount(labels[there], weights=factors[there], minlength=number), dtype=np.float64)


@kernel
def _sum_squares(row_labels, column_labels, indptr, indices, counts, row_factors, column_factors, sums):  # type: ignore[no-untyped-def]
    for i in range(row_labels.size):
        k = row_labels[i]
        for t in range(indptr[i], indptr[i + 1]):
            j, count = indices[t], float(counts[t])
            exposure = row_factors[i] * column_factors[j]
            if exposure > 0.0:
                c = column_labels[j]
                if count == count:
                    sums[0, k, c] += count * count / exposure
                else:
                    sums[1, k, c] += 1.0
                    sums[2, k, c] += 1.0 / exposure


@kernel
def _sum_rows(rows, indptr, indices, counts, labels, row_factors, column_factors, exposures, sums):  # type: ignore[no-untyped-def]
    for r in range(rows.size):
        i = rows[r]
        for g in range(exposures.size):
            sums[r, g, 1] = row_factors[i] * exposures[g]
        for t in range(indptr[i], indptr[i + 1]):
            g, count = labels[indices[t]], counts[t]
            if count == count:
                sums[r, g, 0] += count
            else:
                left = sums[r, g, 1] - row_factors[i] * column_factors[indices[t]]
                sums[r, g, 1] = max(left, 0.0)


@kernel
def _sum_clusters(labels, indptr, indices, counts, row_factors, column_factors, exposures, sums):  # type: ignore[no-untyped-def]
    for k in range(exposures.size):
        for j in range(column_factors.size):
            sums[k, j, 1] = exposures[k] * column_factors[j]
    for i in range(labels.size):
        k = labels[i]
        if k < 0:
            continue
        for t in range(indptr[i], indptr[i + 1]):
            j, count = indices[t], counts[t]
            if count == count:
                sums[k, j, 0] += count
            else:
                left = sums[k, j, 1] - row_factors[i] * column_factors[j]
                sums[k, j, 1] = max(left, 0.0)


def log_constants(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], counts: Floats, row_factors: Floats, column_factors: Floats
) -> Floats:
    """What no cluster changes in the log density of each row: the sum of x log e - log x! over its counts.

    Parameters
    ----------
    indptr, indices, counts, row_factors, column_factors : ndarray
        As of :class:`SparseCounts`; the exposure of a count above 0 is above 0.
    """
    result = np.zeros(len(row_factors))
    _log_constants(indptr, indices, counts, row_factors, column_factors, result)
    return result


@kernel
def _log_constants(indptr, indices, counts, row_factors, column_factors, result):  # type: ignore[no-untyped-def]
    for i in range(result.size):
        for t in range(indptr[i], indptr[i + 1]):
            if counts[t] > 0.0:
                exposure = row_factors[i] * column_factors[indices[t]]
                result[i] += counts[t] * log(exposure) - log_gamma(counts[t] + 1.0)
