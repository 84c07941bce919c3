"""A tree cut at a number of branches.

The merges are undone, the last one first, until there are as many branches as asked for. A branch that is too small to
be one of these is set aside, and the branch that it came off goes on: a few outliers would take whole branches
otherwise. Two that are both too small stay together. The columns of each part of a table are a branch at least, however
few they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.trees.growing import Tree

#: Members that a branch has at least: this share of all, and this many.
LEAST_SHARE, LEAST_MEMBERS = 0.01, 2

#: In place of a branch, for clusters that are set aside.
ASIDE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Branches of a tree.

    Parameters
    ----------
    labels : ndarray of int32, shape (K,)
        Branch of each fine cluster, those of the first part first, and of a part the one of the most members first;
        :data:`ASIDE` for outliers.
    sizes : ndarray of int64
        Members of each branch.
    nodes : ndarray of int32
        Node of the tree that each branch is.
    aside : ndarray of int32
        Nodes of the branches that were set aside.
    """

    labels: Labels
    sizes: NDArray[np.int64]
    nodes: NDArray[np.int32]
    aside: NDArray[np.int32]


def least_members(n: int) -> int:
    """Members that a branch has at least, of n in all, if nothing else is asked for."""
    return max(LEAST_MEMBERS, int(np.ceil(LEAST_SHARE * n)))


def most_branches(tree: Tree, least: int | None = None) -> int:
    """Count the branches, of at least so many members, that the tree can be cut into."""
    return len(_branches(tree, None, least)[0])


def cut(tree: Tree, number: int, least: int | None = None, noun: str = "clusters") -> Cut:
    """Cut a tree into branches.

    Parameters
    ----------
    number : int
        Branches, at least 1; those set aside do not count.
    least : int, optional
        Members that a branch has at least. By default a hundredth of all, and at least 2.
    noun : str
        What messages call the branches.

    Raises
    ------
    InputError
        The tree has fewer branches of that size.
    """
    if number < tree.n_parts:
        each = "" if tree.n_parts == 1 else ", one for each kind of columns,"
        raise InputError(f"a tree cannot be cut into {number} branches; ask for {tree.n_parts}{each} or more")
    found, aside = _branches(tree, number, least)
    if len(found) < number:
        size = least_members(int(tree.sizes.sum())) if least is None else least
        raise InputError(
            f"{number:,} {noun} are too many: the tree has {len(found):,} of at least {size:,} members; ask for"
            f" {len(found):,} or fewer"
        )
    members = tree.members
    clusters = {node: tree.below(node) for node in found}
    nodes = sorted(found, key=lambda node: (tree.part_of_clusters[clusters[node][0]], -members[node], node))
    labels = np.full(len(tree.sizes), ASIDE, dtype=np.int32)
    for label, node in enumerate(nodes):
        labels[clusters[node]] = label
    return Cut(labels, members[nodes], np.array(nodes, dtype=np.int32), np.array(sorted(aside), dtype=np.int32))


def losses_of_levels(tree: Tree, least: int | None = None) -> Floats:
    """Loss of every level but the coarsest: of the merge that makes one branch fewer of them.

    Returns
    -------
    ndarray of shape (B - n_parts,)
        With B branches of at least so many members at most. Merges that set a branch aside make no level.
    """
    return tree.losses[[undone.merge for undone in _undo(tree, least) if not undone.small]]


def undone_by_level(tree: Tree) -> list[list[Undone]]:
    """Group the merges that are undone on the way to the finest level: entry i leads to n_parts + i + 1 branches."""
    levels, waiting = list[list[Undone]](), list[Undone]()
    for undone in _undo(tree, None):
        waiting.append(undone)
        if not undone.small:
            levels.append(waiting)
            waiting = []
    return levels


def cut_labels(tree: Tree, number: int | None, noun: str = "clusters") -> Labels:
    """The branch of each fine cluster; each its own where no number is given."""
    return np.arange(len(tree.sizes), dtype=np.int32) if number is None else cut(tree, number, noun=noun).labels


def _branches(tree: Tree, number: int | None, least: int | None) -> tuple[list[int], list[int]]:
    """Nodes of the branches, up to a number if one is given, and of those set aside."""
    found, aside = set(tree.roots), list[int]()
    for undone in _undo(tree, least):
        if number is not None and len(found) >= number:
            break
        found.remove(undone.node)
        found.update(undone.large)
        aside += undone.small
    return sorted(found), aside


class Undone(NamedTuple):
    """A merge undone: its number, the node that it made, and the two below it by their size."""

    merge: int
    node: int
    large: list[int]
    small: list[int]


def _undo(tree: Tree, least: int | None) -> Iterator[Undone]:
    """Undo the merges of branches, the last one first, while a part is large enough to be a branch."""
    k, members = len(tree.sizes), tree.members
    size = least_members(int(tree.sizes.sum())) if least is None else least
    branches = set(tree.roots)
    for t in range(k - 1 - tree.n_parts, -1, -1):
        parts = [int(node) for node in tree.pairs[t]]
        large = [node for node in parts if members[node] >= size]
        if k + t in branches and large:
            branches.remove(k + t)
            branches.update(large)
            yield Undone(t, k + t, large, [node for node in parts if members[node] < size])
