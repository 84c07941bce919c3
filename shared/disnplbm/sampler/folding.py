"""The cells of one part while shards are folded into global row clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.growing import GrowingStatistics
from disnplbm.sampler.joined import JoinedPart


class FoldingPart:
    """A part's cells in the global clusters there are so far.

    Parameters
    ----------
    family : Family
        Its prior weighs clusters.
    groups : ndarray of int32, shape (p,) or (L,)
        Column cluster of each column of the shards' statistics.
    n_ids : int
        Global clusters there are at first.

    Attributes
    ----------
    cells : GrowingStatistics of shape (K, p) or (K, L)
    """

    def __init__(self, family: Family, groups: Labels, n_ids: int) -> None:
        self.family = family
        self._groups, self._n_groups = groups, int(groups.max()) + 1
        self.cells = GrowingStatistics(family.empty((0, len(groups))), n_ids)
        self._averages = GrowingStatistics(family.empty((0,)))

    def extend(self, number: int) -> None:
        """Open global clusters."""
        self.cells.extend(number)

    def merge(self, cells: Statistics, targets: Labels) -> None:
        """Merge clusters of a shard into open global ones, no two of them into the same."""
        self.cells.merge(cells, targets, self.family)

    def blocks_of(self, cells: Statistics) -> Statistics:
        """Statistics of every block, shape (h, L), of clusters."""
        blocks: Statistics = self.family.aggregate(cells, self._groups, self._n_groups, axis=1)
        return blocks

    def finish(self) -> JoinedPart:
        """The clusters, of which this lets go."""
        cells = self.cells.sets
        self.cells = GrowingStatistics(self.family.empty((0, len(self._groups))))
        return JoinedPart(self.family, self._groups, cells)

    # The averaged join sees a cluster through its mean and scatter averaged over all columns.

    def averages_of(self, cells: Statistics, sizes: NDArray[np.int64]) -> Statistics:
        """Each cluster of a shard as the averaged join sees it, shape (h,)."""
        averages: Statistics = self.family.average_columns(cells, sizes)
        return averages

    def weigh_average(self, log_weights: Floats, average: Statistics) -> Floats:
        """Add to the log weight of each global cluster, shape (K,), what a cluster's average adds to its marginal."""
        averages, log_marginals = self._averages.sets, self.family.log_marginals
        weighed: Floats = log_weights + log_marginals(self.family.merge(averages, average)) - log_marginals(averages)
        return weighed

    def open_average(self) -> None:
        """Open one more global average."""
        self._averages.extend(1)

    def merge_average(self, average: Statistics, target: int) -> None:
        """Merge a cluster's average into a global one."""
        self._averages.sets[target] = self.family.merge(self._averages.sets[target], average)


class DrawnPart:
    """A part's blocks while new clusters of the shards are drawn among the global ones, one after another."""

    def __init__(self, part: FoldingPart) -> None:
        self._part, self._family = part, part.family
        self._blocks = GrowingStatistics(part.blocks_of(part.cells.sets))
        self._marginals = self._family.log_marginals(self._blocks.sets)

    def blocks_of(self, cells: Statistics) -> Statistics:
        """Statistics of every block, shape (h, L), of clusters."""
        return self._part.blocks_of(cells)

    def gains(self, new: Statistics) -> tuple[Floats, float]:
        """What a cluster's blocks, shape (1, L), add to the log marginal of each global one, (K,), and of a new one."""
        joined = self._family.log_marginals(self._family.merge(self._blocks.sets, new))
        gain: Floats = (joined - self._marginals[: len(joined)]).sum(axis=1)
        return gain, float(self._family.log_marginals(new).sum())

    def open(self) -> None:
        """Open one more global cluster."""
        self._blocks.extend(1)
        target = self._blocks.sets.shape[0] - 1
        if target == len(self._marginals):
            more = np.zeros((target + 1, self._marginals.shape[1]))
            self._marginals = np.concatenate([self._marginals, more])

    def merge(self, new: Statistics, target: int) -> None:
        """Merge a cluster's blocks into a global one."""
        blocks = self._blocks.sets
        self._family.aggregate(new, np.array([target], dtype=np.int32), blocks.shape[0], axis=0, into=blocks)
        self._marginals[target] = self._family.log_marginals(blocks[target])
