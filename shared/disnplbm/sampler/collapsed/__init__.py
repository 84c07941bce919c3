"""The collapsed Gibbs sampler: a sweep over a shard's rows, and merges of row clusters across shards.

One shard: row sweep, row pair moves, column step, relabelling, in this order, leave the posterior unchanged. Several
shards: the rows of a shard are swept against blocks in which the other shards' rows stand as the last iteration left
them, and row clusters can merge but not split as wholes: an approximation.
"""

from __future__ import annotations

from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.collapsed.merges import SETTLING, Pairs, draw_pairs, merge_rows
from disnplbm.sampler.collapsed.pairs import move_row_pairs
from disnplbm.sampler.collapsed.sweeping import sweep_rows
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast


class Collapsed(Sampler):
    """Every iteration is a collapsed sweep of all rows, and a column step."""

    def label_rows(
        self,
        shard: Shard,
        labels: Labels,
        broadcast: Broadcast,
        parameters: Parameters,
        partition_prior: PartitionPrior,
    ) -> Labelled:
        """Sweep the rows; a single shard then tries merges and splits of whole clusters."""
        rows = sweep_rows(shard, labels, broadcast, parameters, partition_prior, Pairs.of(broadcast).partners)
        if parameters.pair_moves and parameters.n_shards == 1:
            return move_row_pairs(shard, rows.labels, broadcast, parameters, partition_prior)
        return rows

    def decide(
        self, joined: Joined, broadcast: Broadcast, parameters: Parameters, partition_prior: PartitionPrior
    ) -> Joined:
        """Merge pairs of row clusters."""
        return merge_rows(joined, Pairs.of(broadcast).partners, parameters, partition_prior, broadcast.iteration)

    def record(self, joined: Joined, broadcast: Broadcast, parameters: Parameters) -> Pairs:
        """Who may merge with whom. A single shard has exact pair moves instead."""
        merges = parameters.pair_moves and parameters.n_shards > 1 and broadcast.iteration > SETTLING
        # A shard must know the partner's blocks, and clusters must keep their ids.
        if not merges or (parameters.view, parameters.join) != ("global", "blockwise"):
            return Pairs.none()
        return Pairs(draw_pairs(len(broadcast.sizes), parameters, broadcast.iteration))


SAMPLER = Collapsed()
