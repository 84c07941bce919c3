"""A shard's data, and the statistics it sends after a sweep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.dealing import item_at
from disnplbm.families.base import Cells, Family, Rows, Statistics
from disnplbm.kernels.partition import compact, match_clusters
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.state import Record


class Labelled(NamedTuple):
    """What an iteration's step makes of a shard's rows."""

    labels: Labels  # (n,) cluster of each row
    global_ids: Labels  # global id of each cluster that ``labels`` may hold; -1 for a new one
    overlap: Floats | None = None  # each such cluster's overlap with its partner; None is 0 for all


class Shard:
    """One shard of the data, in the working frame.

    Row i of the data belongs to shard i mod E and stands there at position i div E.

    Parameters
    ----------
    cells : Cells
        Of its n rows and all p columns.
    index, n_shards : int
        Which shard this is, of how many.
    cache_bytes : int
        Statistics of rows and of clusters are kept between sweeps if they take no more; the result does not depend on
        it.
    """

    def __init__(self, cells: Cells, index: int, n_shards: int, *, cache_bytes: int = 1 << 26) -> None:
        self.cells = cells
        self.index = index
        self.n_shards = n_shards
        self._cache_bytes = cache_bytes
        self._cached: tuple[Family, Labels, list[Any]] | None = None
        self._summary: tuple[Labels, Statistics] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows here."""
        return self.cells.n_rows

    @property
    def parts(self) -> list[slice]:
        """The rows in parts, of which one is looked at a time."""
        length = self.cells.rows_at_once
        return [slice(start, start + length) for start in range(0, self.n_rows, length)]

    def indices_from(self, start: int) -> Callable[[int], int]:
        """Where in the whole data the rows of this shard stand, by their position after the ``start``-th."""
        return lambda position: item_at(start + position, self.index, self.n_shards)

    def items(self, column_labels: Labels, n_column_clusters: int, family: Family) -> Iterator[tuple[slice, Any]]:
        """The rows as items of the family, some at a time.

        They depend on the column partition and the prior: kept until one of these changes, if memory allows.
        """
        parts = self.parts
        if self._cached is not None and self._cached[0] is family and np.array_equal(self._cached[1], column_labels):
            yield from zip(parts, self._cached[2], strict=True)
            return
        self._cached = None
        keep = self.n_rows * n_column_clusters * self.cells.numbers * 8 <= self._cache_bytes
        kept: list[Any] = []
        for part in parts:
            statistics = self.cells.light_by_group(part, column_labels, n_column_clusters)
            items = family.items(statistics, alike=self.cells.complete)
            if keep:
                kept.append(items)
            yield part, items
        if keep:
            self._cached = (family, column_labels.copy(), kept)

    def cells_of(self, rows: Rows, column_labels: Labels, n_column_clusters: int) -> Statistics:
        """Statistics of some rows' cells in each column cluster, shape (m, L)."""
        statistics: Statistics = self.cells.by_group(rows, column_labels, n_column_clusters)
        return statistics

    def cells_in(self, labels: Labels, n_clusters: int) -> Statistics:
        """Statistics of every column's cells in every cluster of rows, shape (K, p); a row of label -1 is left out."""
        statistics: Statistics = self.cells.by_cluster(labels, n_clusters)
        return statistics

    def drop_cache(self) -> None:
        """Drop what was kept between sweeps."""
        self._cached = None
        self._summary = None

    def summarise(self, rows: Labelled) -> ShardStatistics:
        """Statistics of every column in every cluster of rows."""
        return self._summarise(rows, self._by_column)

    def summarise_groups(
        self, rows: Labelled, column_labels: Labels, n_column_clusters: int, family: Family
    ) -> ShardStatistics:
        """Statistics of every column cluster in every cluster of rows: fewer, and sooner at hand."""

        def by_group(labels: Labels, n_clusters: int) -> Statistics:
            blocks: Statistics = family.empty((n_clusters, n_column_clusters))
            for part, items in self.items(column_labels, n_column_clusters, family):
                family.add_items(items, labels[part], blocks)
            return blocks

        return self._summarise(rows, by_group)

    def _summarise(self, rows: Labelled, of_cells: Callable[[Labels, int], Statistics]) -> ShardStatistics:
        labels, global_ids, overlap = rows
        local, present, sizes, first_position = compact(labels, len(global_ids))
        overlap = np.zeros(len(present)) if overlap is None else overlap[present]
        return ShardStatistics(
            self.index,
            local,
            global_ids[present],
            sizes,
            item_at(first_position, self.index, self.n_shards),
            of_cells(local, len(present)),
            overlap,
        )

    def _by_column(self, labels: Labels, n_clusters: int) -> Statistics:
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
        self._summary = (labels, cells) if cells.n_bytes <= self._cache_bytes else None
        return cells


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
    cells : Statistics of shape (H, p), or (H, L)
        Of single columns, or of column clusters in an iteration that leaves the columns where they are.
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
    cells: Statistics
    overlap: Floats
    record: Record = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a cluster's statistics."""
        return self.cells.row_shape

    def of_clusters(self, clusters: NDArray[np.intp]) -> ShardStatistics:
        """The statistics of some of the clusters alone; the labels are left out."""
        return ShardStatistics(
            self.shard,
            np.zeros(0, dtype=np.int32),
            self.global_ids[clusters],
            self.sizes[clusters],
            self.first_row[clusters],
            self.cells[clusters],
            self.overlap[clusters],
        )
