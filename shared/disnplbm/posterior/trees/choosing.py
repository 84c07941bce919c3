"""Which level of a tree to show first: as many branches as a person can look at, and the data or the chains agree on.

An axis of up to :data:`MOST_FINE` clusters is shown as it is. Of a longer one,

- with several chains, each chain's last draw grows a tree, and all are cut alike. The finest level is taken at which
  the cuts agree, by the adjusted Rand index; where none do, the one that they agree on most;
- with one chain the losses tell. A level loses what the merge loses that ends it, of its closest two branches.
  Where a level loses much more than the next finer one, its branches are further apart than what they are made of. The
  largest such ratio favours two branches, so the finest level is taken whose ratio is nearly as large.

Neither rule is right everywhere (docs/adr/0029 has what was measured): the slider is there for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from disnplbm.cell_types import DENSE
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Axis, Draw, Draws, DrawsMeta
from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.trees.cutting import cut, cut_labels, losses_of_levels, most_branches
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.store import AXES, MOST_CLUSTERS, Trees, grow_axis

#: Clusters up to which an axis is shown as it is, and branches that a longer one is shown with at most.
MOST_FINE, MOST_BRANCHES = 24, 15

#: Share of the largest ratio that a finer level needs.
NEARLY = 0.8

#: Share of the largest loss that every loss has to come close to before it counts.
SLIGHT = 0.01

#: Adjusted Rand index from which cuts of several chains agree: of real numbers, and of other cells.
AGREEMENT_OF_REAL, AGREEMENT = 0.9, 0.8

Reason = Literal["fine", "losses", "agreement", "most stable"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The level of one axis to show first.

    Parameters
    ----------
    clusters : int
    fine : int
        Clusters of the run.
    reason : {"fine", "losses", "agreement", "most stable"}
    figure : float or None
        The ratio of the losses, or the agreement.
    levels : tuple of int
        The levels that were compared.
    figures : tuple of float
        The ratio, or the agreement, of each.
    """

    clusters: int
    fine: int
    reason: Reason
    figure: float | None = None
    levels: tuple[int, ...] = ()
    figures: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


class Levels(NamedTuple):
    """The level of each axis to show first."""

    rows: Suggestion
    columns: Suggestion

    @property
    def are_coarse(self) -> bool:
        """Whether any axis has clusters that are merged."""
        return self.rows.reason != "fine" or self.columns.reason != "fine"

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values of both axes, for JSON."""
        return {axis: suggestion.to_dict() for axis, suggestion in zip(AXES, self, strict=True)}

    def merge(self, trees: Trees) -> tuple[Labels, Labels] | None:
        """The branch of each fine cluster of the rows and of the columns; None where no axis is merged."""
        if not self.are_coarse:
            return None
        rows, columns = (
            cut_labels(getattr(trees, axis), None if found.reason == "fine" else found.clusters)
            for axis, found in zip(AXES, self, strict=True)
        )
        return rows, columns


def suggest_levels(trees: Trees, draws: Draws | None) -> Levels:
    """Suggest a level of the rows and one of the columns.

    Parameters
    ----------
    draws : Draws, optional
        All draws of a run, whose chains are compared if there are several.
    """
    positions = [] if draws is None else _last_of_chains(draws)
    are_long = max(len(trees.rows.sizes), len(trees.columns.sizes)) > MOST_FINE
    # Draws are read from a file: not where nothing asks for them.
    last = [draws[position] for position in positions] if draws is not None and are_long and len(positions) > 1 else []
    return Levels(*(_suggest(axis, getattr(trees, axis), last, trees.meta) for axis in AXES))


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


def agreements_of_levels(trees: Sequence[Tree], labels: Sequence[Labels], most: int) -> Floats:
    """Mean adjusted Rand index, over all pairs of chains, of their cuts into 2, 3, ..., most branches.

    Parameters
    ----------
    trees : sequence of Tree
        Of each chain.
    labels : sequence of ndarray of int32, shape (n,)
        Fine cluster of each item in each chain.

    Returns
    -------
    ndarray of shape (most - 1,)
        Members that a chain sets aside are a cluster of their own there.
    """
    result = np.empty(most - 1)
    for place, number in enumerate(range(2, most + 1)):
        cuts = [cut(tree, number).labels[own] for tree, own in zip(trees, labels, strict=True)]
        result[place] = np.mean([partition_scores(first, second)[0] for first, second in combinations(cuts, 2)])
    return result


def _last_of_chains(draws: Draws) -> list[int]:
    """Position of the last draw of each chain."""
    chain = draws.numbers().chain
    return [int(np.flatnonzero(chain == number)[-1]) for number in np.unique(chain)]


def _suggest(axis: Axis, tree: Tree, last: Sequence[Draw], meta: DrawsMeta) -> Suggestion:
    fine = len(tree.sizes)
    if fine <= MOST_FINE:
        return Suggestion(fine, fine, "fine")
    return (_by_agreement(axis, last, meta, fine) if last else None) or _by_losses(tree, fine)


def _by_losses(tree: Tree, fine: int) -> Suggestion:
    """The finest level whose ratio of losses is nearly the largest."""
    ratios = ratios_of_levels(losses_of_levels(tree))[: MOST_BRANCHES - 1]
    if not len(ratios):
        return Suggestion(1, fine, "losses")
    place = int(np.flatnonzero(ratios >= NEARLY * ratios.max())[-1])
    return _suggestion(place, fine, "losses", ratios)


def _by_agreement(axis: Axis, last: Sequence[Draw], meta: DrawsMeta, fine: int) -> Suggestion | None:
    """The finest level on which the chains agree, or the one on which they agree most; None where none can be cut."""
    labels = [draw.row_labels if axis == "rows" else draw.column_labels for draw in last]
    if max(int(own.max()) for own in labels) >= MOST_CLUSTERS:
        return None
    trees = [
        grow_axis(axis, draw.blocks, np.bincount(own), draw.alpha if axis == "rows" else draw.beta, meta)
        for draw, own in zip(last, labels, strict=True)
    ]
    most = min(MOST_BRANCHES, *(most_branches(tree) for tree in trees))
    if most < 2:
        return None
    agreements = agreements_of_levels(trees, labels, most)
    enough = np.flatnonzero(agreements >= (AGREEMENT_OF_REAL if meta.cells == DENSE else AGREEMENT))
    if len(enough):
        return _suggestion(int(enough[-1]), fine, "agreement", agreements)
    return _suggestion(int(agreements.argmax()), fine, "most stable", agreements)


def _suggestion(place: int, fine: int, reason: Reason, figures: Floats) -> Suggestion:
    levels = tuple(range(2, len(figures) + 2))
    rounded = tuple(round(figure, 4) for figure in figures.tolist())
    return Suggestion(levels[place], fine, reason, rounded[place], levels, rounded)
