"""What a run reports of its draws: partitions with their blocks and joint density, and what the draws say of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.families.base import Statistics
from disnplbm.model.statistics import Labels
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary, map_draw, summarise_draws
from disnplbm.sampler.joint import log_joint
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import Shard


def estimate(problem: Problem, draws: Draws, options: Options, last: Result) -> tuple[Result, Summary]:
    """The result to report, and what the draws say of it.

    Parameters
    ----------
    problem : Problem
        Its shards are read once.
    options : Options
        Which estimate, and by which loss.
    last : Result
        The first chain's last state.
    """
    parameters, family = problem.parameters, problem.only_part.family
    summary, joint = summarise_kept(draws, options, last, seed=parameters.seed, chain=parameters.chain)
    rows, columns = summary.rows.labels, summary.columns.labels
    blocks = blocks_of(problem, rows, columns)
    if joint is None:
        numbers = summary.reported.draws.numbers()
        items, others = problem.oriented(rows, columns)
        alpha, beta = problem.oriented(float(numbers.alpha.mean()), float(numbers.beta.mean()))
        joint = log_joint([Part(family, others, blocks, beta)], np.bincount(items), alpha, parameters)
        joint += problem.log_constant
    blocks = family.leave(blocks if problem.axis == "rows" else blocks.T)
    return replace(last, row_labels=rows, column_labels=columns, blocks=blocks, joint=joint), summary


def summarise_kept(
    draws: Draws, options: Options, last: Result, *, seed: int, chain: int
) -> tuple[Summary, float | None]:
    """What the draws of a run say of the partitions that its options ask for; nothing but the draws is read.

    Parameters
    ----------
    last : Result
        The first chain's last state. Its labels are looked at only where they are what is reported.
    seed, chain : int
        Of the run, and of its first chain.

    Returns
    -------
    summary : Summary
    joint : float or None
        log p(X, z, w) of the partitions where it is known without the table: they are a draw or the last state.
    """
    kind, given, joint = options.estimated, None, None
    if kind == "last":
        given, joint = (last.row_labels, last.column_labels, chain), last.log_joint
    elif kind == "map":
        best = map_draw(draws)
        given, joint = (best.row_labels, best.column_labels, best.chain), best.log_joint
    generator = random_generator(seed, chain, len(last.trace), Role.BLOCK_SUMMARY)
    return summarise_draws(draws, generator, given, options.loss or "vi"), joint


def blocks_of(problem: Problem, rows: Labels, columns: Labels) -> Statistics:
    """Statistics of the blocks of two partitions, in the working frame and the orientation of the shards."""
    items, others = problem.oriented(rows, columns)
    family, number = problem.only_part.family, int(items.max()) + 1

    def of_shard(shard: Shard) -> Statistics:
        cells: Statistics = shard.only_part.cells.by_cluster(items[slice_of(shard.index, shard.n_shards)], number)
        return cells

    cells = family.empty((number, len(others)))
    # By index: a loop over the shards would hold one while the next is loaded.
    for index in range(len(problem.shards)):
        cells = family.merge(cells, of_shard(problem.shards[index]))
    blocks: Statistics = family.aggregate(cells, others, int(others.max()) + 1, axis=1)
    return blocks
