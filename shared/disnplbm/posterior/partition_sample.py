"""Draws of a partition, with the items that no draw tells apart taken together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError
from disnplbm.kernels.contingency import column_hashes, find_differing, number_by_appearance, sum_overlaps, tabulate
from disnplbm.posterior.losses import Integers, LabelArray, Loss

UnsignedLabels = NDArray[np.unsignedinteger[Any]]

#: Fractional parts of multiples of the golden ratio spread evenly, and keep step with no period of the items.
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True, slots=True, eq=False)
class PartitionSample:
    """S partitions of T types of items.

    Items with the same labels in every draw are one type: every draw keeps them together, and all losses are sums
    weighted by the size of the types.

    Parameters
    ----------
    labels : ndarray of unsigned integers, shape (S, T)
        Labels of each draw 0, 1, ... in the order of their first types: equal partitions are equal rows.
    weights : ndarray of int64, shape (T,)
        Number of items of each type.
    clusters : ndarray of int64, shape (S,)
        Number of clusters of each draw.
    """

    labels: UnsignedLabels
    weights: Integers
    clusters: Integers

    @classmethod
    def of(cls, labels: UnsignedLabels, weights: Integers) -> PartitionSample:
        """A sample from labels of any numbering; they are renumbered in place."""
        return cls(labels, weights, number_by_appearance(labels, int(labels.max()) + 1))

    @property
    def n_draws(self) -> int:
        """S."""
        return int(self.labels.shape[0])

    @property
    def n_items(self) -> int:
        """Items of all types."""
        return int(self.weights.sum())

    @property
    def starts(self) -> Integers:
        """Number of the first cluster of each draw when all are numbered through, and of all M, shape (S + 1,)."""
        return np.concatenate(([0], np.cumsum(self.clusters)))

    @property
    def types_of_clusters(self) -> Integers:
        """Number of types in each cluster of each draw, shape (M,)."""
        return np.concatenate(
            [np.bincount(row, minlength=n) for row, n in zip(self.labels, self.clusters, strict=True)]
        ).astype(np.int64)

    def of_types(self, types: NDArray[np.integer], weights: Integers) -> PartitionSample:
        """The draws' partitions of some types, with other weights."""
        return PartitionSample.of(np.take(self.labels, types, axis=1), weights)

    def of_draws(self, draws: NDArray[np.integer]) -> PartitionSample:
        """Some of the draws."""
        return PartitionSample(self.labels[draws], self.weights, self.clusters[draws])

    def spread(self, n_items: int) -> tuple[NDArray[np.int64], Integers]:
        """Types and their weights of so many items, evenly spread over the order of the types and always the same."""
        position = np.arange(1, n_items + 1) * _GOLDEN % 1.0 * self.n_items
        met = np.searchsorted(np.cumsum(self.weights), position, side="right")
        types, weights = np.unique(met, return_counts=True)
        return types, weights.astype(np.int64)

    def distinct(self) -> NDArray[np.int64]:
        """The first draw of each different partition, in order."""
        first: dict[bytes, int] = {}
        for s, row in enumerate(self.labels):
            first.setdefault(row.tobytes(), s)
        return np.fromiter(first.values(), dtype=np.int64)

    def table(self, labels: NDArray[np.int32], n_clusters: int) -> NDArray[np.int32]:
        """Items that each drawn cluster shares with each cluster of a partition, shape (M, K)."""
        starts = self.starts
        table = np.zeros((int(starts[-1]), n_clusters), dtype=np.int32)
        tabulate(self.labels, starts, labels, self.weights, table)
        return table

    def sum_overlaps(self, partitions: LabelArray, n_clusters: Integers, loss: Loss) -> Integers:
        """Sum of phi over the contingency table of each of C partitions with each draw, shape (C, S)."""
        bound = int(self.clusters.max())
        result: Integers = sum_overlaps(self.labels, bound, partitions, n_clusters, self.weights, loss.phi)
        return result

    def draw_terms(self, loss: Loss) -> Integers:
        """Sum of phi over the sizes of each draw's clusters, shape (S,)."""
        whole = np.zeros((1, len(self.weights)), dtype=np.int32)
        return np.asarray(self.sum_overlaps(whole, np.ones(1, dtype=np.int64), loss)[0])

    def distances(self, labels: NDArray[np.int32], loss: Loss) -> Integers:
        """Loss between a partition of the types and each draw, in units of the loss, shape (S,)."""
        sizes = cluster_sizes(labels, self.weights)
        shared = self.sum_overlaps(labels[None], np.array([len(sizes)]), loss)[0]
        return np.asarray(loss.phi[sizes].sum() + self.draw_terms(loss) - 2 * shared)


def cluster_sizes(labels: LabelArray, weights: Integers) -> Integers:
    """Weight of each cluster, shape (K,)."""
    sizes = np.zeros(int(labels.max()) + 1, dtype=np.int64)
    np.add.at(sizes, labels, weights)
    return sizes


def checked_labels(labels: ArrayLike) -> UnsignedLabels:
    """Labels of draws as an array of the smallest unsigned type, shape (S, n).

    Raises
    ------
    InputError
        They are not whole numbers from 0 on, or there is no draw or no item.
    """
    array = np.asarray(labels)
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"draws have shape {array.shape}; give one row of labels a draw, (draws, items), none empty.")
    if not np.issubdtype(array.dtype, np.integer) or array.min() < 0:
        raise InputError(f"labels of draws must be whole numbers from 0 on; these are {array.dtype}.")
    smallest = np.min_scalar_type(int(array.max()))
    return np.ascontiguousarray(array, dtype=smallest)


def checked_partition(labels: LabelArray, n_items: int) -> NDArray[np.int32]:
    """A partition of the same items as the draws, its labels 0..K-1 without holes, in the order of the old ones.

    Raises
    ------
    InputError
        It has another number of items.
    """
    if np.shape(labels) != (n_items,):
        raise InputError(f"the partition has shape {np.shape(labels)}; the draws have {n_items:,} items.")
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def collapse(labels: UnsignedLabels) -> tuple[PartitionSample, NDArray[np.int32]]:
    """Take items of equal labels together, in time linear in n S.

    Types are told apart by a hash of their labels. An item whose labels differ from the first item of the
    same hash (a collision) becomes a type of its own, so that the result is right whatever the hash.

    Parameters
    ----------
    labels : ndarray of unsigned integers, shape (S, n)

    Returns
    -------
    sample : PartitionSample
    types : ndarray of int32, shape (n,)
        Type of each item; types are in the order of their first items.
    """
    hashes = column_hashes(labels)
    _, first, group = np.unique(hashes, return_index=True, return_inverse=True)
    representative = first[group]
    alone = find_differing(labels, representative)
    representative[alone] = np.flatnonzero(alone)
    items, types, weights = np.unique(representative, return_inverse=True, return_counts=True)
    return PartitionSample.of(np.take(labels, items, axis=1), weights.astype(np.int64)), types.astype(np.int32)
