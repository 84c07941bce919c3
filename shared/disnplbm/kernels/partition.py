"""Bookkeeping of labels in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Labels


@kernel
def _occupancy(labels, sizes, first):  # type: ignore[no-untyped-def]
    for i in range(labels.size):
        if sizes[labels[i]] == 0:
            first[labels[i]] = i
        sizes[labels[i]] += 1


@kernel
def _rename(labels, names, result):  # type: ignore[no-untyped-def]
    for i in range(labels.size):
        result[i] = names[labels[i]]


def compacted(labels: Labels, bound: int) -> tuple[Labels, Labels, NDArray[np.int64], NDArray[np.int64]]:
    """The same partition without empty labels.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        All below ``bound``.
    bound : int

    Returns
    -------
    labels : ndarray of int32, shape (n,)
        0..H-1 without holes, in the order of the old labels.
    present : ndarray of int32, shape (H,)
        The old label of each.
    sizes, first : ndarray of int64, shape (H,)
        Members, and the smallest position among them.
    """
    sizes, first = np.zeros(bound, dtype=np.int64), np.zeros(bound, dtype=np.int64)
    _occupancy(labels, sizes, first)
    present = np.flatnonzero(sizes).astype(np.int32)
    names = np.full(bound, -1, dtype=np.int32)
    names[present] = np.arange(len(present), dtype=np.int32)
    result = np.empty(len(labels), dtype=np.int32)
    _rename(labels, names, result)
    return result, present, sizes[present], first[present]
