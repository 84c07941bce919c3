"""A collapsed sweep of some rows of one shard, while all others rest: exact whatever the shards."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.collapsed.merges import Pairs
from disnplbm.sampler.collapsed.sweeping import sweep_rows
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.split_merge.schedule import refining_turn
from disnplbm.sampler.state import Broadcast


def refine_rows(
    shard: Shard,
    labels: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
    partition_prior: PartitionPrior,
) -> Labelled:
    """Sweep the rows whose turn it is, at most :data:`disnplbm.families.base.ROWS_AT_ONCE` of one shard.

    Parameters are as in :func:`disnplbm.sampler.collapsed.sweeping.sweep_rows`.
    """
    turn, of_shard = divmod(refining_turn(parameters, broadcast.iteration), parameters.n_shards)
    if shard.index != of_shard:
        return Labelled(labels, np.arange(len(broadcast.sizes), dtype=np.int32))
    return sweep_rows(
        shard,
        labels,
        broadcast,
        parameters,
        partition_prior,
        Pairs.none().partners,
        turn % len(shard.stretches),
    )
