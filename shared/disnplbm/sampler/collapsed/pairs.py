"""Exact merges and splits of row clusters, where one shard holds all rows."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.pair_moves import move_pairs
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast


def move_row_pairs(
    shard: Shard,
    labels: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
    partition_prior: PartitionPrior,
) -> Labelled:
    """Try to merge and split whole row clusters after a sweep.

    Parameters
    ----------
    shard : Shard
        The only one.
    labels : ndarray of int32, shape (n,)
    partition_prior : PartitionPrior
        Of the rows.
    """

    def halves(side: Labels) -> ClusterBlocks:
        return broadcast.blocks_of([part.cells.by_cluster(side, 2) for part in shard.parts])

    # The shard keeps these, and sends them unless a move changes the labels.
    now = shard.summarise(Labelled(labels, np.arange(int(labels.max()) + 1, dtype=np.int32)))
    with locate_errors(shard.indices_from(0), noun_of(parameters)):
        labels = move_pairs(
            now.labels,
            broadcast.blocks_of(now.parts),
            halves,
            partition_prior,
            random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.ROW_PAIRS),
            PAIR_TRIES,
        )
    # Alone, a shard's clusters need no ids: all of them are open.
    return Labelled(labels, np.full(int(labels.max()) + 1, -1, dtype=np.int32))
