"""The check of a result's blocks for normality, on the shards of its data."""

from __future__ import annotations

from typing import cast

from disnplbm.dealing import items_of
from disnplbm.engine.problem import Problem
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.posterior.normality import MomentSums, Normality
from disnplbm.posterior.result import Result
from disnplbm.sampler.shard import Shard


class BlockCheck:
    """Looks at each shard once.

    Parameters
    ----------
    result : Result
        The partitions whose blocks are checked.
    """

    def __init__(self, problem: Problem, result: Result) -> None:
        centre, labels = problem.frame.enter(result.blocks.mean), (result.row_labels, result.column_labels)
        self._by_rows, self._n_items = problem.axis == "rows", problem.n_items
        if not self._by_rows:
            centre, labels = centre.swapaxes(0, 1), labels[::-1]
        self._sums = MomentSums(*labels, centre)

    def add(self, shard: Shard) -> None:
        """Look at a shard."""
        items = items_of(shard.index, self._n_items, shard.n_shards)
        if isinstance(shard.cells, SparseCells):
            self._sums.add_stored(shard.cells.stored, items)
            return
        cells = cast(DenseCells, shard.cells)
        self._sums.add(cells.values, items, complete=cells.complete)

    def finish(self) -> Normality:
        """What was found, in the user's orientation."""
        found = self._sums.normality()
        return found if self._by_rows else found.T
