"""The collapsed Gibbs sampler: what a shard does and what the master does in one iteration.

Both are pure functions. A shard's state is its labels; the master's state is everything else. The master's part turns
(state, joined statistics, key) into (state, broadcast); another sampler fits into the same seam with a broadcast and a
shard state of its own.

One shard: row sweep, row pair moves, column step, relabelling, in this order, leave the posterior unchanged. Several
shards: the rows of a shard are swept against blocks in which the other shards' rows stand as the last iteration left
them, and row clusters can merge but not split as wholes: an approximation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.blocks import Hyper, clusters_of
from disnplbm.kernels.marginal import log_crp, log_marginals
from disnplbm.kernels.partition import compacted
from disnplbm.kernels.statistics import aggregate, cells_by_cluster
from disnplbm.kernels.sweep import sweep
from disnplbm.model.partition import canonical_order
from disnplbm.model.statistics import Labels, Statistics
from disnplbm.sampler.columns import column_step
from disnplbm.sampler.join import Joined, StreamingJoin
from disnplbm.sampler.keys import Role, stream
from disnplbm.sampler.merges import may_merge, partners, row_merges
from disnplbm.sampler.pair_moves import pair_moves
from disnplbm.sampler.parameters import PAIR_TRIES, Parameters
from disnplbm.sampler.shard import Shard, ShardStatistics
from disnplbm.sampler.starts import Start, column_start, row_start


@dataclass(frozen=True, slots=True, eq=False)
class Broadcast:
    """What every shard gets to know before a sweep: a few kilobytes.

    Parameters
    ----------
    iteration : int
        The iteration it is for.
    column_labels : ndarray of int32, shape (p,)
    sizes : ndarray of int64, shape (K,)
        Rows of each global cluster.
    blocks : Statistics of shape (K, L)
    partners : ndarray of int32, shape (K,)
        The cluster that each may be merged with after the sweep, or -1.
    """

    iteration: int
    column_labels: Labels
    sizes: NDArray[np.int64]
    blocks: Statistics
    partners: Labels


@dataclass(frozen=True, slots=True, eq=False)
class ChainState:
    """A chain between two iterations; with the shards' labels it is all there is to keep.

    Parameters
    ----------
    broadcast : Broadcast
        For the next iteration.
    maps : tuple of ndarray of int32
        For each shard, the global cluster of each of its own.
    log_joint : float
        log p(X, z, w) in the working frame.
    """

    broadcast: Broadcast
    maps: tuple[Labels, ...]
    log_joint: float

    @property
    def n_row_clusters(self) -> int:
        """K."""
        return len(self.broadcast.sizes)

    @property
    def n_column_clusters(self) -> int:
        """L."""
        return self.broadcast.blocks.shape[1]


def start_shard(shard: Shard, start: Start, parameters: Parameters, n_rows: int) -> ShardStatistics:
    """A shard's labels and statistics before the first iteration.

    Parameters
    ----------
    shard : Shard
    start : Start
    parameters : Parameters
    n_rows : int
        Rows of the whole data.
    """
    labels, number = row_start(start, parameters, n_rows, shard.index, shard.n_rows)
    return shard.summarise(labels, np.arange(number, dtype=np.int32))


def start_join(start: Start, parameters: Parameters, hyper: Hyper, n_rows: int, n_columns: int) -> StreamingJoin:
    """The join of what :func:`start_shard` gives for every shard."""
    _, number = row_start(start, parameters, n_rows, 0, 0)
    labels = column_start(start, parameters, n_columns)
    # Whatever the run's join mode, a start is given by name.
    by_name = Parameters(alpha=parameters.alpha, n_shards=parameters.n_shards)
    generator = stream(parameters.seed, parameters.chain, 0, Role.JOIN)
    return StreamingJoin(by_name, hyper, labels, int(labels.max()) + 1, number, generator)


def start_chain(joined: Joined, start: Start, parameters: Parameters, hyper: Hyper) -> ChainState:
    """The chain's state before the first iteration."""
    labels = column_start(start, parameters, joined.cells.shape[1])
    return _settled(_relabelled(joined), labels, parameters, hyper, 1)


def shard_step(
    shard: Shard, labels: Labels, names: Labels, broadcast: Broadcast, parameters: Parameters, hyper: Hyper
) -> ShardStatistics:
    """Sweep a shard's rows once (and, with one shard, try pair moves).

    Parameters
    ----------
    shard : Shard
    labels : ndarray of int32, shape (n,)
        The rows' clusters after the last iteration, in the shard's own numbering.
    names : ndarray of int32
        The shard's map to global clusters.
    broadcast : Broadcast
    parameters : Parameters
    hyper : Hyper
    """
    column_labels, n_column_clusters = broadcast.column_labels, broadcast.blocks.shape[1]
    labels = names[labels]
    sizes, blocks = broadcast.sizes, broadcast.blocks
    if parameters.view == "local" and parameters.n_shards > 1:
        labels, sizes, blocks, names = _own_view(shard, labels, column_labels, n_column_clusters)
    else:
        names = np.arange(len(sizes), dtype=np.int32)
    generator = stream(parameters.seed, parameters.chain, broadcast.iteration, Role.SWEEP, shard.index)
    uniforms = generator.random(shard.n_rows)
    clusters = None
    for rows, items in shard.items(column_labels, n_column_clusters, hyper):
        if clusters is None:
            clusters = clusters_of(sizes.astype(np.float64), blocks, items, hyper)
            if may_merge(parameters, broadcast.iteration):
                clusters.partner[: len(names)] = broadcast.partners
        swept = labels[rows]
        clusters = sweep(swept, uniforms[rows], items, clusters, hyper, parameters.alpha)
        labels[rows] = swept
    overlap = None
    if clusters is not None:
        known = np.append(names, np.full(len(clusters.size) - len(names), -1, dtype=np.int32))
        names = np.where(clusters.fresh, np.int32(-1), known)
        overlap = clusters.overlap
    if parameters.pair_moves and parameters.n_shards == 1:
        labels = _row_pairs(shard, labels, broadcast, parameters, hyper)
        # Alone, a shard's clusters need no names: all of them are open.
        names, overlap = np.full(int(labels.max()) + 1, -1, dtype=np.int32), None
    return shard.summarise(labels, names, overlap)


def master_step(
    joined: Joined, state: ChainState, parameters: Parameters, hyper: Hyper, *, complete: bool
) -> ChainState:
    """The master's part of an iteration, once the join is done: row merges, column step, relabelling.

    Parameters
    ----------
    joined : Joined
    state : ChainState
        After the last iteration.
    parameters : Parameters
    hyper : Hyper
    complete : bool
        That no cell of the data is missing.
    """
    before = state.broadcast
    if may_merge(parameters, before.iteration):
        joined = _row_merges(joined, before, parameters, hyper)
    joined = _relabelled(joined)
    labels = column_step(joined.cells, before.column_labels, parameters, hyper, before.iteration, complete=complete)
    return _settled(joined, labels, parameters, hyper, before.iteration + 1)


def join_of(state: ChainState, parameters: Parameters, hyper: Hyper) -> StreamingJoin:
    """The join of an iteration that starts from ``state``."""
    broadcast = state.broadcast
    generator = stream(parameters.seed, parameters.chain, broadcast.iteration, Role.JOIN)
    return StreamingJoin(
        parameters, hyper, broadcast.column_labels, broadcast.blocks.shape[1], len(broadcast.sizes), generator
    )


def _own_view(
    shard: Shard, labels: Labels, column_labels: Labels, n_column_clusters: int
) -> tuple[Labels, NDArray[np.int64], Statistics, Labels]:
    """Labels, sizes, blocks and names of a shard that sees its own rows only."""
    local, present, sizes, _ = compacted(labels, int(labels.max(initial=-1)) + 1)
    summary = shard.summarise(local, np.arange(len(present), dtype=np.int32))
    return local, sizes, aggregate(summary.cells, column_labels, n_column_clusters, axis=1), present


def _row_pairs(shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, hyper: Hyper) -> Labels:
    column_labels, n_column_clusters = broadcast.column_labels, broadcast.blocks.shape[1]

    def halves(side: Labels) -> Statistics:
        cells = cells_by_cluster(shard.values, side, 2, complete=shard.complete)
        return aggregate(cells, column_labels, n_column_clusters, axis=1)

    # The shard keeps these, and sends them unless a move changes the labels.
    now = shard.summarise(labels, np.arange(int(labels.max()) + 1, dtype=np.int32))
    return pair_moves(
        now.labels,
        aggregate(now.cells, column_labels, n_column_clusters, axis=1),
        halves,
        hyper,
        parameters.alpha,
        stream(parameters.seed, parameters.chain, broadcast.iteration, Role.ROW_PAIRS),
        PAIR_TRIES,
    )


def _row_merges(joined: Joined, broadcast: Broadcast, parameters: Parameters, hyper: Hyper) -> Joined:
    blocks = aggregate(joined.cells, broadcast.column_labels, broadcast.blocks.shape[1], axis=1)
    into = row_merges(joined.sizes, joined.overlap, blocks, broadcast.partners, parameters, hyper, broadcast.iteration)
    return _merged(joined, into)


def _relabelled(joined: Joined) -> Joined:
    """Global clusters in canonical order, without empty ones."""
    return _renamed(joined, canonical_order(joined.sizes, joined.first))


def _renamed(joined: Joined, names: Labels) -> Joined:
    """Global clusters under new names; -1 drops one that has no members."""
    kept = np.flatnonzero(names >= 0)
    order = kept[np.argsort(names[kept])]
    return Joined(
        joined.sizes[order],
        joined.first[order],
        joined.cells[order],
        joined.overlap[order],
        tuple(names[targets] for targets in joined.maps),
    )


def _merged(joined: Joined, into: Labels) -> Joined:
    """Global clusters with some merged into others; those that went are left without members."""
    number = len(into)
    sizes = np.bincount(into, weights=joined.sizes, minlength=number).astype(np.int64)
    first = np.full(number, np.iinfo(np.int64).max)
    np.minimum.at(first, into, joined.first)
    cells = aggregate(joined.cells, into, number, axis=0)
    return Joined(sizes, first, cells, joined.overlap, tuple(into[targets] for targets in joined.maps))


def _settled(
    joined: Joined, column_labels: Labels, parameters: Parameters, hyper: Hyper, next_iteration: int
) -> ChainState:
    """The blocks of row clusters in canonical order, and the joint density."""
    blocks = aggregate(joined.cells, column_labels, int(column_labels.max()) + 1, axis=1)
    log_joint = (
        float(log_marginals(blocks, hyper).sum())
        + log_crp(joined.sizes, parameters.alpha)
        + log_crp(np.bincount(column_labels), parameters.beta)
    )
    pairs = partners(parameters, next_iteration, len(joined.sizes))
    return ChainState(Broadcast(next_iteration, column_labels, joined.sizes, blocks, pairs), joined.maps, log_joint)
