"""Bookkeeping of labels in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Labels


@kernel
def _compact(labels, sizes, first_position, new_label, present, result):  # type: ignore[no-untyped-def]
    """Fill ``sizes`` and ``first_position`` up to the number of clusters that are there, and return it."""
    for i in range(labels.size):
        if sizes[labels[i]] == 0:
            first_position[labels[i]] = i
        sizes[labels[i]] += 1
    number = 0
    for k in range(sizes.size):
        if sizes[k] > 0:
            sizes[number], first_position[number] = sizes[k], first_position[k]
            new_label[k], present[number] = number, k
            number += 1
    for i in range(labels.size):
        result[i] = new_label[labels[i]]
    return number


@kernel
def _sources(labels, before, source, sizes, others):  # type: ignore[no-untyped-def]
    for i in range(before.size):
        others[before[i]] += 1
    for i in range(labels.size):
        k = labels[i]
        if sizes[k] == 0:
            source[k] = before[i]
        elif source[k] != before[i]:
            source[k] = -1
        sizes[k] += 1
    for k in range(source.size):
        if source[k] >= 0 and sizes[k] != others[source[k]]:
            source[k] = -1


def match_clusters(labels: Labels, n_clusters: int, before: Labels, n_before: int) -> Labels:
    """Find which cluster of one partition each cluster of another one is.

    Parameters
    ----------
    labels, before : ndarray of int32, shape (n,)
        Two partitions of the same items, without empty labels.
    n_clusters, n_before : int
        Their numbers of clusters.

    Returns
    -------
    ndarray of int32, shape (n_clusters,)
        The cluster of ``before`` with the very same members, or -1.
    """
    source = np.full(n_clusters, -1, dtype=np.int32)
    _sources(labels, before, source, np.zeros(n_clusters, dtype=np.int64), np.zeros(n_before, dtype=np.int64))
    return source


def compact(labels: Labels, bound: int) -> tuple[Labels, Labels, NDArray[np.int64], NDArray[np.int64]]:
    """Renumber a partition without empty labels.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        All below ``bound``.

    Returns
    -------
    labels : ndarray of int32, shape (n,)
        0..H-1 without holes, in the order of the old labels.
    present : ndarray of int32, shape (H,)
        The old label of each.
    sizes, first_position : ndarray of int64, shape (H,)
        Members, and the smallest position among them.
    """
    sizes, first_position = np.zeros(bound, dtype=np.int64), np.zeros(bound, dtype=np.int64)
    new_label, present = np.zeros(bound, dtype=np.int32), np.zeros(bound, dtype=np.int32)
    result = np.empty(len(labels), dtype=np.int32)
    number = _compact(labels, sizes, first_position, new_label, present, result)
    return result, present[:number], sizes[:number], first_position[:number]
