"""What a chain is made of between two iterations, whatever its sampler."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.part import Part

#: What a sampler's shards and its master tell each other beyond what all samplers do: arrays, numbers, and such tuples
#: again, often named ones. It travels and is kept as it is; only its sampler reads it, and gets plain tuples.
Record = tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Broadcast:
    """What every shard gets to know before an iteration: a few kilobytes.

    Parameters
    ----------
    iteration : int
        The iteration it is for.
    sizes : ndarray of int64, shape (K,)
        Rows of each global cluster.
    parts : tuple of Part
        Of the table.
    alpha : float
        Concentration of the rows.
    record : Record
        What else the sampler's shards need.
    """

    iteration: int
    sizes: NDArray[np.int64]
    parts: tuple[Part, ...]
    alpha: float
    record: Record

    @property
    def families(self) -> tuple[Family, ...]:
        """Of the parts."""
        return tuple(part.family for part in self.parts)

    @property
    def prefers_draws(self) -> bool:
        """Whether the rows are to be drawn given parameters wherever that can be, since a part's family prefers it."""
        return any(part.family.prefers_draws for part in self.parts)

    @property
    def blocks(self) -> ClusterBlocks:
        """Statistics of every block of every part."""
        return ClusterBlocks(self.families, [part.blocks for part in self.parts])

    def blocks_of(self, cells: Iterable[Statistics]) -> ClusterBlocks:
        """Blocks of other clusters of rows, of their cells in the columns of each part."""
        blocks = [
            part.family.aggregate(of_part, part.column_labels, part.n_column_clusters, axis=1)
            for part, of_part in zip(self.parts, cells, strict=True)
        ]
        return ClusterBlocks(self.families, blocks)


@dataclass(frozen=True, slots=True, eq=False)
class ChainState:
    """A chain between two iterations; with the shards' labels it is all there is to keep.

    Parameters
    ----------
    broadcast : Broadcast
        For the next iteration.
    to_global : tuple of ndarray of int32
        For each shard, the global cluster of each of its own.
    log_joint : float
        log p(X, z, w, and the concentrations if they are learned) in the working frame.
    """

    broadcast: Broadcast
    to_global: tuple[Labels, ...]
    log_joint: float

    @property
    def n_row_clusters(self) -> int:
        """K."""
        return len(self.broadcast.sizes)
