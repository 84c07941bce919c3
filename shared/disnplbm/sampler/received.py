"""What a shard's statistics may hold. Those from the network are checked against it before anything trusts them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.dealing import count_of, shard_of
from disnplbm.errors import RunError
from disnplbm.families.base import Family
from disnplbm.model.statistics import Floats
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.shard import ShardStatistics


@dataclass(frozen=True, slots=True)
class Expected:
    """Bounds of the statistics of an iteration's shards.

    Parameters
    ----------
    n_rows : int
        Rows of the whole data.
    n_ids : int
        Ids of global clusters that there may be.
    n_columns : sequence of int
        Columns of each part.
    shapes : tuple of tuple of int
        Of :attr:`disnplbm.sampler.shard.ShardStatistics.shapes`.
    """

    sampler: Sampler
    families: Sequence[Family]
    n_rows: int
    n_shards: int
    n_ids: int
    n_columns: Sequence[int]
    shapes: tuple[tuple[int, ...], ...]

    def check(self, statistics: ShardStatistics, shard: int) -> None:
        """Raise a RunError that says what is wrong if no worker of this version sends such statistics for a shard."""
        for wrong, what in self._faults(statistics, shard):
            if wrong:
                raise RunError(f"{what} of shard {statistics.shard} cannot be")

    def _faults(self, found: ShardStatistics, shard: int) -> list[tuple[bool, str]]:
        if found.shard != shard or found.shapes != self.shapes:
            return [(True, f"statistics in the place of shard {shard}'s and of the shapes {found.shapes}")]
        rows = count_of(shard, self.n_rows, self.n_shards)
        global_ids, sizes, first_row = found.global_ids, found.sizes, found.first_row
        known, astray = global_ids[global_ids >= 0], shard_of(first_row, self.n_shards) != shard
        return [
            (outside(global_ids, -1, self.n_ids), "clusters"),
            (len(np.unique(known)) != len(known), "clusters that come twice"),
            # Each by itself first: their sum may wrap around.
            (outside(sizes, 1, rows + 1) or int(sizes.sum()) != rows, "sizes of clusters"),
            (outside(first_row, 0, self.n_rows) or bool(astray.any()), "first rows of clusters"),
            (not all(_finite(array) for cells in found.parts for array in cells.arrays), "cells"),
            (not self._counts_may_be(found), "numbers of cells"),
            (bool(np.isnan(found.overlap).any()), "overlaps"),
            (not self.sampler.may_send(found, rows, self.families), "the record"),
        ]

    def _counts_may_be(self, found: ShardStatistics) -> bool:
        parts = zip(self.families, found.parts, self.n_columns, strict=True)
        return all(family.may_be(cells, found.sizes * n_columns) for family, cells, n_columns in parts)


def _finite(part: Floats) -> bool:
    return bool(np.isfinite(part).all())


def outside(part: NDArray[np.integer], least: int, beyond: int) -> bool:
    """Whether a number lies below the least one, or is not below the one beyond."""
    return bool(((part < least) | (part >= beyond)).any())
