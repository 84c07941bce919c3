"""The trees of a run: of its clusters, by what its draws say of them where it kept some."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.statistics import Labels
from disnplbm.parts import only_part, slices_of
from disnplbm.posterior.draws import Axis, Draws, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.trees.drawn import DrawnTrees, grow_drawn
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.losses import MOST_CLUSTERS, TreeLoss, grow_columns, grow_rows

AXES: tuple[Axis, Axis] = ("rows", "columns")


@dataclass(frozen=True, slots=True, eq=False)
class Trees:
    """The trees of a run's clusters, and the blocks of the fine ones.

    Parameters
    ----------
    parts : tuple of Statistics of shape (K, L)
        Blocks of each part, in the units of the table.
    meta : DrawsMeta
        Of the run.
    loss : {"shared", "model"}
        That clusters merge by.
    """

    rows: Tree
    columns: Tree
    parts: tuple[Any, ...]
    meta: DrawsMeta
    loss: TreeLoss = "shared"

    @property
    def blocks(self) -> Any:
        """Blocks of a table of one part."""
        return only_part(self.parts)

    @property
    def whole_cells(self) -> NDArray[np.int64]:
        """Cells of each block if none is missing, shape (K, L)."""
        return np.outer(self.rows.sizes, self.columns.sizes)

    def of_part(self, number: int) -> Trees:
        """The same with the columns of one part alone."""
        meta = replace(self.meta, parts=(self.meta.parts[number],), column_names=None)
        return Trees(self.rows, self.columns.of_part(number), (self.parts[number],), meta, self.loss)

    def merge_blocks(self, rows: Labels, columns: Labels) -> tuple[Any, ...]:
        """Statistics of the blocks of a level, by part, without what is set aside there.

        Parameters
        ----------
        rows, columns : ndarray of int32, shapes (K,) and (L,)
            Branch of each fine cluster; negative for what is set aside.
        """
        there, found = rows >= 0, list[Any]()
        places = slices_of([blocks.shape[1] for blocks in self.parts])
        for family, fine, here in zip(self.meta.families, self.parts, places, strict=True):
            across = columns[here] >= 0
            of_part = columns[here][across] - columns[here][across].min()
            blocks = family.aggregate(fine[there], rows[there], int(rows.max()) + 1, axis=0)
            found.append(family.aggregate(blocks[:, across], of_part, int(of_part.max()) + 1, axis=1))
        return tuple(found)


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
    alpha, sizes = result.trace.alpha[-1], [np.bincount(labels) for labels in (result.row_labels, result.column_labels)]
    parts = [family.enter(blocks) for family, blocks in zip(meta.families, result.parts, strict=True)]
    of_rows = None if drawn.rows is None else drawn.rows.together(result.row_labels)
    of_columns = None if drawn.columns is None else drawn.columns.together(result.column_labels)
    rows = grow_rows(parts, sizes[0], alpha, meta, loss, of_rows)
    columns = grow_columns(parts, sizes[1], result.betas, meta, loss, of_columns)
    return Trees(rows, columns, result.parts, meta, loss)
