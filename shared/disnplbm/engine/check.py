"""The check of a result's blocks, on the shards of its data: do cells vary as their family says?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE
from disnplbm.dealing import items_of
from disnplbm.engine.problem import Problem
from disnplbm.families.base import BlockFit, FitCheck
from disnplbm.families.gaussian.cells import AllCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.normality import MomentSums, Normality, rows_of_stretch
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
        blocks, labels = result.blocks, (result.row_labels, result.column_labels)
        self._by_rows, self._n_items = problem.axis == "rows", problem.n_items
        if not self._by_rows:
            blocks, labels = blocks.T, labels[::-1]
        self._check: FitCheck | None
        part = problem.only_part
        if part.cells == DENSE:
            self._check = _NormalityCheck(part.frame.enter(blocks.mean), *labels)
        else:
            self._check = part.family.fit_check(blocks, *labels)

    def add(self, shard: Shard) -> None:
        """Look at a shard."""
        if self._check is not None:
            self._check.add(shard.only_part.cells, items_of(shard.index, self._n_items, shard.n_shards))

    def finish(self) -> BlockFit | None:
        """What was found, in the user's orientation; None for cells that have no check."""
        found = None if self._check is None else self._check.finish()
        return found if found is None or self._by_rows else found.T


class _NormalityCheck:
    """The check of real numbers."""

    def __init__(self, centre: Floats, item_labels: Labels, other_labels: Labels) -> None:
        self._sums = MomentSums(item_labels, other_labels, centre)

    def add(self, cells: Any, items: NDArray[np.int64]) -> None:
        if isinstance(cells, SparseCells):
            self._sums.add_stored(cells.stored, items)
            return
        dense: AllCells = cells
        for start, values in dense.stretches(rows_of_stretch(dense.n_columns)):
            self._sums.add(values, items[start : start + len(values)], complete=dense.complete)

    def finish(self) -> Normality:
        return self._sums.normality()
