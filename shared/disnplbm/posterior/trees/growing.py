r"""A tree of clusters, from the statistics of their blocks.

When two clusters a and b of an axis merge, the log joint loses

    sum over g of [ LM(a, g) + LM(b, g) - LM(a and b, g) ]  +  log p(partition) - log p(partition, a and b as one),

the groups g being the clusters of the other axis; of rows, those of all parts of the table. The losses of all pairs are
found once. After a merge only the losses of the merged cluster change, so a tree of K clusters takes K^2 evaluations of
G log marginals. The losses of all merges up to a level add up to what the level's log joint lacks of the fit's.

Columns of different parts never merge, so each part has a tree of its own. Side by side they are one: the next merge is
that of the least loss, and at the top, joins that lose nothing hold the trees together. No cut undoes fewer than all of
these.

Where the trees of draws say which clusters belong together (:mod:`disnplbm.posterior.trees.drawn`), the pair that is
together most often merges first, by average linkage (Sokal and Michener 1958), and losses decide between equals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.choice import log_gammas
from disnplbm.kernels.partition_prior import PartitionPrior, log_split
from disnplbm.model.statistics import Floats
from disnplbm.parts import slices_of
from disnplbm.sampler.cluster_blocks import ClusterBlocks


@dataclass(frozen=True, eq=False)
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
    n_parts : int
        Trees that it is made of. The last n_parts - 1 merges join them.
    """

    sizes: NDArray[np.int64]
    pairs: NDArray[np.int32]
    losses: Floats
    n_parts: int = 1

    @cached_property
    def roots(self) -> list[int]:
        """The node that each part's tree ends in: no cut has fewer branches. They are in the order of the parts."""
        k, found = len(self.sizes), [2 * len(self.sizes) - 2]
        for t in range(k - 2, k - 1 - self.n_parts, -1):
            found.remove(k + t)
            found += self.pairs[t].tolist()
        return sorted(found, key=lambda node: min(self.below(node)))

    @cached_property
    def part_of_clusters(self) -> list[int]:
        """The part that each cluster is of."""
        found = [0] * len(self.sizes)
        for part, root in enumerate(self.roots):
            for cluster in self.below(root):
                found[cluster] = part
        return found

    def of_part(self, number: int) -> Tree:
        """The tree of one part alone."""
        k, inside = len(self.sizes), sorted(self.below(self.roots[number]))
        node = {cluster: place for place, cluster in enumerate(inside)}
        pairs, losses = list[list[int]](), list[float]()
        for t, pair in enumerate(self.pairs.tolist()[: k - self.n_parts]):
            if pair[0] in node:
                node[k + t] = len(inside) + len(pairs)
                pairs.append([node[pair[0]], node[pair[1]]])
                losses.append(float(self.losses[t]))
        merges = np.array(pairs, dtype=np.int32).reshape(-1, 2)
        return Tree(self.sizes[inside], merges, np.array(losses, dtype=np.float64))

    def below(self, node: int) -> list[int]:
        """The fine clusters under a node."""
        k, waiting, found = len(self.sizes), [node], list[int]()
        while waiting:
            last = waiting.pop()
            if last < k:
                found.append(last)
            else:
                waiting += self.pairs[last - k].tolist()
        return found

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


def grow_tree(
    parts: Sequence[Statistics],
    sizes: ArrayLike,
    partition_prior: PartitionPrior | None,
    families: Sequence[Family],
    together: Floats | None = None,
) -> Tree:
    """Merge the clusters of the first axis two by two, until one is left.

    Parameters
    ----------
    parts : sequence of Statistics of shape (K, G)
        Of the clusters, in each group of each part; for a tree of columns, the transposed blocks of a part.
    sizes : array-like of int, shape (K,)
        Members of each cluster, at least 1.
    partition_prior : PartitionPrior, optional
        Of the axis; without it, losses come from the blocks alone.
    families : sequence of Family
        Of the parts.
    together : ndarray of shape (K, K), optional
        How often a member of one cluster and one of another are together, summed over all pairs of members: whole
        numbers. The pair of the largest share merges first, and of several the one of the least loss.
    """
    blocks, members = ClusterBlocks(families, parts).copy(), np.array(sizes, dtype=np.int64)
    k = len(members)
    marginals = blocks.log_marginals()
    node, there = np.arange(k), np.ones(k, dtype=np.bool_)
    counts = np.zeros((k, k)) if together is None else np.array(together, dtype=np.float64)
    pairs_left = _Pairs(k)

    def losses_with(a: int, others: NDArray[np.intp]) -> Floats:
        merged = blocks[others].merge(blocks[a]).log_marginals()
        of_blocks = marginals[a] + marginals[others] - merged
        if partition_prior is None:
            return np.asarray(of_blocks)
        return np.asarray(of_blocks + _log_sides(members[a], members[others], partition_prior))

    def apart(a: int, others: NDArray[np.intp]) -> Floats:
        # Quotients of whole numbers: equal shares are equal to the last bit.
        return np.asarray(-counts[a, others] / (members[a] * members[others]))

    for a in range(k - 1):
        others = np.arange(a + 1, k)
        pairs_left.put(a, others, apart(a, others), losses_with(a, others))
    pairs_left.look(np.arange(k))
    pairs, lost = np.empty((k - 1, 2), dtype=np.int32), np.empty(k - 1)
    for t in range(k - 1):
        a, b, lost[t] = pairs_left.first()
        pairs[t] = sorted((node[a], node[b]))
        if partition_prior is not None:
            # What all pairs share of the partition's prior depends on the clusters that are left.
            lost[t] += log_split(1.0, 1.0, k - 1 - t, partition_prior) - _log_sides(1, 1, partition_prior)
        blocks[a] = blocks[a].merge(blocks[b])
        marginals[a] = blocks[a].log_marginal()
        members[a] += members[b]
        counts[a] += counts[b]
        counts[:, a] = counts[a]
        node[a], there[b] = k + t, False
        others = np.flatnonzero(there)
        others = others[others != a]
        pairs_left.drop(b)
        pairs_left.replace(a, b, others, apart(a, others), losses_with(a, others))
    return Tree(np.array(sizes, dtype=np.int64), pairs, lost)


def join_trees(trees: Sequence[Tree]) -> Tree:
    """The trees of several parts side by side, as one; the clusters of the first part come first."""
    starts = slices_of([len(tree.sizes) for tree in trees])
    k = starts[-1].stop
    # Where each tree stands: its next merge, and the node of the whole that each of its own is.
    at, nodes = [0] * len(trees), [list(range(where.start, where.stop)) for where in starts]
    pairs, losses = list[list[int]](), list[float]()
    while left := [number for number, tree in enumerate(trees) if at[number] < len(tree.losses)]:
        number = min(left, key=lambda number: float(trees[number].losses[at[number]]))
        tree, t = trees[number], at[number]
        pairs.append(sorted(nodes[number][int(node)] for node in tree.pairs[t]))
        losses.append(float(tree.losses[t]))
        nodes[number].append(k + len(losses) - 1)
        at[number] += 1
    for own in nodes[1:]:
        pairs.append(sorted((nodes[0][-1], own[-1])))
        losses.append(0.0)
        nodes[0].append(k + len(losses) - 1)
    sizes = np.concatenate([tree.sizes for tree in trees])
    return Tree(sizes, np.array(pairs, dtype=np.int32).reshape(-1, 2), np.array(losses), len(trees))


class _Pairs:
    """All pairs of clusters that are left, the next one to merge found by the nearest of each cluster.

    A pair has two numbers: how much it is apart, and its loss. The first one decides; between equals, the second one.
    Both are infinite for a cluster and itself, and for what is gone.
    """

    def __init__(self, k: int) -> None:
        self._apart, self._losses = np.full((k, k), np.inf), np.full((k, k), np.inf)
        self._nearest = np.zeros(k, dtype=np.intp)
        self._least_apart, self._least_loss = np.full(k, np.inf), np.full(k, np.inf)

    def put(self, a: int, others: NDArray[np.intp], apart: Floats, losses: Floats) -> None:
        """Set the numbers of a cluster with others."""
        self._apart[a, others] = self._apart[others, a] = apart
        self._losses[a, others] = self._losses[others, a] = losses

    def look(self, clusters: NDArray[np.intp]) -> None:
        """Find the nearest of each of some clusters."""
        apart = self._apart[clusters]
        least = apart.min(axis=1, initial=np.inf)
        losses = np.where(apart == least[:, None], self._losses[clusters], np.inf)
        self._nearest[clusters], self._least_apart[clusters] = losses.argmin(axis=1), least
        self._least_loss[clusters] = losses.min(axis=1, initial=np.inf)

    def first(self) -> tuple[int, int, float]:
        """The pair that merges next, and its loss."""
        losses = np.where(self._least_apart == self._least_apart.min(), self._least_loss, np.inf)
        a = int(losses.argmin())
        return a, int(self._nearest[a]), float(losses[a])

    def drop(self, b: int) -> None:
        """Take a cluster away."""
        for numbers in (self._apart, self._losses):
            numbers[b] = numbers[:, b] = np.inf

    def replace(self, a: int, b: int, others: NDArray[np.intp], apart: Floats, losses: Floats) -> None:
        """Set the numbers of a cluster that took in another one: the others compare it with their nearest so far."""
        self.put(a, others, apart, losses)
        stale = np.union1d([a, b], np.flatnonzero((self._nearest == a) | (self._nearest == b)))
        self.look(stale)
        least = self._least_apart[others]
        is_nearer = (apart < least) | ((apart == least) & (losses < self._least_loss[others]))
        nearer = others[is_nearer]
        self._nearest[nearer], self._least_apart[nearer] = a, apart[is_nearer]
        self._least_loss[nearer] = losses[is_nearer]


def _log_sides(a: ArrayLike, b: ArrayLike, prior: PartitionPrior) -> Floats:
    """What two clusters add to the log probability of the partition, more than the two as one."""
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
