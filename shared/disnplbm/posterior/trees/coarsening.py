"""A tree from its finest level to its coarsest, one level at a time, and what two partitions share on the way.

A level is a few merges away from the next finer one. So a table of the finest levels is enough to compare two trees at
all levels: its rows and columns merge as the clusters do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.scores import adjusted_rand
from disnplbm.posterior.trees.cutting import undone_by_level
from disnplbm.posterior.trees.growing import Tree


@dataclass(frozen=True, slots=True, eq=False)
class Coarsening:
    """A tree of K clusters from its finest level, of B branches, to the coarsest: one branch, or one of each part.

    Parameters
    ----------
    groups : ndarray of int32, shape (K,)
        Group of each cluster at the finest level: a branch, or a cluster that is set aside and one of its own.
    steps : list of list of (int, int)
        Entry i leads from B - i branches to B - i - 1: the second group of each pair joins the first one.
    least : int
        Branches of the coarsest level.
    """

    groups: Labels
    steps: list[list[tuple[int, int]]]
    least: int

    @property
    def most(self) -> int:
        """B."""
        return len(self.steps) + self.least

    @classmethod
    def of(cls, tree: Tree) -> Coarsening:
        """Find the steps of a tree."""
        k, levels = len(tree.sizes), undone_by_level(tree)
        branches, aside = set(tree.roots), list[int]()
        for undone in (each for level in levels for each in level):
            branches.remove(undone.node)
            branches.update(undone.large)
            for node in undone.small:
                aside += tree.below(node)
        groups, at = np.empty(k, dtype=np.int32), dict[int, int]()
        for number, node in enumerate([*sorted(branches), *aside]):
            at[node] = number
            groups[tree.below(node)] = number
        steps = []
        for level in reversed(levels):
            merged = []
            for undone in reversed(level):
                kept, *others = undone.large
                others += [cluster for node in undone.small for cluster in tree.below(node)]
                merged += [(at[kept], at[other]) for other in others]
                at[undone.node] = at[kept]
            steps.append(merged)
        return cls(groups, steps, tree.n_parts)

    def merges_to(self, branches: int) -> list[tuple[int, int]]:
        """All merges from the finest level to one of so many branches, or none if the tree has fewer."""
        return [merge for step in self.steps[: max(self.most - branches, 0)] for merge in step]

    def merges_from(self, branches: int) -> list[tuple[int, int]]:
        """Merges from a level to the next coarser one; none if the tree has fewer branches than that."""
        return self.steps[self.most - branches] if branches <= self.most else []


class CrossTable:
    """How many items each two groups of two partitions share, while groups merge.

    Parameters
    ----------
    counts : ndarray of shape (A, B)
        Whole numbers. Both partitions are of the same items.
    """

    def __init__(self, counts: NDArray[Any]) -> None:
        self._counts = np.array(counts, dtype=np.float64)
        #: Items of each group of either partition.
        self.rows, self.columns = self._counts.sum(axis=1), self._counts.sum(axis=0)
        #: Sum of the squares of each row.
        self.squares = (self._counts**2).sum(axis=1)

    @classmethod
    def of(
        cls,
        rows: NDArray[np.integer[Any]],
        columns: NDArray[np.integer[Any]],
        down: Coarsening,
        across: Coarsening,
    ) -> CrossTable:
        """Count items by their groups at the finest levels of two trees.

        Parameters
        ----------
        rows, columns : ndarray of int, shape (n,)
            Cluster of each item in either partition.
        """
        shape = int(down.groups.max()) + 1, int(across.groups.max()) + 1
        flat = down.groups[rows].astype(np.int64) * shape[1] + across.groups[columns]
        return cls(np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape))

    def merge_rows(self, merges: list[tuple[int, int]]) -> None:
        """Let the second group of each pair join the first one."""
        for kept, gone in merges:
            one, other = self._counts[kept], self._counts[gone]
            self.squares[kept] += self.squares[gone] + 2.0 * (one @ other)
            one += other
            self.rows[kept] += self.rows[gone]
            other[:], self.squares[gone], self.rows[gone] = 0.0, 0.0, 0.0

    def merge_columns(self, merges: list[tuple[int, int]]) -> None:
        """Let the second group of each pair join the first one."""
        for kept, gone in merges:
            one, other = self._counts[:, kept], self._counts[:, gone]
            self.squares += 2.0 * one * other
            one += other
            self.columns[kept] += self.columns[gone]
            other[:], self.columns[gone] = 0.0, 0.0

    def adjusted_rand(self) -> float:
        """Adjusted Rand index of the two partitions."""
        sums = (float(part.sum()) for part in (self.squares, self.rows**2, self.columns**2))
        return adjusted_rand(float(self.rows.sum()), *sums)

    def alone(self, rows: NDArray[np.intp]) -> Floats:
        """For groups of one item: 1 where it is alone in the other partition too, else 0."""
        return np.asarray((self._counts[rows] * (self.columns == 1.0)).sum(axis=1))
