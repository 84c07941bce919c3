"""Global row clusters: what a join of all shards makes, and a sampler decides on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.model.partition import canonical_order
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.state import Record


@dataclass(frozen=True, slots=True, eq=False)
class JoinedPart:
    """A part's cells in every global row cluster.

    Parameters
    ----------
    family : Family
    groups : ndarray of int32
        Column cluster of each column of ``cells``.
    cells : Statistics of shape (K, p), or (K, L)
        Of single columns, or of column clusters where the shards sent these.
    """

    family: Family
    groups: Labels
    cells: Statistics

    def blocks(self) -> Statistics:
        """Statistics of every block, shape (K, L)."""
        blocks: Statistics = self.family.aggregate(self.cells, self.groups, int(self.groups.max()) + 1, axis=1)
        return blocks


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Global row clusters; one without members may be among them.

    Parameters
    ----------
    sizes, first_row : ndarray of int64, shape (K,)
        Members, and the smallest row index among them.
    parts : tuple of JoinedPart
        Of the table.
    overlap : ndarray of shape (K,)
        See :mod:`disnplbm.sampler.collapsed.merges`.
    to_global : tuple of ndarray of int32
        For each shard, the global cluster of each of its own.
    records : tuple of Record
        For each shard, what it sent besides its statistics, in its own numbering.
    """

    sizes: NDArray[np.int64]
    first_row: NDArray[np.int64]
    parts: tuple[JoinedPart, ...]
    overlap: Floats
    to_global: tuple[Labels, ...]
    records: tuple[Record, ...]

    def blocks(self) -> ClusterBlocks:
        """Statistics of every block of every part."""
        return ClusterBlocks([part.family for part in self.parts], [part.blocks() for part in self.parts])

    def relabelled(self) -> Joined:
        """The clusters in canonical order, without empty ones."""
        new_ids = canonical_order(self.sizes, self.first_row)
        kept = np.flatnonzero(new_ids >= 0)
        order = kept[np.argsort(new_ids[kept])]
        stays = np.array_equal(order, np.arange(len(new_ids)))
        return replace(
            self,
            sizes=self.sizes[order],
            first_row=self.first_row[order],
            parts=self.parts if stays else tuple(replace(part, cells=part.cells[order]) for part in self.parts),
            overlap=self.overlap[order],
            to_global=tuple(new_ids[targets] for targets in self.to_global),
        )

    def merged(self, into: Labels) -> Joined:
        """The clusters with each of them gone where ``into``, shape (K,), says; some are left without members."""
        number = len(into)
        first_row = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(first_row, into, self.first_row)
        return replace(
            self,
            sizes=np.bincount(into, weights=self.sizes, minlength=number).astype(np.int64),
            first_row=first_row,
            parts=tuple(
                replace(part, cells=part.family.aggregate(part.cells, into, number, axis=0)) for part in self.parts
            ),
            to_global=tuple(into[targets] for targets in self.to_global),
        )
