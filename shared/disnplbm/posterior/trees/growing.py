r"""A tree of clusters, from the statistics of their blocks.

When two clusters a and b of an axis merge, the log joint loses

    sum over g of [ LM(a, g) + LM(b, g) - LM(a and b, g) ]  +  log p(partition) - log p(partition, a and b as one),

the groups g being the clusters of the other axis. The losses of all pairs are found once. After a merge only those of
the merged cluster change, so a tree of K clusters takes K^2 evaluations of G log marginals. The losses of all merges up
to a level add up to what the level's log joint lacks of the fit's.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.choice import log_gammas
from disnplbm.kernels.partition_prior import PartitionPrior, log_split
from disnplbm.model.statistics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree of K clusters of one axis. Merge t joins two nodes into node K + t; the first K nodes are the clusters.

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
        Members of each cluster.
    pairs : ndarray of int32, shape (K - 1, 2)
        The nodes that each merge joins, the smaller number first.
    losses : ndarray of shape (K - 1,)
        Loss of log joint by each merge; negative where the merge is a gain.
    """

    sizes: NDArray[np.int64]
    pairs: NDArray[np.int32]
    losses: Floats

    @property
    def heights(self) -> Floats:
        """Height of each merge, shape (K - 1,): the losses up to it, and never below an earlier merge, nor below 0."""
        return np.maximum.accumulate(np.append(0.0, np.cumsum(self.losses)))[1:]

    @property
    def members(self) -> NDArray[np.int64]:
        """Members of every node, shape (2 K - 1,)."""
        return _sum_nodes(self.sizes, self.pairs)

    @property
    def leaves(self) -> NDArray[np.int32]:
        """The clusters in an order in which every branch is together, shape (K,): of two branches, the larger first."""
        k, members, waiting, found = len(self.sizes), self.members, [2 * len(self.sizes) - 2], []
        while waiting:
            node = waiting.pop()
            if node < k:
                found.append(node)
            else:
                # What is put on the stack last is taken first.
                waiting += sorted(self.pairs[node - k].tolist(), key=lambda below: (members[below], -below))
        return np.array(found, dtype=np.int32)

    @property
    def linkage(self) -> Floats:
        """The tree as SciPy's ``scipy.cluster.hierarchy`` reads it, shape (K - 1, 4).

        A row has the two nodes, the height, and the number of fine clusters below.
        """
        clusters = _sum_nodes(np.ones(len(self.sizes), dtype=np.int64), self.pairs)
        return np.column_stack([self.pairs, self.heights, clusters[len(self.sizes) :]])


def grow_tree(blocks: Statistics, sizes: ArrayLike, partition_prior: PartitionPrior | None, family: Family) -> Tree:
    """Merge the clusters of the first axis two by two, until one is left.

    Parameters
    ----------
    blocks : Statistics of shape (K, G)
        Of the clusters, in each group; for a tree of columns, the transposed blocks of a fit.
    sizes : array-like of int, shape (K,)
        Members of each cluster, at least 1.
    partition_prior : PartitionPrior, optional
        Of the axis; without it, losses are those of the blocks alone.
    """
    blocks, members = blocks.copy(), np.array(sizes, dtype=np.int64)
    k = len(members)
    marginals = family.log_marginals(blocks).sum(axis=1)
    node, there = np.arange(k), np.ones(k, dtype=np.bool_)
    # Symmetric, with infinity for a cluster and itself, and for what is gone.
    losses = np.full((k, k), np.inf)

    def losses_with(a: int, others: NDArray[np.intp]) -> Floats:
        together = family.log_marginals(family.merge(blocks[others], blocks[a])).sum(axis=1)
        of_blocks = marginals[a] + marginals[others] - together
        if partition_prior is None:
            return np.asarray(of_blocks)
        return np.asarray(of_blocks + _log_sides(members[a], members[others], partition_prior))

    for a in range(k - 1):
        others = np.arange(a + 1, k)
        losses[a, others] = losses[others, a] = losses_with(a, others)
    nearest, least = losses.argmin(axis=1), losses.min(axis=1)
    pairs, lost = np.empty((k - 1, 2), dtype=np.int32), np.empty(k - 1)
    for t in range(k - 1):
        a = int(least.argmin())
        b = int(nearest[a])
        pairs[t] = sorted((node[a], node[b]))
        lost[t] = least[a]
        if partition_prior is not None:
            # What all pairs share of the partition's prior depends on the clusters that are left.
            lost[t] += log_split(1.0, 1.0, k - 1 - t, partition_prior) - _log_sides(1, 1, partition_prior)
        blocks[a] = family.merge(blocks[a], blocks[b])
        marginals[a] = family.log_marginals(blocks[a]).sum()
        members[a] += members[b]
        node[a], there[b] = k + t, False
        losses[b] = losses[:, b] = np.inf
        others = np.flatnonzero(there)
        others = others[others != a]
        losses[a, others] = losses[others, a] = losses_with(a, others)
        # Rows whose nearest was one of the two look for another; the others compare theirs with the merged cluster.
        stale = np.union1d([a, b], np.flatnonzero((nearest == a) | (nearest == b)))
        nearest[stale], least[stale] = losses[stale].argmin(axis=1), losses[stale].min(axis=1)
        nearer = others[losses[others, a] < least[others]]
        nearest[nearer], least[nearer] = a, losses[nearer, a]
    return Tree(np.array(sizes, dtype=np.int64), pairs, lost)


def _log_sides(a: ArrayLike, b: ArrayLike, prior: PartitionPrior) -> Floats:
    """What the sizes of two clusters add to the log probability of the partition, over that of the two as one."""
    first, second = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    c = prior.pseudo_count
    of_first, of_second, of_both = (
        log_gammas(np.atleast_1d(each)) for each in (first + c, second + c, first + second + c)
    )
    return np.asarray((of_first + of_second - of_both).reshape(first.shape))


def _sum_nodes(values: NDArray[np.int64], pairs: NDArray[np.int32]) -> NDArray[np.int64]:
    """Sums of the clusters' values over every node."""
    k = len(values)
    result = np.append(values, np.zeros(len(pairs), dtype=np.int64))
    for t, (a, b) in enumerate(pairs):
        result[k + t] = result[a] + result[b]
    return result
