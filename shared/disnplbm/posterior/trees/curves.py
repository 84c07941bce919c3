"""What there is to know of every level of a tree: what it costs, how far chains agree on it, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.trees.coarsening import Coarsening, CrossTable
from disnplbm.posterior.trees.cutting import cut, losses_of_levels, undone_by_level
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.growing import Tree

#: Share of the largest loss that every loss has to come close to before it counts.
SLIGHT = 0.01


@dataclass(frozen=True, slots=True)
class Curves:
    """Figures of every level of one axis but the coarsest, which has one branch, or one of each part.

    Parameters
    ----------
    levels : list of int
        2, 3, ..., B, where B is the most branches that the tree can be cut into; with M parts, M + 1, M + 2, ..., B.
    lost : list of float
        What the log joint loses by all merges from the run's clusters to the level.
    ratio : list of float, or None
        How many times as much a level loses with its next merge as the next finer one; see :func:`ratios_of_levels`.
        Of one chain; it ends before the finest level.
    agreement : list of float, or None
        Mean adjusted Rand index between the chains, as :func:`agreements_of_levels` says it. Of several chains; it
        ends where the tree of one of them does.
    confidence : list of float, or None
        Mean confidence of an item; see :func:`confidences_of_levels`. Of a run that kept draws.
    cluster_confidence : list of list of float, or None
        The same of the members of each branch, by its label.
    """

    levels: list[int]
    lost: list[float]
    ratio: list[float] | None = None
    agreement: list[float] | None = None
    confidence: list[float] | None = None
    cluster_confidence: list[list[float]] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def curves_of(tree: Tree, drawn: DrawnTrees | None, fine: Labels) -> Curves:
    """Find the figures of all levels of a tree.

    Parameters
    ----------
    drawn : DrawnTrees, optional
        Trees of the draws.
    fine : ndarray of int32, shape (n,)
        Cluster of each item.
    """
    lost = lost_by_levels(tree)
    most = len(lost) + tree.n_parts
    found = Curves(list(range(tree.n_parts + 1, most + 1)), _rounded(lost))
    if drawn is not None:
        sure = confidences_of_levels(tree, drawn, fine)
        of_branches = [[round(each, 3) for each in level.of_branches.tolist()] for level in sure]
        found = replace(found, confidence=[round(level.mean, 4) for level in sure], cluster_confidence=of_branches)
    if drawn is not None and drawn.n_chains > 1:
        agreements = agreements_of_levels(drawn, min(most, most_of_chains(drawn)))
        return replace(found, agreement=_rounded(agreements))
    ratios = ratios_of_levels(losses_of_levels(deciding_tree(tree, drawn)))[: len(lost)]
    return replace(found, ratio=_rounded(ratios))


def deciding_tree(tree: Tree, drawn: DrawnTrees | None) -> Tree:
    """The tree whose losses tell the levels of one chain apart: of its last draw, if it has several.

    A tree of several draws merges by what they agree on, so its losses rise and fall.
    """
    return tree if drawn is None else drawn.trees[-1]


def lost_by_levels(tree: Tree) -> Floats:
    """Loss of log joint by all merges from the clusters up to each level of :class:`Curves`."""
    undone = [float(tree.losses[[each.merge for each in level]].sum()) for level in undone_by_level(tree)]
    return np.asarray(tree.losses.sum() - np.cumsum(undone))


def ratios_of_levels(losses: Floats) -> Floats:
    """How many times as much as the next finer level each one loses, from 2 branches on; the finest has no ratio.

    Both losses count :data:`SLIGHT` of the largest one more: of merges that lose next to nothing, one may well lose a
    hundred times as much as another.

    Parameters
    ----------
    losses : ndarray of shape (B - 1,)
        What :func:`disnplbm.posterior.trees.cutting.losses_of_levels` says.

    >>> ratios_of_levels(np.array([100.0, 49.0, 4.0, -1.0])).tolist()
    [2.02, 10.0, 5.0]
    """
    # A merge may gain.
    kept = np.maximum(losses, 0.0)
    kept += max(SLIGHT * float(kept.max(initial=0.0)), np.finfo(np.float64).tiny)
    return np.asarray(kept[:-1] / kept[1:])


def most_of_chains(drawn: DrawnTrees) -> int:
    """Branches that the trees of the last draws of all chains can be cut into."""
    return min(drawn.most[int(s)] for s in drawn.last_of_chains)


def agreements_of_levels(drawn: DrawnTrees, most: int) -> Floats:
    """Mean adjusted Rand index, over all pairs of chains, of their last draws cut into 2, 3, ..., most branches.

    Returns
    -------
    ndarray of shape (most - 1,)
        With M parts, from M + 1 branches on: shape (most - M,). Each cluster that a chain sets aside is one of its
        own there.
    """
    last = drawn.last_of_chains.tolist()
    trees = {s: Coarsening.of(drawn.trees[s]) for s in last}
    found = [
        [
            table.adjusted_rand()
            for table in _down(drawn.labels[first], drawn.labels[second], trees[first], trees[second], most)
        ]
        for first, second in combinations(last, 2)
    ]
    return np.asarray(np.mean(np.array(found).reshape(len(found), most - drawn.trees[0].n_parts), axis=0)[::-1])


class Confidence(NamedTuple):
    """How sure the labels of one level are."""

    #: Mean over all items.
    mean: float
    #: Mean over the members of each branch, by its label.
    of_branches: Floats


def confidences_of_levels(tree: Tree, drawn: DrawnTrees, fine: Labels) -> list[Confidence]:
    """Mean confidence of items at each level of :class:`Curves`.

    Means of what :func:`disnplbm.posterior.trees.certainty.certainty_of_level` says of each item: the probability that
    it is together with a random other member of its branch, in a draw that is cut at that level too.

    Parameters
    ----------
    fine : ndarray of int32, shape (n,)
        Cluster of each item.
    """
    of_tree = Coarsening.of(tree)
    levels = len(of_tree.steps)
    sums, sizes = [0.0] * levels, np.zeros((levels, int(of_tree.groups.max()) + 1))
    of_groups = np.zeros_like(sizes)
    for own, labels in zip(drawn.trees, drawn.labels, strict=True):
        for i, table in enumerate(_down(fine, labels, of_tree, Coarsening.of(own), of_tree.most)):
            together = _together(table)
            of_groups[i] += together
            sums[i] += float(together.sum())
            sizes[i] = table.rows
    found, groups = list[Confidence](), of_tree.groups.copy()
    for i, branches in enumerate(range(of_tree.most, of_tree.least, -1)):
        group, branch = np.empty(branches, dtype=np.intp), cut(tree, branches).labels
        group[branch[branch >= 0]] = groups[branch >= 0]
        means = of_groups[i, group] / (drawn.n_draws * sizes[i, group])
        found.append(Confidence(sums[i] / (drawn.n_draws * len(fine)), means))
        for kept, gone in of_tree.merges_from(branches):
            groups[groups == gone] = kept
    return found[::-1]


def _down(
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    down: Coarsening,
    across: Coarsening,
    most: int,
) -> Iterator[CrossTable]:
    """Two trees against each other at most, ..., 3, 2 branches, with M parts down to M + 1.

    A tree that has fewer is cut into as many as it has.
    """
    table = CrossTable.of(rows, columns, down, across)
    table.merge_rows(down.merges_to(most))
    table.merge_columns(across.merges_to(most))
    for branches in range(most, down.least, -1):
        yield table
        table.merge_rows(down.merges_from(branches))
        table.merge_columns(across.merges_from(branches))


def _together(table: CrossTable) -> Floats:
    """Over the items of each group, the share of its others that are with them; of one alone, whether it is alone."""
    found = np.zeros(len(table.rows))
    several, single = np.flatnonzero(table.rows > 1), np.flatnonzero(table.rows == 1)
    found[several] = (table.squares[several] - table.rows[several]) / (table.rows[several] - 1)
    found[single] = table.alone(single)
    return found


def _rounded(values: Floats) -> list[float]:
    return [round(value, 4) for value in values.tolist()]
