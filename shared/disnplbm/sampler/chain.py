"""A chain, whatever its sampler: what a shard does and what the master does in one iteration.

Both are pure functions. A shard's state is its labels; the master's state is everything else. The master's part turns
(state, joined statistics) into the next state, whose broadcast tells the shards what they need to know.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from disnplbm.errors import PRIOR, RunError
from disnplbm.families.base import Family
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.notes import Hint
from disnplbm.sampler.annealing import family_at
from disnplbm.sampler.columns import column_step
from disnplbm.sampler.concentrations import draw_concentration
from disnplbm.sampler.join import Joined, StreamingJoin
from disnplbm.sampler.joint import log_joint
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard, ShardStatistics
from disnplbm.sampler.starts import Start, column_start, row_start
from disnplbm.sampler.state import Broadcast, ChainState
from disnplbm.samplers import sampler_of


def start_shard(shard: Shard, start: Start, parameters: Parameters, n_rows: int) -> ShardStatistics:
    """A shard's labels and statistics before the first iteration.

    Parameters
    ----------
    n_rows : int
        Rows of the whole data.
    """
    labels, number = row_start(start, parameters, n_rows, shard.index, shard.n_rows)
    return shard.summarise(Labelled(labels, np.arange(number, dtype=np.int32)))


def start_join(start: Start, parameters: Parameters, family: Family, n_rows: int, n_columns: int) -> StreamingJoin:
    """The join of what :func:`start_shard` gives for every shard."""
    _, number = row_start(start, parameters, n_rows, 0, 0)
    labels = column_start(start, parameters, n_columns)
    # Whatever the run's join mode, a start is given by name.
    by_name = Parameters(n_shards=parameters.n_shards)
    generator = random_generator(parameters.seed, parameters.chain, 0, Role.JOIN)
    of_rows = PartitionPrior.of(parameters.alpha, parameters.row_limit)
    return StreamingJoin(by_name, family, labels, number, of_rows, generator)


def start_chain(joined: Joined, start: Start, parameters: Parameters, family: Family) -> ChainState:
    """The chain's state before the first iteration."""
    labels = column_start(start, parameters, joined.cells.shape[1])
    return _make_state(joined.relabelled(), labels, parameters.alpha, parameters.beta, parameters, family, 1)


def shard_step(
    shard: Shard,
    labels: Labels,
    to_global: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
    family: Family,
) -> ShardStatistics:
    """A shard's part of an iteration.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        The rows' clusters after the last iteration, in the shard's own numbering.
    to_global : ndarray of int32
        The shard's map to global clusters.
    """
    labels = to_global[labels]
    family = family_at(family, parameters, broadcast.iteration)
    sampler = sampler_of(parameters.sampler)
    of_rows = PartitionPrior.of(broadcast.alpha, parameters.row_limit)
    rows = sampler.label_rows(shard, labels, broadcast, parameters, of_rows, family)
    if sampler.moves_columns(parameters, broadcast.iteration):
        statistics = shard.summarise(rows)
    else:
        statistics = shard.summarise_groups(rows, broadcast.column_labels, broadcast.blocks.shape[1], family)
    return replace(statistics, record=sampler.launch(shard, statistics.labels, broadcast, parameters, family))


def join_of(state: ChainState, parameters: Parameters, family: Family) -> StreamingJoin:
    """The join of an iteration that starts from ``state``."""
    broadcast, sampler = state.broadcast, sampler_of(parameters.sampler)
    family = family_at(family, parameters, broadcast.iteration)
    by_column = sampler.moves_columns(parameters, broadcast.iteration)
    return StreamingJoin(
        parameters,
        family,
        broadcast.column_labels if by_column else np.arange(broadcast.blocks.shape[1], dtype=np.int32),
        sampler.count_ids(broadcast),
        PartitionPrior.of(broadcast.alpha, parameters.row_limit),
        random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.JOIN),
        draws_new=sampler.sweeps_side_by_side(parameters, broadcast.iteration),
    )


def master_step(
    joined: Joined, state: ChainState, parameters: Parameters, family: Family, *, complete: bool
) -> ChainState:
    """The master's part of an iteration, once the join is done.

    Decisions on whole row clusters, relabelling, column step, concentrations.

    Parameters
    ----------
    state : ChainState
        After the last iteration.
    complete : bool
        That no cell of the data is missing.
    """
    before, sampler = state.broadcast, sampler_of(parameters.sampler)
    here = family_at(family, parameters, before.iteration)
    of_rows = PartitionPrior.of(before.alpha, parameters.row_limit)
    of_columns = PartitionPrior.of(before.beta, parameters.column_limit)
    joined = sampler.decide(joined, before, parameters, of_rows, here).relabelled()
    labels = before.column_labels
    if sampler.moves_columns(parameters, before.iteration):
        labels = column_step(
            joined.cells, labels, sampler, parameters, of_columns, here, before.iteration, complete=complete
        )
        joined = replace(joined, groups=labels)
    alpha, beta = _concentrations(joined, labels, before, parameters)
    return _make_state(joined, labels, alpha, beta, parameters, family, before.iteration + 1)


def _concentrations(
    joined: Joined, column_labels: Labels, before: Broadcast, parameters: Parameters
) -> tuple[float, float]:
    generator = random_generator(parameters.seed, parameters.chain, before.iteration, Role.CONCENTRATIONS)
    alpha, beta = before.alpha, before.beta
    if parameters.learn_alpha:
        alpha = draw_concentration(alpha, len(joined.sizes), int(joined.sizes.sum()), generator)
    if parameters.learn_beta:
        beta = draw_concentration(beta, int(column_labels.max()) + 1, len(column_labels), generator)
    return alpha, beta


def _make_state(
    joined: Joined,
    column_labels: Labels,
    alpha: float,
    beta: float,
    parameters: Parameters,
    family: Family,
    iteration: int,
) -> ChainState:
    """The state of row clusters in canonical order, with what the shards need for the next iteration."""
    blocks = joined.blocks(family)
    broadcast = Broadcast(iteration, column_labels, joined.sizes, blocks, alpha, beta, ())
    following = family_at(family, parameters, iteration)
    record = sampler_of(parameters.sampler).record(joined, broadcast, parameters, following)
    joint = _check_finite(
        log_joint(blocks, joined.sizes, np.bincount(column_labels), alpha, beta, parameters, family), iteration
    )
    return ChainState(replace(broadcast, record=record), joined.to_global, joint)


def _check_finite(joint: float, iteration: int) -> float:
    """The log joint before an iteration; RunError if it is no finite number, since such a state means nothing."""
    if not math.isfinite(joint):
        raise RunError(
            f"the log joint is {joint} after {iteration - 1} iterations: the cells or the prior are too extreme; bring"
            " the columns to one scale (",
            Hint("transform", "standardize"),
            "), or take a less extreme prior (",
            *PRIOR,
            ")",
            kind="log-joint",
        )
    return joint
