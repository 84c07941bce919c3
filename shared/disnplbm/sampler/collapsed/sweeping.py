"""The collapsed sweep of a shard's rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family, Statistics
from disnplbm.kernels.partition import compact
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.growth import limit_openings
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast


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
    # The sweep of several parts at once is to come.
    (part,) = broadcast.parts
    family, column_labels, n_column_clusters = part.family, part.column_labels, part.n_column_clusters
    labels = labels.copy()
    sizes, blocks = broadcast.sizes, part.blocks
    if parameters.view == "local" and parameters.n_shards > 1:
        labels, sizes, blocks, global_ids = _own_view(shard, labels, column_labels, n_column_clusters, family)
    else:
        global_ids = np.arange(len(sizes), dtype=np.int32)
    if parameters.n_shards > 1 and stretch is None:
        partition_prior = limit_openings(partition_prior, len(sizes), n_column_clusters, sweeps=parameters.n_shards)
    generator = random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.SWEEP, shard.index)
    uniforms = generator.random(shard.n_rows)
    clusters = None
    for number, (rows, (items,)) in enumerate(shard.items(broadcast.parts)):
        if stretch is not None and number != stretch:
            continue
        if clusters is None:
            clusters = family.clusters(sizes, blocks, items, partition_prior)
            if len(partners):
                clusters.partner[: len(global_ids)] = partners
        swept = labels[rows]
        with locate_errors(shard.indices_from(rows.start), noun_of(parameters)):
            clusters = family.sweep(swept, uniforms[rows], items, clusters, partition_prior)
        labels[rows] = swept
    overlap = None
    if clusters is not None:
        before = np.append(global_ids, np.full(len(clusters.size) - len(global_ids), -1, dtype=np.int32))
        global_ids = np.where(clusters.opened_in_sweep, np.int32(-1), before)
        overlap = clusters.overlap
    return Labelled(labels, global_ids, overlap)


def _own_view(
    shard: Shard, labels: Labels, column_labels: Labels, n_column_clusters: int, family: Family
) -> tuple[Labels, NDArray[np.int64], Statistics, Labels]:
    """Labels, sizes, blocks and global ids of a shard that sees its own rows only."""
    local, present, sizes, _ = compact(labels, int(labels.max(initial=-1)) + 1)
    summary = shard.summarise(Labelled(local, np.arange(len(present), dtype=np.int32)))
    (cells,) = summary.parts
    return local, sizes, family.aggregate(cells, column_labels, n_column_clusters, axis=1), present
