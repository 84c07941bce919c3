"""The collapsed Gibbs sampler: a sweep over a shard's rows, and merges of row clusters across shards.

One shard: row sweep, row pair moves, column step, relabelling, in this order, leave the posterior unchanged. Several
shards: the rows of a shard are swept against blocks in which the other shards' rows stand as the last iteration left
them, and row clusters can merge but not split as wholes: an approximation.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.blocks import Hyper, clusters_of
from disnplbm.kernels.partition import compacted
from disnplbm.kernels.statistics import aggregate
from disnplbm.kernels.sweep import sweep
from disnplbm.kernels.urn import Urn
from disnplbm.model.statistics import Labels, Statistics
from disnplbm.sampler.growth import bounded
from disnplbm.sampler.join import Joined
from disnplbm.sampler.keys import Role, stream
from disnplbm.sampler.merges import may_merge, row_merges
from disnplbm.sampler.naming import located, noun_of
from disnplbm.sampler.pair_moves import pair_moves
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters
from disnplbm.sampler.schedule import refining_turn
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast


def sweep_rows(
    shard: Shard,
    labels: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
    urn: Urn,
    hyper: Hyper,
    only: slice | None = None,
) -> Labelled:
    """Sweep a shard's rows once (and, in the collapsed sampler with one shard, try pair moves).

    Parameters
    ----------
    shard : Shard
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows after the last iteration.
    broadcast : Broadcast
    parameters : Parameters
    urn : Urn
        Of the rows.
    hyper : Hyper
    only : slice, optional
        The part of the rows (see :meth:`Shard.items`) that is swept, if not all of them are.
    """
    column_labels, n_column_clusters = broadcast.column_labels, broadcast.blocks.shape[1]
    labels = labels.copy()
    sizes, blocks = broadcast.sizes, broadcast.blocks
    if parameters.view == "local" and parameters.n_shards > 1:
        labels, sizes, blocks, names = _own_view(shard, labels, column_labels, n_column_clusters)
    else:
        names = np.arange(len(sizes), dtype=np.int32)
    urn = bounded(urn, len(sizes), n_column_clusters, parameters, broadcast.iteration, sweeps=parameters.n_shards)
    generator = stream(parameters.seed, parameters.chain, broadcast.iteration, Role.SWEEP, shard.index)
    uniforms = generator.random(shard.n_rows)
    clusters = None
    for rows, items in shard.items(column_labels, n_column_clusters, hyper):
        if only is not None and rows != only:
            continue
        if clusters is None:
            clusters = clusters_of(sizes.astype(np.float64), blocks, items, hyper, urn.extra)
            if may_merge(parameters, broadcast.iteration):
                clusters.partner[: len(names)] = broadcast.partners
        swept = labels[rows]
        with located(shard.indices_from(rows.start), noun_of(parameters)):
            clusters = sweep(swept, uniforms[rows], items, clusters, hyper, urn)
        labels[rows] = swept
    overlap = None
    if clusters is not None:
        known = np.append(names, np.full(len(clusters.size) - len(names), -1, dtype=np.int32))
        names = np.where(clusters.fresh, np.int32(-1), known)
        overlap = clusters.overlap
    if parameters.pair_moves and parameters.n_shards == 1 and parameters.sampler == "collapsed":
        labels = _row_pairs(shard, labels, broadcast, parameters, urn, hyper)
        # Alone, a shard's clusters need no names: all of them are open.
        names, overlap = np.full(int(labels.max()) + 1, -1, dtype=np.int32), None
    return Labelled(labels, names, overlap)


def refine_rows(
    shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, urn: Urn, hyper: Hyper
) -> Labelled:
    """Sweep the rows whose turn it is, at most :data:`disnplbm.sampler.shard.ROWS_AT_ONCE` of one shard.

    All other rows are at rest, so that it is exact whatever the shards. Parameters are those of :func:`sweep_rows`.
    """
    turn, of_shard = divmod(refining_turn(parameters, broadcast.iteration), parameters.n_shards)
    if shard.index != of_shard:
        return Labelled(labels, np.arange(len(broadcast.sizes), dtype=np.int32))
    parts = shard.parts
    return sweep_rows(shard, labels, broadcast, parameters, urn, hyper, parts[turn % len(parts)])


def merge_rows(joined: Joined, broadcast: Broadcast, parameters: Parameters, urn: Urn, hyper: Hyper) -> Joined:
    """Row merges of an iteration, where it has any.

    Parameters
    ----------
    joined : Joined
    broadcast : Broadcast
    parameters : Parameters
    urn : Urn
    hyper : Hyper
    """
    if not may_merge(parameters, broadcast.iteration):
        return joined
    return joined.merged(
        row_merges(
            joined.sizes, joined.overlap, joined.blocks, broadcast.partners, parameters, urn, hyper, broadcast.iteration
        )
    )


def _own_view(
    shard: Shard, labels: Labels, column_labels: Labels, n_column_clusters: int
) -> tuple[Labels, NDArray[np.int64], Statistics, Labels]:
    """Labels, sizes, blocks and names of a shard that sees its own rows only."""
    local, present, sizes, _ = compacted(labels, int(labels.max(initial=-1)) + 1)
    summary = shard.summarise(Labelled(local, np.arange(len(present), dtype=np.int32)))
    return local, sizes, aggregate(summary.cells, column_labels, n_column_clusters, axis=1), present


def _row_pairs(
    shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, urn: Urn, hyper: Hyper
) -> Labels:
    column_labels, n_column_clusters = broadcast.column_labels, broadcast.blocks.shape[1]

    def halves(side: Labels) -> Statistics:
        return aggregate(shard.cells_in(side, 2), column_labels, n_column_clusters, axis=1)

    # The shard keeps these, and sends them unless a move changes the labels.
    now = shard.summarise(Labelled(labels, np.arange(int(labels.max()) + 1, dtype=np.int32)))
    with located(shard.indices_from(0), noun_of(parameters)):
        return pair_moves(
            now.labels,
            aggregate(now.cells, column_labels, n_column_clusters, axis=1),
            halves,
            hyper,
            urn,
            stream(parameters.seed, parameters.chain, broadcast.iteration, Role.ROW_PAIRS),
            PAIR_TRIES,
        )
