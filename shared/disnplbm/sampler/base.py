"""What a sampler is: the few functions in which one differs from another.

:mod:`~disnplbm.sampler.chain`, :mod:`~disnplbm.sampler.columns`, :mod:`~disnplbm.sampler.received` and the master call
them. All are pure: a sampler keeps nothing between two calls. Families of a
broadcast and of what was joined have the power of the iteration. What its shards and its master must tell each other,
beyond partitions and statistics, is a :data:`~disnplbm.sampler.state.Record`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.growth import limit_openings
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard, ShardStatistics
from disnplbm.sampler.state import Broadcast, Record


class Sampler(ABC):
    """A sampler. A subclass says how rows are labelled, and overrides what else it does in a way of its own."""

    # What an iteration does, from its number alone.

    def moves_columns(self, parameters: Parameters, iteration: int) -> bool:
        """Whether the iteration makes a column step; otherwise shards send statistics of column clusters only."""
        return True

    def sweeps_side_by_side(self, parameters: Parameters, iteration: int) -> bool:
        """Whether several shards sweep at once against the statistics of the last iteration: an approximation.

        New clusters of such sweeps are drawn by the join, and there are only so many (:mod:`disnplbm.sampler.growth`).
        """
        return parameters.n_shards > 1

    # What a shard does.

    @abstractmethod
    def label_rows(
        self,
        shard: Shard,
        labels: Labels,
        broadcast: Broadcast,
        parameters: Parameters,
        partition_prior: PartitionPrior,
    ) -> Labelled:
        """Draw the labels of a shard's rows.

        Parameters
        ----------
        labels : ndarray of int32, shape (n,)
            Global clusters of the rows after the last iteration.
        partition_prior : PartitionPrior
            Of the rows.
        """

    def launch(self, shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters) -> Record:
        """What the shard tells the master besides its statistics.

        Parameters
        ----------
        labels : ndarray of int32, shape (n,)
            The rows' new clusters in the shard's own numbering.
        """
        return ()

    # What the master may be told by a shard: bounds that are checked before anything trusts a message.

    def count_ids(self, broadcast: Broadcast) -> int:
        """Count the global clusters that have an id in the iteration, with or without members."""
        return len(broadcast.sizes)

    def most_ids(self, broadcast: Broadcast, parameters: Parameters) -> int:
        """Largest number of global ids that shards may use in the iteration."""
        return self.count_ids(broadcast)

    def may_send(self, statistics: ShardStatistics, n_rows: int, families: Sequence[Family]) -> bool:
        """Whether the record of a shard of so many rows is one that :meth:`launch` could have made."""
        return not statistics.record

    # What the master does.

    def decide(
        self, joined: Joined, broadcast: Broadcast, parameters: Parameters, partition_prior: PartitionPrior
    ) -> Joined:
        """Merge and split whole row clusters.

        Parameters
        ----------
        joined : Joined
            Of what :meth:`label_rows` gave for all shards.
        partition_prior : PartitionPrior
            Of the rows.
        """
        return joined

    def label_columns(
        self,
        columns: Statistics,
        labels: Labels,
        parameters: Parameters,
        partition_prior: PartitionPrior,
        family: Family,
        iteration: int,
        part: int,
        *,
        complete: bool,
    ) -> Labels:
        """Draw the labels of the columns: by a collapsed sweep, unless the sampler has another way.

        Parameters
        ----------
        columns : Statistics of shape (p, K)
            Of every column in every row cluster.
        labels : ndarray of int32, shape (p,)
            0..L-1 without holes.
        partition_prior : PartitionPrior
            Of the columns.
        part : int
            Whose columns they are: its place among the parts.
        complete : bool
            That no cell of the part is missing.
        """
        labels = labels.copy()
        n_clusters = int(labels.max()) + 1
        blocks = family.aggregate(columns, labels, n_clusters, axis=0)
        items = family.items(columns, alike=complete)
        clusters = family.clusters(np.bincount(labels), blocks, items, partition_prior)
        generator = random_generator(parameters.seed, parameters.chain, iteration, Role.COLUMN_SWEEP, part=part)
        uniforms = generator.random(len(labels))
        if self.sweeps_side_by_side(parameters, iteration):
            partition_prior = limit_openings(partition_prior, n_clusters, columns.shape[1])
        family.sweep(labels, uniforms, items, clusters, partition_prior)
        return labels

    def split_columns(
        self,
        columns: Statistics,
        labels: Labels,
        parameters: Parameters,
        partition_prior: PartitionPrior,
        family: Family,
        iteration: int,
        part: int,
    ) -> Labels:
        """Further moves of the column step, after its sweep and its pair moves.

        Parameters
        ----------
        columns : Statistics of shape (p, K)
            Of every column in every row cluster.
        labels : ndarray of int32, shape (p,)
        partition_prior : PartitionPrior
            Of the columns.
        part : int
            Whose columns they are.

        Returns
        -------
        ndarray of int32, shape (p,)
            Labels 0..max, of which some may be without members.
        """
        return labels

    def record(self, joined: Joined, broadcast: Broadcast, parameters: Parameters) -> Record:
        """What every shard must know in the next iteration, besides partitions and blocks.

        Parameters
        ----------
        joined : Joined
            Row clusters in canonical order, after all decisions.
        broadcast : Broadcast
            The next one, with no record yet.
        """
        return ()
