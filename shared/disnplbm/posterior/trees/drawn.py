"""The trees of draws, and what all of them say together of the clusters of a run.

Each draw has clusters of its own and the statistics of their blocks, so each grows trees of its own. Cut at a number of
branches, every draw says which items are together at that level. How often the members of two clusters of the run are
together, over draws and levels, is what a consensus of the trees is grown by
(:func:`disnplbm.posterior.trees.growing.grow_tree`). The levels are 2, 3, 4, 6, 8, 12, 16 and so on: as many for each
doubling, so that the coarse and the fine count alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Axis, Draws, SmallLabels, label_type
from disnplbm.posterior.trees.cutting import cut, most_branches
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.losses import MOST_CLUSTERS, TreeLoss, grow_columns, grow_rows

#: Log marginals that the trees of one axis may take together, about; what a merge takes besides, as many of them.
TREE_WORK, MERGE_WORK = 10_000_000, 5_000


@dataclass(frozen=True, eq=False)
class DrawnTrees:
    """Trees of one axis, of some draws.

    Parameters
    ----------
    trees : sequence of Tree
    labels : sequence of ndarray, shape (n,)
        Cluster of each item in each draw, of the smallest unsigned type.
    chains : ndarray of int64, shape (S,)
        Chain of each draw, ascending.
    """

    trees: Sequence[Tree]
    labels: Sequence[SmallLabels]
    chains: NDArray[np.int64]

    @property
    def n_draws(self) -> int:
        """S."""
        return len(self.trees)

    @property
    def n_chains(self) -> int:
        """Chains that the draws are of."""
        return len(np.unique(self.chains))

    @cached_property
    def most(self) -> tuple[int, ...]:
        """Branches that each tree can be cut into."""
        return tuple(most_branches(tree) for tree in self.trees)

    @property
    def lengths(self) -> list[int]:
        """Items of each part of the axis."""
        tree = self.trees[0]
        return [int(tree.members[root]) for root in tree.roots]

    @property
    def last_of_chains(self) -> NDArray[np.intp]:
        """Position of the last draw of each chain."""
        return np.flatnonzero(np.append(self.chains[1:] != self.chains[:-1], True))

    def branches(self, position: int, number: int) -> Labels:
        """Branch of each cluster of a draw at a level, what is set aside each of its own.

        A draw that has fewer branches is cut into as many as it has, and each part is one at least.
        """
        tree = self.trees[position]
        labels = cut(tree, max(min(number, self.most[position]), tree.n_parts)).labels
        aside = np.flatnonzero(labels < 0)
        labels[aside] = labels.max(initial=-1) + 1 + np.arange(len(aside))
        return labels

    def cuts(self, number: int) -> SmallLabels:
        """Branch of each item in each draw at a level, shape (S, n)."""
        small = label_type(max(len(tree.sizes) for tree in self.trees))
        return np.stack([self.branches(s, number).astype(small)[own] for s, own in enumerate(self.labels)])

    def together(self, fine: Labels) -> Floats:
        """How often members of two clusters are together, over pairs of members, draws and levels.

        Parameters
        ----------
        fine : ndarray of int32, shape (n,)
            The clusters, K of them.

        Returns
        -------
        ndarray of shape (K, K)
            Whole numbers.
        """
        k = int(fine.max()) + 1
        total = np.zeros((k, k))
        levels = list(ladder(max(len(tree.sizes) for tree in self.trees)))
        for s, (tree, own) in enumerate(zip(self.trees, self.labels, strict=True)):
            drawn = len(tree.sizes)
            shared = (
                np.bincount(fine.astype(np.int64) * drawn + own, minlength=k * drawn)
                .reshape(k, drawn)
                .astype(np.float64)
            )
            weights = dict[int, int]()
            for level in levels:
                number = min(level, self.most[s])
                weights[number] = weights.get(number, 0) + 1
            for number, times in weights.items():
                branches = self.branches(s, number)
                grouped = shared @ np.eye(int(branches.max()) + 1)[branches]
                total += times * (grouped @ grouped.T)
        return total


def ladder(most: int) -> Iterator[int]:
    """Levels up to a number: 2, 3, 4, 6, 8, 12, 16, ...

    >>> list(ladder(12))
    [2, 3, 4, 6, 8, 12]
    """
    step = 2
    while step <= most:
        yield step
        if step * 3 // 2 <= most:
            yield step * 3 // 2
        step *= 2


def grow_drawn(axis: Axis, draws: Draws, loss: TreeLoss) -> DrawnTrees | None:
    """Grow the trees of one axis in draws that are spread over all chains.

    Returns
    -------
    DrawnTrees or None
        None where there is one draw alone, or one of them has more than :data:`MOST_CLUSTERS` clusters.
    """
    numbers = draws.numbers()
    clusters = numbers.row_clusters if axis == "rows" else numbers.column_clusters
    if len(draws) < 2 or clusters.max() > MOST_CLUSTERS:
        return None
    others = numbers.column_clusters if axis == "rows" else numbers.row_clusters
    work = float(np.mean(clusters * (clusters * others + MERGE_WORK))) + draws.length(axis)
    positions = spread_positions(numbers.chain, int(TREE_WORK / work))
    trees, labels = [], []
    for position in positions.tolist():
        draw = draws[position]
        own = draw.row_labels if axis == "rows" else draw.column_labels
        if axis == "rows":
            trees.append(grow_rows(draw.parts, np.bincount(own), draw.alpha, draws.meta, loss))
        else:
            trees.append(grow_columns(draw.parts, np.bincount(own), draw.betas, draws.meta, loss))
        labels.append(own.astype(label_type(int(own.max()) + 1)))
    return DrawnTrees(trees, labels, numbers.chain[positions])


def spread_positions(chains: NDArray[np.int64], most: int) -> NDArray[np.intp]:
    """Positions of draws that are spread evenly over each chain and end with its last one.

    Parameters
    ----------
    chains : ndarray of int64, shape (S,)
        Chain of each draw.
    most : int
        Draws to take; each chain gives one at least, and all give as many if they have them.

    >>> spread_positions(np.array([0, 0, 0, 0, 1, 1]), 4).tolist()
    [1, 3, 4, 5]
    """
    found, numbers = [], np.unique(chains)
    for chain in numbers:
        there = np.flatnonzero(chains == chain)
        taken = min(max(most // len(numbers), 1), len(there))
        found.append(there[len(there) * np.arange(1, taken + 1) // taken - 1])
    return np.concatenate(found)
