"""The trees of a run: of its clusters, by what its draws say of them where it kept some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Labels
from disnplbm.posterior.draws import Axis, Draws, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.trees.drawn import DrawnTrees, grow_drawn
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.losses import MOST_CLUSTERS, TreeLoss, grow_axis

AXES: tuple[Axis, Axis] = ("rows", "columns")


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The trees of a run's clusters, and the blocks of the fine ones.

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
        In the units of the table.
    meta : DrawsMeta
        Of the run.
    loss : {"shared", "model"}
        That clusters merge by.
    """

    rows: Tree
    columns: Tree
    blocks: Any
    meta: DrawsMeta
    loss: TreeLoss = "shared"

    @property
    def whole_cells(self) -> NDArray[np.int64]:
        """Cells of each block if none is missing, shape (K, L)."""
        return np.outer(self.rows.sizes, self.columns.sizes)

    def merge_blocks(self, rows: Labels, columns: Labels) -> Any:
        """Statistics of the blocks of a level, without what is set aside there.

        Parameters
        ----------
        rows, columns : ndarray of int32, shapes (K,) and (L,)
            Branch of each fine cluster; negative for what is set aside.
        """
        family, there, across = self.meta.family, rows >= 0, columns >= 0
        blocks = family.aggregate(self.blocks[there], rows[there], int(rows.max()) + 1, axis=0)
        return family.aggregate(blocks[:, across], columns[across], int(columns.max()) + 1, axis=1)


class Drawn(NamedTuple):
    """The trees of draws, of each axis; None where there is nothing to compare."""

    rows: DrawnTrees | None
    columns: DrawnTrees | None


def grow_all_drawn(draws: Draws | None, loss: TreeLoss) -> Drawn:
    """Grow the trees of both axes in some of the draws of a run."""
    if draws is None:
        return Drawn(None, None)
    return Drawn(grow_drawn("rows", draws, loss), grow_drawn("columns", draws, loss))


def grow_trees(result: Result, meta: DrawsMeta, drawn: Drawn, loss: TreeLoss) -> Trees | None:
    """Grow the trees of a result; None where there are more than :data:`MOST_CLUSTERS` clusters.

    Parameters
    ----------
    drawn : Drawn
        Of its draws: where there are some, the trees are their consensus.
    """
    if max(result.n_row_clusters, result.n_column_clusters) > MOST_CLUSTERS:
        return None
    last, blocks = result.trace.last, meta.family.enter(result.blocks)

    def grow(axis: Axis, labels: Labels, concentration: float, of_draws: DrawnTrees | None) -> Tree:
        together = None if of_draws is None else of_draws.together(labels)
        return grow_axis(axis, blocks, np.bincount(labels), concentration, meta, loss, together)

    rows = grow("rows", result.row_labels, last.alpha, drawn.rows)
    columns = grow("columns", result.column_labels, last.beta, drawn.columns)
    return Trees(rows, columns, result.blocks, meta, loss)
