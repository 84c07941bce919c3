"""What a shard's statistics may hold. Those from the network are checked against it before anything trusts them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.kernels.gaussian import features_of
from disnplbm.model.statistics import Floats
from disnplbm.sampler.measure import STICKS
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.schedule import Step, step_of
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.splits import NOTHING
from disnplbm.sampler.state import Broadcast

#: Sticks to break for each unit of the concentration, until at most 1e-80 of the weight is left.
_STICKS_EACH = 200


@dataclass(frozen=True, slots=True)
class Expected:
    """Bounds of the statistics of an iteration's shards.

    Parameters
    ----------
    n_rows : int
        Rows of the whole data.
    n_shards : int
    n_names : int
        Names of global clusters that there may be.
    n_columns : int
        Columns of the whole data.
    shape : tuple of int
        Of the scatters of a cluster: of each column, or column cluster.
    """

    n_rows: int
    n_shards: int
    n_names: int
    n_columns: int
    shape: tuple[int, ...]

    def check(self, statistics: ShardStatistics, shard: int) -> None:
        """Raise a RunError that says what is wrong if no worker of this version sends such statistics for a shard."""
        for wrong, what in self._faults(statistics, shard):
            if wrong:
                raise RunError(f"{what} of shard {statistics.shard} cannot be")

    def _faults(self, found: ShardStatistics, shard: int) -> list[tuple[bool, str]]:
        if found.shard != shard or found.cells.scatter.shape[1:] != self.shape:
            return [(True, f"statistics in the place of shard {shard}'s and of the shape {found.cells.scatter.shape}")]
        rows = len(range(shard, self.n_rows, self.n_shards))
        names, sizes, first, count = found.names, found.sizes, found.first, found.cells.count
        known = names[names >= 0]
        return [
            (_outside(names, -1, self.n_names), "clusters"),
            (len(np.unique(known)) != len(known), "clusters that come twice"),
            # Each by itself first: their sum may wrap around.
            (_outside(sizes, 1, rows + 1) or int(sizes.sum()) != rows, "sizes of clusters"),
            (_outside(first, 0, self.n_rows) or bool((first % self.n_shards != shard).any()), "first rows of clusters"),
            (not all(map(_finite, (count, found.cells.mean, found.cells.scatter))), "cells"),
            (bool((count < 0).any() or (count > sizes[:, None] * self.n_columns).any()), "numbers of cells"),
            (bool(np.isnan(found.overlap).any()), "overlaps"),
            (not self._fits(found, rows), "splits and merges"),
        ]

    def _fits(self, found: ShardStatistics, n_rows: int) -> bool:
        """Whether splits and merges are of the shard's own clusters and rows."""
        tries, n_clusters = found.tries, len(found.names)
        a, b, of, anchors, _, contrasts = tries
        number, width = len(a), features_of(found.cells) + 1
        parts = [(part.dtype.str, part.shape) for part in (*tries[:5], contrasts)]
        one = ("<i4", (number,))
        rules = (number, width) if number else (0, 0)
        if parts != [one, one, one, ("<i8", (number, 2)), ("|b1", (number,)), ("<f8", rules)]:
            return False
        return not (
            _outside(a, 0, n_clusters)
            or _outside(b, NOTHING, n_clusters)
            or bool((of != found.shard).any())
            or _outside(anchors, 0, n_rows)
            or bool(np.isnan(contrasts).any())
        )


def names_of(broadcast: Broadcast, parameters: Parameters) -> int:
    """Names of global clusters that shards may use in an iteration."""
    named = len(broadcast.sizes) + 2 * len(broadcast.tries.a)
    if step_of(parameters, broadcast.iteration) is not Step.DRAW:
        return named
    measured = len(broadcast.measure.weights)
    if parameters.row_limit is not None:
        return max(named, measured)
    return measured + STICKS * math.ceil(_STICKS_EACH * max(broadcast.alpha, 1.0) / STICKS)


def _finite(part: Floats) -> bool:
    return bool(np.isfinite(part).all())


def _outside(part: NDArray[np.integer], least: int, beyond: int) -> bool:
    """Whether a number lies below the least one, or is not below the one beyond."""
    return bool(((part < least) | (part >= beyond)).any())
