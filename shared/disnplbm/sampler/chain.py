"""A chain, whatever its sampler: what a shard does and what the master does in one iteration.

Both are pure functions. A shard's state is its labels; the master's state is everything else. The master's part turns
(state, joined statistics) into the next state, whose broadcast tells the shards what they need to know.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from disnplbm.errors import PRIOR, RunError
from disnplbm.families.base import Family
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.notes import Hint
from disnplbm.sampler.annealing import at_its_power
from disnplbm.sampler.columns import column_step
from disnplbm.sampler.concentrations import draw_concentration
from disnplbm.sampler.join import StreamingJoin
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.joint import log_joint
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import Labelled, Shard, ShardStatistics
from disnplbm.sampler.starts import Start, column_starts, row_start
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


def start_join(
    start: Start, parameters: Parameters, families: Sequence[Family], n_rows: int, n_columns: Sequence[int]
) -> StreamingJoin:
    """The join of what :func:`start_shard` gives for every shard.

    Parameters
    ----------
    families : sequence of Family
        Of the parts.
    n_columns : sequence of int
        Columns of each part.
    """
    _, number = row_start(start, parameters, n_rows, 0, 0)
    columns = list(zip(families, column_starts(start, parameters, n_columns), strict=True))
    # Whatever the run's join mode, a start is given by name.
    by_name = Parameters(n_shards=parameters.n_shards)
    generator = random_generator(parameters.seed, parameters.chain, 0, Role.JOIN)
    of_rows = PartitionPrior.of(parameters.alpha, parameters.row_limit)
    return StreamingJoin(by_name, columns, number, of_rows, generator)


def start_chain(joined: Joined, parameters: Parameters) -> ChainState:
    """The chain's state before the first iteration, of what :func:`start_join` joined."""
    joined = joined.relabelled()
    parts = [Part(part.family, part.groups, part.blocks(), parameters.beta) for part in joined.parts]
    return _make_state(joined, parts, parameters.alpha, parameters, 1)


def shard_step(
    shard: Shard,
    labels: Labels,
    to_global: Labels,
    broadcast: Broadcast,
    parameters: Parameters,
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
    broadcast, sampler = at_its_power(broadcast, parameters), sampler_of(parameters.sampler)
    of_rows = PartitionPrior.of(broadcast.alpha, parameters.row_limit)
    rows = sampler.label_rows(shard, labels, broadcast, parameters, of_rows)
    if sampler.moves_columns(parameters, broadcast.iteration):
        statistics = shard.summarise(rows)
    else:
        statistics = shard.summarise_groups(rows, broadcast.parts)
    return replace(statistics, record=sampler.launch(shard, statistics.labels, broadcast, parameters))


def join_of(state: ChainState, parameters: Parameters) -> StreamingJoin:
    """The join of an iteration that starts from ``state``."""
    broadcast, sampler = at_its_power(state.broadcast, parameters), sampler_of(parameters.sampler)
    by_column = sampler.moves_columns(parameters, broadcast.iteration)
    return StreamingJoin(
        parameters,
        [
            (part.family, part.column_labels if by_column else np.arange(part.n_column_clusters, dtype=np.int32))
            for part in broadcast.parts
        ],
        sampler.count_ids(broadcast),
        PartitionPrior.of(broadcast.alpha, parameters.row_limit),
        random_generator(parameters.seed, parameters.chain, broadcast.iteration, Role.JOIN),
        draws_new=sampler.sweeps_side_by_side(parameters, broadcast.iteration),
    )


def master_step(joined: Joined, state: ChainState, parameters: Parameters, *, complete: Sequence[bool]) -> ChainState:
    """The master's part of an iteration, once the join is done.

    Decisions on whole row clusters, relabelling, column step, concentrations.

    Parameters
    ----------
    state : ChainState
        After the last iteration.
    complete : sequence of bool
        For each part, that no cell of the data is missing.
    """
    before, sampler = at_its_power(state.broadcast, parameters), sampler_of(parameters.sampler)
    of_rows = PartitionPrior.of(before.alpha, parameters.row_limit)
    joined = sampler.decide(joined, before, parameters, of_rows).relabelled()
    column_labels = [part.column_labels for part in before.parts]
    if sampler.moves_columns(parameters, before.iteration):
        column_labels = [
            column_step(joined_part.cells, part, number, sampler, parameters, before.iteration, complete=seen)
            for number, (joined_part, part, seen) in enumerate(zip(joined.parts, before.parts, complete, strict=True))
        ]
        grouped = zip(joined.parts, column_labels, strict=True)
        joined = replace(joined, parts=tuple(replace(part, groups=labels) for part, labels in grouped))
    alpha, betas = _concentrations(joined, column_labels, before, parameters)
    parts = [
        Part(part.family, labels, joined_part.blocks(), beta)
        for part, labels, joined_part, beta in zip(
            state.broadcast.parts, column_labels, joined.parts, betas, strict=True
        )
    ]
    return _make_state(joined, parts, alpha, parameters, before.iteration + 1)


def _concentrations(
    joined: Joined, column_labels: Sequence[Labels], before: Broadcast, parameters: Parameters
) -> tuple[float, list[float]]:
    generator = random_generator(parameters.seed, parameters.chain, before.iteration, Role.CONCENTRATIONS)
    alpha, betas = before.alpha, [part.beta for part in before.parts]
    if parameters.learn_alpha:
        alpha = draw_concentration(alpha, len(joined.sizes), int(joined.sizes.sum()), generator)
    if parameters.learn_beta:
        betas = [
            draw_concentration(beta, int(labels.max()) + 1, len(labels), generator)
            for beta, labels in zip(betas, column_labels, strict=True)
        ]
    return alpha, betas


def _make_state(
    joined: Joined, parts: Sequence[Part], alpha: float, parameters: Parameters, iteration: int
) -> ChainState:
    """The state of row clusters in canonical order, with what the shards need for the next iteration."""
    broadcast = Broadcast(iteration, joined.sizes, tuple(parts), alpha, ())
    record = sampler_of(parameters.sampler).record(joined, at_its_power(broadcast, parameters), parameters)
    joint = _check_finite(log_joint(parts, joined.sizes, alpha, parameters), iteration)
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
