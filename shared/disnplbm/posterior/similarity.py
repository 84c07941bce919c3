"""How often draws put items, or the members of clusters, together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError
from disnplbm.kernels.contingency import count_agreements, count_shared_pairs
from disnplbm.model.statistics import Floats
from disnplbm.posterior.losses import LabelArray
from disnplbm.posterior.partition_sample import checked_labels, checked_partition, collapse

#: Most items of a full matrix: 100 MB.
MOST_ITEMS = 5_000


def similarity(draws: ArrayLike) -> NDArray[np.float32]:
    """Co-clustering (posterior similarity) matrix: the share of draws in which two items are together.

    Parameters
    ----------
    draws : array-like of int, shape (S, n)

    Returns
    -------
    ndarray of float32, shape (n, n)
        Symmetric, 1 on the diagonal.

    Raises
    ------
    InputError
        There are more than :data:`MOST_ITEMS` items.
    """
    counts = shared_draws(draws)
    return np.asarray(np.divide(counts, len(np.asarray(draws)), dtype=np.float32))


def shared_draws(draws: ArrayLike) -> NDArray[np.unsignedinteger[Any]]:
    """Number of draws in which two items are together, shape (n, n), in the smallest unsigned type that holds it.

    Parameters
    ----------
    draws : array-like of int, shape (S, n)

    Raises
    ------
    InputError
        There are more than :data:`MOST_ITEMS` items.
    """
    labels = checked_labels(draws)
    if labels.shape[1] > MOST_ITEMS:
        raise InputError(
            f"the co-clustering matrix of {labels.shape[1]:,} items is too large (at most {MOST_ITEMS:,}); "
            "ask for the similarity of clusters instead."
        )
    sample, types = collapse(labels)
    counts = np.empty((len(sample.weights), len(sample.weights)), dtype=np.min_scalar_type(sample.n_draws))
    count_agreements(np.ascontiguousarray(sample.labels.T), counts)
    return counts[np.ix_(types, types)]


def cluster_similarity(draws: ArrayLike, labels: LabelArray) -> Floats:
    """Mean probability that an item of one cluster and another of a second one are together.

    Parameters
    ----------
    draws : array-like of int, shape (S, n)
    labels : ndarray of int, shape (n,)
        The clusters; the result has the order of their labels.

    Returns
    -------
    ndarray of shape (K, K)
        Symmetric. The diagonal is over pairs of different members; NaN for a cluster of one, which has none.

    Raises
    ------
    InputError
        The partition has another number of items than the draws.
    """
    checked = checked_labels(draws)
    n_draws, n_items = checked.shape
    labels = checked_partition(labels, n_items)
    sizes = np.bincount(labels)
    shared = count_shared_pairs(checked, int(checked.max()) + 1, labels, len(sizes))
    pairs = np.outer(sizes, sizes)
    np.fill_diagonal(shared, shared.diagonal() - n_draws * sizes)
    np.fill_diagonal(pairs, sizes * (sizes - 1))
    result: Floats = np.divide(shared, n_draws * pairs, out=np.full(shared.shape, np.nan), where=pairs > 0)
    return result
