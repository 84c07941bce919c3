r"""The streaming join: clusters of the shards become global clusters.

Shards are folded in shard order, whatever the order of arrival, so that the result does not depend on timing.

``blockwise``: a cluster that carries a global id is merged into it when its shard's turn comes. A new cluster h is
drawn once all clusters with an id are in, with its statistics aggregated over the columns of each column cluster l:

    log n_k + sum_l [ LM(G_kl + h_l) - LM(G_kl) ]      against a new one      log alpha + sum_l LM(h_l).

With one shard there is nothing to join: new clusters stay as they are, and the chain is exact.

``averaged`` (as published): every cluster is drawn, seen only through its mean and scatter averaged over all columns,
counting as n_h cells; the clusters of the first shard open the global ones. It forgets the column profile, so profiles
that mirror each other are merged. It is kept to reproduce the published figures.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.choice import choose, logs
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening
from disnplbm.model.partition import canonical_order
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.growing import GrowingStatistics
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.state import Record


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """Global row clusters; one without members may be among them.

    Parameters
    ----------
    sizes, first_row : ndarray of int64, shape (K,)
        Members, and the smallest row index among them.
    cells : Statistics of shape (K, p), or (K, L)
        Of single columns, or of column clusters where the shards sent these.
    groups : ndarray of int32
        Column cluster of each column of ``cells``.
    overlap : ndarray of shape (K,)
        See :mod:`disnplbm.sampler.collapsed.merges`.
    to_global : tuple of ndarray of int32
        For each shard, the global cluster of each of its own.
    records : tuple of Record
        For each shard, what it sent besides its statistics, in its own numbering.
    """

    sizes: NDArray[np.int64]
    first_row: NDArray[np.int64]
    cells: Statistics
    groups: Labels
    overlap: Floats
    to_global: tuple[Labels, ...]
    records: tuple[Record, ...]

    def blocks(self, family: Family) -> Statistics:
        """Statistics of every block, shape (K, L)."""
        blocks: Statistics = family.aggregate(self.cells, self.groups, int(self.groups.max()) + 1, axis=1)
        return blocks

    def relabelled(self) -> Joined:
        """The clusters in canonical order, without empty ones."""
        new_ids = canonical_order(self.sizes, self.first_row)
        kept = np.flatnonzero(new_ids >= 0)
        order = kept[np.argsort(new_ids[kept])]
        to_global = tuple(new_ids[targets] for targets in self.to_global)
        stays = np.array_equal(order, np.arange(len(new_ids)))
        return replace(
            self,
            sizes=self.sizes[order],
            first_row=self.first_row[order],
            cells=self.cells if stays else self.cells[order],
            overlap=self.overlap[order],
            to_global=to_global,
        )

    def merged(self, into: Labels, family: Family) -> Joined:
        """The clusters with each of them gone where ``into``, shape (K,), says; some are left without members."""
        number = len(into)
        sizes = np.bincount(into, weights=self.sizes, minlength=number).astype(np.int64)
        first_row = np.full(number, np.iinfo(np.int64).max)
        np.minimum.at(first_row, into, self.first_row)
        cells = family.aggregate(self.cells, into, number, axis=0)
        to_global = tuple(into[targets] for targets in self.to_global)
        return replace(self, sizes=sizes, first_row=first_row, cells=cells, to_global=to_global)


class StreamingJoin:
    """Fold the statistics of all shards into global row clusters.

    Parameters
    ----------
    family : Family
        The prior, for drawing clusters.
    groups : ndarray of int32, shape (p,) or (L,)
        Column cluster of each column of the shards' statistics.
    n_ids : int
        Number of global ids in use; a shard may use larger ones.
    partition_prior : PartitionPrior
        Prior of the rows' partition.
    generator : numpy.random.Generator
        The iteration's stream for the join.
    draws_new : bool
        Whether a new cluster is drawn; otherwise it stays one of its own.
    """

    def __init__(
        self,
        parameters: Parameters,
        family: Family,
        groups: Labels,
        n_ids: int,
        partition_prior: PartitionPrior,
        generator: np.random.Generator,
        *,
        draws_new: bool = True,
    ) -> None:
        self._parameters = parameters
        self._family = family
        self._groups = groups
        self._n_groups = int(groups.max()) + 1
        self._partition_prior = partition_prior
        self._generator = generator
        # With one shard there is nothing to join.
        self._draws_new = draws_new and parameters.n_shards > 1
        self._records: list[Record] = []
        self._waiting: dict[int, ShardStatistics] = {}
        self._folded = 0
        self._to_global: list[Labels] = []
        self._undrawn: list[tuple[NDArray[np.intp], ShardStatistics]] = []
        n_open = n_ids if parameters.join == "blockwise" else 0
        self._sizes = np.zeros(n_open, dtype=np.int64)
        self._first_row = np.full(n_open, np.iinfo(np.int64).max)
        self._cells = GrowingStatistics(family.empty((0, len(groups))), n_open)
        self._overlap = np.zeros(n_open)
        self._averages = GrowingStatistics(family.empty((0,)))

    def add(self, statistics: ShardStatistics) -> bool:
        """Take in a shard's statistics, in any order; False (and nothing done) if that shard was here before.

        Raises
        ------
        RunError
            They are of other columns than this join's; nothing was done.
        """
        if (found := statistics.shape) != (expected := self.shape):
            raise RunError(
                f"join: statistics of shard {statistics.shard} have shape {found}, not {expected}, a cluster"
            )
        if statistics.shard < self._folded or statistics.shard in self._waiting:
            return False
        self._waiting[statistics.shard] = statistics
        while self._folded in self._waiting:
            self._fold(self._waiting.pop(self._folded))
            self._folded += 1
        return True

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of a cluster's statistics, as :attr:`ShardStatistics.shape` has it."""
        return self._cells.row_shape

    @property
    def missing(self) -> frozenset[int]:
        """Shards that are not in yet."""
        return frozenset(range(self._folded, self._parameters.n_shards)) - self._waiting.keys()

    def finish(self) -> Joined:
        """The global clusters, once all shards are in; the join lets go of them.

        Raises
        ------
        RunError
            If a shard is missing.
        """
        if self._folded < self._parameters.n_shards:
            raise RunError(f"join: statistics of shard {self._folded} of {self._parameters.n_shards} are missing")
        self._draw_new()
        to_global, records, cells = tuple(self._to_global), tuple(self._records), self._cells.sets
        self._cells = GrowingStatistics(self._family.empty((0, len(self._groups))))
        return Joined(self._sizes, self._first_row, cells, self._groups, self._overlap, to_global, records)

    def _fold(self, shard: ShardStatistics) -> None:
        self._records.append(shard.record)
        if self._parameters.join == "averaged":
            self._to_global.append(self._draw_averaged(shard))
            return
        target = shard.global_ids.copy()
        self._to_global.append(target)
        with_id = np.flatnonzero(target >= 0)
        if len(target) and int(target.max()) >= len(self._sizes):
            self._open(int(target.max()) + 1 - len(self._sizes))
        self._take_in(shard, with_id, target[with_id])
        new = np.flatnonzero(target < 0)
        if len(new) and not self._draws_new:
            target[new] = self._open(len(new))
            self._take_in(shard, new, target[new])
        elif len(new):
            # Not the shard's others, which are in now.
            self._undrawn.append((new, shard if len(new) == len(target) else shard.of_clusters(new)))

    def _take_in(self, shard: ShardStatistics, clusters: NDArray[np.intp], targets: Labels) -> None:
        """Merge clusters of a shard into open global ones."""
        cells = shard.cells if len(clusters) == len(shard.sizes) else shard.cells[clusters]
        self._cells.merge(cells, targets, self._family)
        np.add.at(self._sizes, targets, shard.sizes[clusters])
        np.minimum.at(self._first_row, targets, shard.first_row[clusters])
        np.add.at(self._overlap, targets, shard.overlap[clusters])

    def _open(self, number: int) -> Labels:
        """Open global clusters; return their ids."""
        global_ids = np.arange(len(self._sizes), len(self._sizes) + number, dtype=np.int32)
        self._sizes = np.append(self._sizes, np.zeros(number, dtype=np.int64))
        self._first_row = np.append(self._first_row, np.full(number, np.iinfo(np.int64).max))
        self._overlap = np.append(self._overlap, np.zeros(number))
        self._cells.extend(number)
        return global_ids

    def _draw_new(self) -> None:
        if not self._undrawn:
            return
        family, blocks = self._family, GrowingStatistics(self._blocks(self._cells.sets))
        marginals = family.log_marginals(blocks.sets)
        for places, statistics in self._undrawn:
            for h, place in enumerate(places):
                new = self._blocks(statistics.cells[h : h + 1])
                joined = family.log_marginals(family.merge(blocks.sets, new))
                gain = (joined - marginals[: len(self._sizes)]).sum(axis=1)
                opened = self._log_opening() + family.log_marginals(new).sum()
                with self._locate_errors(statistics, h):
                    target = choose(np.append(self._log_weights() + gain, opened), self._generator.random())
                if target == len(self._sizes):
                    self._open(1)
                    blocks.extend(1)
                    if target == len(marginals):
                        marginals = np.concatenate([marginals, np.zeros((target + 1, marginals.shape[1]))])
                global_ids = np.array([target], dtype=np.int32)
                self._take_in(statistics, np.array([h]), global_ids)
                family.aggregate(new, global_ids, len(self._sizes), axis=0, into=blocks.sets)
                marginals[target] = family.log_marginals(blocks.sets[target])
                self._to_global[statistics.shard][place] = target

    def _locate_errors(self, statistics: ShardStatistics, h: int) -> AbstractContextManager[None]:
        """Name the first row of a cluster if nothing can be drawn for it."""
        return locate_errors(int(statistics.first_row[h]), noun_of(self._parameters))

    def _log_weights(self) -> Floats:
        return np.where(self._sizes > 0, logs(self._sizes + self._partition_prior.pseudo_count), -np.inf)

    def _log_opening(self) -> float:
        return log_opening(int(np.count_nonzero(self._sizes)), self._partition_prior)

    def _blocks(self, cells: Statistics) -> Statistics:
        blocks: Statistics = self._family.aggregate(cells, self._groups, self._n_groups, axis=1)
        return blocks

    def _draw_averaged(self, shard: ShardStatistics) -> Labels:
        of_shard = self._family.average_columns(shard.cells, shard.sizes)
        targets = np.empty(len(shard.sizes), dtype=np.int32)
        for h in range(len(targets)):
            new = of_shard[h]
            target = len(self._sizes)
            if self._folded > 0:
                averages = self._averages.sets
                joined = self._family.log_marginals(self._family.merge(averages, new))
                existing = self._log_weights() + joined - self._family.log_marginals(averages)
                opened = self._log_opening() + self._family.log_marginals(new)
                with self._locate_errors(shard, h):
                    target = choose(np.append(existing, opened), self._generator.random())
            if target == len(self._sizes):
                self._open(1)
                self._averages.extend(1)
            self._averages.sets[target] = self._family.merge(self._averages.sets[target], new)
            targets[h] = target
            self._take_in(shard, np.array([h]), targets[h : h + 1])
        return targets
