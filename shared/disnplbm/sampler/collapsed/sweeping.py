"""The collapsed sweep of a shard's rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.partition import compact
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.growth import limit_openings
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast
from disnplbm.sampler.weighing import SweptRows


def sweep_rows(
    shard: Shard,
    labels: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    partners: Labels,
    stretch: int | None = None,
) -> Labelled:
    """Sweep a shard's rows once.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows after the last iteration.
    partition_prior : PartitionPrior
        Of the rows.
    partners : ndarray of int32
        Of every global cluster, see :mod:`disnplbm.sampler.collapsed.merges`; empty where none has one.
    stretch : int, optional
        Which of the shard's stretches is swept while all other rows rest, if not all are swept.
    """
    labels = labels.copy()
    sizes, blocks = broadcast.sizes, broadcast.blocks
    if parameters.view == "local" and parameters.n_shards > 1:
        labels, sizes, blocks, global_ids = _own_view(shard, labels, broadcast)
    else:
        global_ids = np.arange(len(sizes), dtype=np.int32)
    if parameters.n_shards > 1 and stretch is None:
        n_column_clusters = sum(part.n_column_clusters for part in broadcast.parts)
        partition_prior = limit_openings(partition_prior, len(sizes), n_column_clusters, sweeps=parameters.n_shards)
    generator = random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.SWEEP, shard.index)
    uniforms = generator.random(shard.n_rows)
    swept: SweptRows | None = None
    for number, (rows, items) in enumerate(shard.items(broadcast.parts)):
        if stretch is not None and number != stretch:
            continue
        if swept is None:
            swept = SweptRows(sizes, blocks, items, partition_prior)
            if len(partners):
                swept.leading.partner[: len(global_ids)] = partners
        here = labels[rows]
        with locate_errors(shard.indices_from(rows.start), noun_of(parameters)):
            swept.sweep(here, uniforms[rows], items)
        labels[rows] = here
    overlap = None
    if swept is not None:
        clusters = swept.leading
        before = np.append(global_ids, np.full(len(clusters.size) - len(global_ids), -1, dtype=np.int32))
        global_ids = np.where(clusters.opened_in_sweep, np.int32(-1), before)
        overlap = clusters.overlap
    return Labelled(labels, global_ids, overlap)


def _own_view(
    shard: Shard, labels: Labels, broadcast: Broadcast
) -> tuple[Labels, NDArray[np.int64], ClusterBlocks, Labels]:
    """Labels, sizes, blocks and global ids of a shard that sees its own rows only."""
    local, present, sizes, _ = compact(labels, int(labels.max(initial=-1)) + 1)
    summary = shard.summarise(Labelled(local, np.arange(len(present), dtype=np.int32)))
    return local, sizes, broadcast.blocks_of(summary.parts), present
