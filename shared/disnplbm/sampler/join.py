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

from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.families.base import Family
from disnplbm.kernels.choice import choose, logs
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.folding import DrawnPart, FoldingPart
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.state import Record


class StreamingJoin:
    """Fold the statistics of all shards into global row clusters.

    Parameters
    ----------
    columns : sequence of tuple
        Of each part: its family, whose prior weighs clusters, and the column cluster of each column of the shards'
        statistics, ndarray of int32 of shape (p,) or (L,).
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
        columns: Sequence[tuple[Family, Labels]],
        n_ids: int,
        partition_prior: PartitionPrior,
        generator: np.random.Generator,
        *,
        draws_new: bool = True,
    ) -> None:
        self._parameters = parameters
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
        self._parts = [FoldingPart(family, groups, n_open) for family, groups in columns]
        self._overlap = np.zeros(n_open)

    def add(self, statistics: ShardStatistics) -> bool:
        """Take in a shard's statistics, in any order; False (and nothing done) if that shard was here before.

        Raises
        ------
        RunError
            They are of other columns than this join's; nothing was done.
        """
        if (found := statistics.shapes) != (expected := self.shapes):
            raise RunError(
                f"join: statistics of shard {statistics.shard} have the shapes {found}, not {expected}, a cluster"
            )
        if statistics.shard < self._folded or statistics.shard in self._waiting:
            return False
        self._waiting[statistics.shard] = statistics
        while self._folded in self._waiting:
            self._fold(self._waiting.pop(self._folded))
            self._folded += 1
        return True

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shape of a cluster's statistics in each part, as :attr:`ShardStatistics.shapes` has them."""
        return tuple(part.cells.row_shape for part in self._parts)

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
        to_global, records = tuple(self._to_global), tuple(self._records)
        parts = tuple(part.finish() for part in self._parts)
        return Joined(self._sizes, self._first_row, parts, self._overlap, to_global, records)

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
        everything = len(clusters) == len(shard.sizes)
        for part, cells in zip(self._parts, shard.parts, strict=True):
            part.merge(cells if everything else cells[clusters], targets)
        np.add.at(self._sizes, targets, shard.sizes[clusters])
        np.minimum.at(self._first_row, targets, shard.first_row[clusters])
        np.add.at(self._overlap, targets, shard.overlap[clusters])

    def _open(self, number: int) -> Labels:
        """Open global clusters; return their ids."""
        global_ids = np.arange(len(self._sizes), len(self._sizes) + number, dtype=np.int32)
        self._sizes = np.append(self._sizes, np.zeros(number, dtype=np.int64))
        self._first_row = np.append(self._first_row, np.full(number, np.iinfo(np.int64).max))
        self._overlap = np.append(self._overlap, np.zeros(number))
        for part in self._parts:
            part.extend(number)
        return global_ids

    def _draw_new(self) -> None:
        if not self._undrawn:
            return
        parts = [DrawnPart(part) for part in self._parts]
        for places, statistics in self._undrawn:
            for h, place in enumerate(places):
                new = [part.blocks_of(cells[h : h + 1]) for part, cells in zip(parts, statistics.parts, strict=True)]
                existing, opened = self._log_weights(), self._log_opening()
                for part, blocks in zip(parts, new, strict=True):
                    gain, of_new = part.gains(blocks)
                    existing, opened = existing + gain, opened + of_new
                with self._locate_errors(statistics, h):
                    target = choose(np.append(existing, opened), self._generator.random())
                if target == len(self._sizes):
                    self._open(1)
                    for part in parts:
                        part.open()
                self._take_in(statistics, np.array([h]), np.array([target], dtype=np.int32))
                for part, blocks in zip(parts, new, strict=True):
                    part.merge(blocks, target)
                self._to_global[statistics.shard][place] = target

    def _locate_errors(self, statistics: ShardStatistics, h: int) -> AbstractContextManager[None]:
        """Name the first row of a cluster if nothing can be drawn for it."""
        return locate_errors(int(statistics.first_row[h]), noun_of(self._parameters))

    def _log_weights(self) -> Floats:
        return np.where(self._sizes > 0, logs(self._sizes + self._partition_prior.pseudo_count), -np.inf)

    def _log_opening(self) -> float:
        return log_opening(int(np.count_nonzero(self._sizes)), self._partition_prior)

    def _draw_averaged(self, shard: ShardStatistics) -> Labels:
        of_shard = [part.averages_of(cells, shard.sizes) for part, cells in zip(self._parts, shard.parts, strict=True)]
        targets = np.empty(len(shard.sizes), dtype=np.int32)
        for h in range(len(targets)):
            new = [(part, averages[h]) for part, averages in zip(self._parts, of_shard, strict=True)]
            target = len(self._sizes)
            if self._folded > 0:
                existing, opened = self._log_weights(), self._log_opening()
                for part, average in new:
                    existing = part.weigh_average(existing, average)
                    opened += float(part.family.log_marginals(average))
                with self._locate_errors(shard, h):
                    target = choose(np.append(existing, opened), self._generator.random())
            if target == len(self._sizes):
                self._open(1)
                for part, _ in new:
                    part.open_average()
            for part, average in new:
                part.merge_average(average, target)
            targets[h] = target
            self._take_in(shard, np.array([h]), targets[h : h + 1])
        return targets
