"""The check of a result's blocks, on the shards of its data: do cells vary as their family says?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE
from disnplbm.dealing import items_of
from disnplbm.engine.problem import Problem
from disnplbm.engine.problem_part import ProblemPart
from disnplbm.families.base import BlockFit, FitCheck
from disnplbm.families.gaussian.cells import AllCells
from disnplbm.families.gaussian.sparse_cells import SparseCells
from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import split_labels
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
        self._by_rows, self._n_items = problem.axis == "rows", problem.n_items
        items, others = problem.oriented(result.row_labels, result.column_labels)
        of_parts = zip(
            problem.parts, problem.turned(result.parts), split_labels(others, problem.n_columns), strict=True
        )
        self._checks = [_check_of(part, blocks, items, labels) for part, blocks, labels in of_parts]

    def add(self, shard: Shard) -> None:
        """Look at a shard."""
        for check, part in zip(self._checks, shard.parts, strict=True):
            if check is not None:
                check.add(part.cells, items_of(shard.index, self._n_items, shard.n_shards))

    def finish(self) -> tuple[BlockFit | None, ...]:
        """What was found of each part, in the user's orientation; None for cells that have no check."""
        found = [None if check is None else check.finish() for check in self._checks]
        return tuple(fit if fit is None or self._by_rows else fit.T for fit in found)


def _check_of(part: ProblemPart, blocks: Any, items: Labels, others: Labels) -> FitCheck | None:
    """The check of a part; blocks and labels as the shards have them."""
    if part.cells == DENSE:
        return _NormalityCheck(part.frame.enter(blocks.mean), items, others)
    return part.family.fit_check(blocks, items, others)


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
