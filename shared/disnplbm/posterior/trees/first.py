"""The level that a run shows first: which clusters of the run it merges, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from disnplbm.model.statistics import Labels
from disnplbm.posterior.result import Result
from disnplbm.posterior.trees.certainty import Certainty, certainty_of_level
from disnplbm.posterior.trees.choosing import Levels, Suggestion, suggest_levels
from disnplbm.posterior.trees.curves import Curves, curves_of
from disnplbm.posterior.trees.cutting import cut_labels
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import AXES, Drawn, Trees


@dataclass(frozen=True, slots=True, eq=False)
class FirstOfAxis:
    """The level of one axis.

    Parameters
    ----------
    branches : ndarray of int32, shape (K,)
        Branch of each fine cluster; -1 for what is set aside.
    certainty : Certainty or None
        None where nothing is merged, and where there are no draws to cut.
    """

    suggestion: Suggestion
    branches: Labels
    certainty: Certainty | None


class FirstLevel(NamedTuple):
    """The level of each axis."""

    rows: FirstOfAxis
    columns: FirstOfAxis

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values of both axes, for JSON."""
        return {
            axis: found.suggestion.to_dict()
            | ({} if found.certainty is None else {"certainty": found.certainty.to_dict()})
            for axis, found in zip(AXES, self, strict=True)
        }


class LevelCurves(NamedTuple):
    """Which level each axis shows first, beside what there is to know of all levels."""

    first: Levels
    rows: Curves
    columns: Curves

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Plain values of both axes, for JSON."""
        return {
            axis: {
                "clusters": shown.clusters,
                "fine": shown.fine,
                "reason": shown.reason,
                "figure": shown.figure,
                **curves.to_dict(),
            }
            for axis, shown, curves in zip(AXES, self.first, (self.rows, self.columns), strict=True)
        }


def choose_first(trees: Trees, drawn: Drawn, result: Result, asked: str) -> LevelCurves:
    """Choose the level to show first, and say what there is to know of all levels.

    Parameters
    ----------
    drawn : Drawn
        Trees of the draws.
    asked : str
        As :func:`disnplbm.posterior.trees.choosing.suggest_levels` takes it.
    """
    return LevelCurves(
        suggest_levels(trees, drawn, asked),
        curves_of(trees.rows, drawn.rows, result.row_labels),
        curves_of(trees.columns, drawn.columns, result.column_labels),
    )


def first_level(levels: Levels, trees: Trees, drawn: Drawn, result: Result) -> FirstLevel | None:
    """Merge the clusters to the level that is shown first; None where that merges none.

    Parameters
    ----------
    drawn : Drawn
        Trees of the draws.
    """
    if not levels.are_coarse:
        return None
    return FirstLevel(
        _of_axis(levels.rows, trees.rows, drawn.rows, result.row_labels),
        _of_axis(levels.columns, trees.columns, drawn.columns, result.column_labels),
    )


def _of_axis(suggestion: Suggestion, tree: Tree, drawn: DrawnTrees | None, fine: Labels) -> FirstOfAxis:
    is_fine = suggestion.reason == "fine"
    branches = cut_labels(tree, None if is_fine else suggestion.clusters)
    sure = None if drawn is None or is_fine else certainty_of_level(drawn, branches[fine], fine)
    return FirstOfAxis(suggestion, branches, sure)
