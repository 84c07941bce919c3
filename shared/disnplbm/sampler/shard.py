"""A shard's data, and the statistics it sends after a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.dealing import item_at
from disnplbm.families.base import Cells, Family, Statistics
from disnplbm.kernels.partition import compact, match_clusters
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.part import Part
from disnplbm.sampler.state import Record


class Labelled(NamedTuple):
    """What an iteration's step makes of a shard's rows."""

    labels: Labels  # (n,) cluster of each row
    global_ids: Labels  # global id of each cluster that ``labels`` may hold; -1 for a new one
    overlap: Floats | None = None  # each such cluster's overlap with its partner; None is 0 for all


class ShardPart:
    """The cells of a part in a shard, and what is kept of them between sweeps.

    Parameters
    ----------
    cells : Cells
        Of the shard's n rows and the part's p columns.
    stretches : sequence of slice
        The rows, of which one stretch is looked at a time.
    cache_bytes : int
        Statistics of rows, and of clusters, are kept if they take no more; the result does not depend on it.
    """

    def __init__(self, cells: Cells, stretches: Sequence[slice], cache_bytes: int) -> None:
        self.cells = cells
        self._stretches = stretches
        self._cache_bytes = cache_bytes
        self._cached: tuple[Family, Labels, list[Any]] | None = None
        self._rows_bytes = 0
        self._summary: tuple[Labels, Statistics] | None = None

    def items(self, family: Family, column_labels: Labels, n_column_clusters: int) -> Iterator[tuple[slice, Any]]:
        """The rows as items of the family, a stretch at a time.

        They depend on the column partition and the prior: kept until one of these changes, if memory allows.
        """
        if self._cached is not None and self._cached[0] is family and np.array_equal(self._cached[1], column_labels):
            yield from zip(self._stretches, self._cached[2], strict=True)
            return
        self._cached = None
        of_rows = self.cells.n_rows * n_column_clusters * self.cells.numbers * 8
        keep = of_rows + (0 if self._summary is None else self._summary[1].n_bytes) <= self._cache_bytes
        self._rows_bytes = of_rows if keep else 0
        kept: list[Any] = []
        for rows in self._stretches:
            statistics = self.cells.light_by_group(rows, column_labels, n_column_clusters)
            items = family.items(statistics, alike=self.cells.complete)
            if keep:
                kept.append(items)
            yield rows, items
        if keep:
            self._cached = (family, column_labels.copy(), kept)

    def drop_cache(self) -> None:
        """Drop what was kept between sweeps."""
        self._cached = None
        self._rows_bytes = 0
        self._summary = None

    def by_cluster(self, labels: Labels, n_clusters: int) -> Statistics:
        """Statistics of every column in every cluster; a cluster that those kept have too is not summed up again."""
        cells: Statistics
        if self._summary is None:
            cells = self.cells.light_by_cluster(labels, n_clusters)
        else:
            before, kept = self._summary
            source = match_clusters(labels, n_clusters, before, kept.shape[0])
            if np.array_equal(source, np.arange(kept.shape[0])):
                return kept
            changed = np.where(source[labels] < 0, labels, np.int32(-1))
            known = np.flatnonzero(source >= 0)
            cells = self.cells.light_by_cluster(changed, n_clusters)
            cells = cells.put(known, kept[source[known]])
        self._summary = (labels, cells) if cells.n_bytes + self._rows_bytes <= self._cache_bytes else None
        return cells


class Shard:
    """One shard of the data, in the working frame: the cells of all parts, over the same rows.

    Row i of the data belongs to shard i mod E and stands there at position i div E.

    Parameters
    ----------
    parts : sequence of Cells
        Of each part.
    index, n_shards : int
        Which shard this is, of how many.
    cache_bytes : int
        Statistics of rows and of clusters are kept between sweeps if they take no more, each part's of its share; the
        result does not depend on it.

    Attributes
    ----------
    n_rows : int
        Number of rows here.
    stretches : list of slice
        The rows in stretches, of which one is looked at a time.
    """

    def __init__(self, parts: Sequence[Cells], index: int, n_shards: int, *, cache_bytes: int = 1 << 26) -> None:
        self.index = index
        self.n_shards = n_shards
        self.n_rows = parts[0].n_rows
        length = min(cells.rows_at_once for cells in parts)
        self.stretches = [slice(start, start + length) for start in range(0, self.n_rows, length)]
        self.parts = tuple(ShardPart(cells, self.stretches, cache_bytes // len(parts)) for cells in parts)

    @property
    def n_bytes(self) -> int:
        """What the cells take in memory."""
        return sum(part.cells.n_bytes for part in self.parts)

    @property
    def complete(self) -> tuple[bool, ...]:
        """For each part, that no cell of the whole data is missing."""
        return tuple(part.cells.complete for part in self.parts)

    @property
    def only_part(self) -> ShardPart:
        """The part of a table of one part; ValueError if it has more (docs/adr/0035-a-table-is-a-list-of-parts.md)."""
        (part,) = self.parts
        return part

    def indices_from(self, start: int) -> Callable[[int], int]:
        """Where in the whole data the rows of this shard stand, by their position after the ``start``-th."""
        return lambda position: item_at(start + position, self.index, self.n_shards)

    def items(self, parts: Sequence[Part]) -> Iterator[tuple[slice, tuple[Any, ...]]]:
        """The rows as items of each part's family, a stretch at a time."""
        of_parts = [
            here.items(part.family, part.column_labels, part.n_column_clusters)
            for here, part in zip(self.parts, parts, strict=True)
        ]
        # To the end of each, where it keeps its items.
        for stretch in zip(*of_parts, strict=True):
            yield stretch[0][0], tuple(items for _, items in stretch)

    def drop_cache(self) -> None:
        """Drop what was kept between sweeps."""
        for part in self.parts:
            part.drop_cache()

    def summarise(self, rows: Labelled) -> ShardStatistics:
        """Statistics of every column in every cluster of rows."""
        return self._summarise(rows, [part.by_cluster for part in self.parts])

    def summarise_groups(self, labelled: Labelled, parts: Sequence[Part]) -> ShardStatistics:
        """Statistics of every column cluster in every cluster of rows: fewer, and sooner at hand."""

        def by_group(here: ShardPart, part: Part) -> Callable[[Labels, int], Statistics]:
            def sum_up(labels: Labels, n_clusters: int) -> Statistics:
                blocks: Statistics = part.family.empty((n_clusters, part.n_column_clusters))
                for rows, items in here.items(part.family, part.column_labels, part.n_column_clusters):
                    part.family.add_items(items, labels[rows], blocks)
                return blocks

            return sum_up

        return self._summarise(labelled, list(map(by_group, self.parts, parts)))

    def _summarise(self, rows: Labelled, of_cells: Sequence[Callable[[Labels, int], Statistics]]) -> ShardStatistics:
        labels, global_ids, overlap = rows
        local, present, sizes, first_position = compact(labels, len(global_ids))
        overlap = np.zeros(len(present)) if overlap is None else overlap[present]
        return ShardStatistics(
            self.index,
            local,
            global_ids[present],
            sizes,
            item_at(first_position, self.index, self.n_shards),
            tuple(of_part(local, len(present)) for of_part in of_cells),
            overlap,
        )


@dataclass(frozen=True, slots=True, eq=False)
class ShardStatistics:
    """What a shard knows after a sweep: all of it is sent, but for ``labels``, which stay with the shard.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Cluster of each row, 0..H-1 in this shard's own numbering.
    global_ids : ndarray of int32, shape (H,)
        Global id of each cluster; -1 for a new one.
    sizes : ndarray of int64, shape (H,)
    first_row : ndarray of int64, shape (H,)
        Smallest index, in the whole data, of a row of each cluster.
    parts : tuple of Statistics of shape (H, p), or (H, L)
        Of each part's single columns, or of its column clusters in an iteration that leaves the columns where they are.
    overlap : ndarray of shape (H,)
        Minus the log probability of the rows' sides, for a decision on the cluster as a whole.
    record : Record
        What else the sampler's master needs, in this shard's own numbering.
    """

    shard: int
    labels: Labels
    global_ids: Labels
    sizes: NDArray[np.int64]
    first_row: NDArray[np.int64]
    parts: tuple[Statistics, ...]
    overlap: Floats
    record: Record = ()

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of a cluster's statistics in each part."""
        return tuple(cells.row_shape for cells in self.parts)

    def of_clusters(self, clusters: NDArray[np.intp]) -> ShardStatistics:
        """The statistics of some of the clusters alone; the labels are left out."""
        return ShardStatistics(
            self.shard,
            np.zeros(0, dtype=np.int32),
            self.global_ids[clusters],
            self.sizes[clusters],
            self.first_row[clusters],
            tuple(cells[clusters] for cells in self.parts),
            self.overlap[clusters],
        )
