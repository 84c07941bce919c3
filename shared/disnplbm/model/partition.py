"""Partitions: the Chinese restaurant process and the canonical order of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from disnplbm.model.statistics import Labels


def log_crp(sizes: ArrayLike, concentration: float) -> float:
    """Log probability of a partition under the Chinese restaurant process.

    K log alpha + sum_k logGamma(n_k) + logGamma(alpha) - logGamma(alpha + n)

    Parameters
    ----------
    sizes : array-like of int, shape (K,)
        Sizes of the clusters, all above 0.
    concentration : float
        alpha, above 0.
    """
    sizes = np.asarray(sizes, dtype=np.float64)
    return float(
        len(sizes) * np.log(concentration)
        + gammaln(sizes).sum()
        + gammaln(concentration)
        - gammaln(concentration + sizes.sum())
    )


def canonical_order(sizes: NDArray[np.int64], first_index: NDArray[np.int64]) -> Labels:
    """New label of each cluster: largest first, ties by the smallest index of a member.

    Parameters
    ----------
    sizes : ndarray of int, shape (K,)
        An empty cluster (size 0) has no place in a partition and gets -1.
    first_index : ndarray of int, shape (K,)
        Smallest index of a member.

    Returns
    -------
    ndarray of int32, shape (K,)
        ``new_label[old_label]``, without holes.
    """
    order = np.lexsort((first_index, -sizes))
    order = order[sizes[order] > 0]
    renamed = np.full(len(sizes), -1, dtype=np.int32)
    renamed[order] = np.arange(len(order), dtype=np.int32)
    return renamed


def canonical_labels(labels: Labels) -> Labels:
    """The same partition with its labels in canonical order, 0..K-1."""
    _, first_index, inverse, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    return canonical_order(sizes, first_index)[inverse].astype(np.int32)
