"""What there is to know of every level of a tree: what it costs, how far chains agree on it, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.trees.coarsening import Coarsening, CrossTable
from disnplbm.posterior.trees.cutting import losses_of_levels, undone_by_level
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.growing import Tree

#: Share of the largest loss that every loss has to come close to before it counts.
SLIGHT = 0.01


@dataclass(frozen=True, slots=True)
class Curves:
    """Figures of every level of one axis, from 2 branches on.

    Parameters
    ----------
    levels : list of int
        2, 3, ..., B, where B is the most branches that the tree can be cut into.
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
    """

    levels: list[int]
    lost: list[float]
    ratio: list[float] | None = None
    agreement: list[float] | None = None
    confidence: list[float] | None = None

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
    most = len(lost) + 1
    levels = list(range(2, most + 1))
    if drawn is not None and drawn.n_chains > 1:
        agreements = agreements_of_levels(drawn, min(most, most_of_chains(drawn)))
        return Curves(levels, _rounded(lost), None, _rounded(agreements), _sure(tree, drawn, fine))
    ratios = ratios_of_levels(losses_of_levels(deciding_tree(tree, drawn)))[: most - 1]
    return Curves(levels, _rounded(lost), _rounded(ratios), None, _sure(tree, drawn, fine))


def deciding_tree(tree: Tree, drawn: DrawnTrees | None) -> Tree:
    """The tree whose losses tell the levels of one chain apart: of its last draw, if it has several.

    A tree of several draws merges by what they agree on, so its losses rise and fall.
    """
    return tree if drawn is None else drawn.trees[-1]


def lost_by_levels(tree: Tree) -> Floats:
    """Loss of log joint by all merges from the clusters up to a level of 2, 3, ... branches, shape (B - 1,)."""
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
        Each cluster that a chain sets aside is one of its own there.
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
    return np.asarray(np.mean(np.array(found).reshape(-1, most - 1), axis=0)[::-1])


def confidences_of_levels(tree: Tree, drawn: DrawnTrees, fine: Labels) -> Floats:
    """Mean confidence of an item at 2, 3, ..., B branches, shape (B - 1,).

    The mean of what :func:`disnplbm.posterior.trees.certainty.certainty_of_level` says of all items: the probability
    that two random members of a cluster of the level are together in a draw that is cut there too.

    Parameters
    ----------
    fine : ndarray of int32, shape (n,)
        Cluster of each item.
    """
    of_tree = Coarsening.of(tree)
    total = np.zeros(of_tree.most - 1)
    for own, labels in zip(drawn.trees, drawn.labels, strict=True):
        tables = _down(fine, labels, of_tree, Coarsening.of(own), of_tree.most)
        total += [_together(table) for table in tables]
    return np.asarray(total[::-1] / (drawn.n_draws * len(fine)))


def _down(
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    down: Coarsening,
    across: Coarsening,
    most: int,
) -> Iterator[CrossTable]:
    """Two trees against each other at most, ..., 3, 2 branches; a tree that has fewer is cut into as many as it has."""
    table = CrossTable.of(rows, columns, down, across)
    table.merge_rows(down.merges_to(most))
    table.merge_columns(across.merges_to(most))
    for branches in range(most, 1, -1):
        yield table
        table.merge_rows(down.merges_from(branches))
        table.merge_columns(across.merges_from(branches))


def _together(table: CrossTable) -> float:
    """Over all items, the share of the others of its group that are with it; of one alone, whether it is alone."""
    several, single = np.flatnonzero(table.rows > 1), np.flatnonzero(table.rows == 1)
    pairs = (table.squares[several] - table.rows[several]) / (table.rows[several] - 1)
    return float(pairs.sum() + table.alone(single).sum())


def _sure(tree: Tree, drawn: DrawnTrees | None, fine: Labels) -> list[float] | None:
    return None if drawn is None else _rounded(confidences_of_levels(tree, drawn, fine))


def _rounded(values: Floats) -> list[float]:
    return [round(value, 4) for value in values.tolist()]
