"""Which level of a tree to show first: as many branches as a person can look at, and the data or the chains agree on.

An axis of up to :data:`MOST_FINE` clusters is shown as it is. Of a longer one,

- with several chains, the tree of each chain's last draw is cut at every level. The finest level is taken at which
  the cuts agree, by the adjusted Rand index; where none do, the one that they agree on most;
- with one chain the losses of its last state tell. A level loses what the merge loses that ends it, of its closest two
  branches. Where a level loses much more than the next finer one, its branches are further apart than what they are
  made of. The largest such ratio favours two branches, so the finest level is taken whose ratio is nearly as large.

Neither rule is right everywhere (docs/adr/0029 has what was measured): the slider is there for the rest.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from disnplbm.cell_types import DENSE
from disnplbm.model.statistics import Floats
from disnplbm.posterior.trees.curves import agreements_of_levels, deciding_tree, most_of_chains, ratios_of_levels
from disnplbm.posterior.trees.cutting import losses_of_levels, most_branches
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import Drawn, Trees

#: Clusters up to which an axis is shown as it is, and branches that a longer one is shown with at most.
MOST_FINE, MOST_BRANCHES = 24, 15

#: Share of the largest ratio that a finer level needs.
NEARLY = 0.8

#: Adjusted Rand index from which cuts of several chains agree: of real numbers, and of other cells.
AGREEMENT_OF_REAL, AGREEMENT = 0.9, 0.8

Reason = Literal["fine", "losses", "agreement", "most stable", "asked", "most"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """The level of one axis to show first.

    Parameters
    ----------
    clusters : int
    fine : int
        Clusters of the run.
    reason : {"fine", "losses", "agreement", "most stable", "asked", "most"}
        "most": as many as there are branches of enough members, where more were asked for.
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


def suggest_levels(trees: Trees, drawn: Drawn, asked: str = "auto") -> Levels:
    """Choose a level of the rows and one of the columns.

    Parameters
    ----------
    drawn : Drawn
        Trees of the draws, whose chains are compared if there are several.
    asked : str
        As the option "clusters" says it: "auto", "fine", "5" or "5x4". A number alone is of the rows.
    """
    rows, _, columns = asked.partition("x")
    columns = columns or ("fine" if rows == "fine" else "auto")
    has_real = any(part.cells == DENSE for part in trees.meta.parts)
    enough = AGREEMENT_OF_REAL if has_real else AGREEMENT
    return Levels(
        _choose(trees.rows, drawn.rows, enough, rows),
        _choose(trees.columns, drawn.columns, enough, columns),
    )


def _choose(tree: Tree, drawn: DrawnTrees | None, enough: float, asked: str) -> Suggestion:
    fine = len(tree.sizes)
    if asked == "auto":
        return _suggest(tree, drawn, enough)
    if asked == "fine" or int(asked) >= fine:
        return Suggestion(fine, fine, "fine")
    most, number = most_branches(tree), max(int(asked), tree.n_parts)
    return Suggestion(number, fine, "asked") if number <= most else Suggestion(most, fine, "most")


def _suggest(tree: Tree, drawn: DrawnTrees | None, enough: float) -> Suggestion:
    fine = len(tree.sizes)
    if fine <= MOST_FINE:
        return Suggestion(fine, fine, "fine")
    if drawn is not None and drawn.n_chains > 1:
        return _by_agreement(drawn, most_branches(tree), enough, fine)
    return _by_losses(deciding_tree(tree, drawn), most_branches(tree), fine)


def _by_losses(tree: Tree, most: int, fine: int) -> Suggestion:
    """The finest level, of at most so many branches, whose ratio of losses is nearly the largest."""
    ratios = ratios_of_levels(losses_of_levels(tree))[: min(most, MOST_BRANCHES) - tree.n_parts]
    if not len(ratios):
        return Suggestion(tree.n_parts, fine, "losses")
    place = int(np.flatnonzero(ratios >= NEARLY * ratios.max())[-1])
    return _suggestion(place, fine, "losses", ratios, tree.n_parts)


def _by_agreement(drawn: DrawnTrees, most: int, enough: float, fine: int) -> Suggestion:
    """The finest level, of at most so many branches, on which the chains agree; else the one they agree on most."""
    most, coarsest = min(most, MOST_BRANCHES, most_of_chains(drawn)), drawn.trees[0].n_parts
    if most <= coarsest:
        return Suggestion(coarsest, fine, "losses")
    agreements = agreements_of_levels(drawn, most)
    agreed = np.flatnonzero(agreements >= enough)
    if len(agreed):
        return _suggestion(int(agreed[-1]), fine, "agreement", agreements, coarsest)
    return _suggestion(int(agreements.argmax()), fine, "most stable", agreements, coarsest)


def _suggestion(place: int, fine: int, reason: Reason, figures: Floats, coarsest: int) -> Suggestion:
    levels = tuple(range(coarsest + 1, coarsest + 1 + len(figures)))
    rounded = tuple(round(figure, 4) for figure in figures.tolist())
    return Suggestion(levels[place], fine, reason, rounded[place], levels, rounded)
