"""What a run reports of its draws: partitions with their blocks and joint density, and what the draws say of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.families.base import Statistics
from disnplbm.model.statistics import Labels
from disnplbm.parts import split_labels
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
    parameters = problem.parameters
    summary, joint = summarise_kept(draws, options, last, seed=parameters.seed, chain=parameters.chain)
    rows, columns = summary.rows.labels, summary.columns.labels
    blocks = blocks_of(problem, rows, columns)
    if joint is None:
        numbers = summary.reported.draws.numbers()
        items, others = problem.oriented(rows, columns)
        alpha, beta = problem.oriented(float(numbers.alpha.mean()), float(numbers.beta.mean()))
        betas = [beta, *_mean_more_betas(summary.reported.draws)]
        labels = split_labels(others, problem.n_columns)
        parts = [Part(*part) for part in zip(problem.families, labels, blocks, betas, strict=True)]
        joint = log_joint(parts, np.bincount(items), alpha, parameters)
        joint += problem.log_constant
    left = [family.leave(of_part) for family, of_part in zip(problem.families, problem.turned(blocks), strict=True)]
    return replace(last, row_labels=rows, column_labels=columns, parts=tuple(left), joint=joint), summary


def _mean_more_betas(draws: Draws) -> list[float]:
    """Mean concentration of the columns of each part but the first one."""
    if len(draws.meta.parts) == 1:
        # Whole draws are read for it.
        return []
    more: list[float] = np.mean([draw.betas[1:] for draw in draws], axis=0).tolist()
    return more


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


def blocks_of(problem: Problem, rows: Labels, columns: Labels) -> tuple[Statistics, ...]:
    """Statistics of the blocks of two partitions, in the working frame and the orientation of the shards, by part."""
    items, others = problem.oriented(rows, columns)
    families, number = problem.families, int(items.max()) + 1

    def of_shard(shard: Shard) -> list[Statistics]:
        here = items[slice_of(shard.index, shard.n_shards)]
        return [part.cells.by_cluster(here, number) for part in shard.parts]

    cells = [family.empty((number, p)) for family, p in zip(families, problem.n_columns, strict=True)]
    # By index: a loop over the shards would hold one while the next is loaded.
    for index in range(len(problem.shards)):
        found = zip(families, cells, of_shard(problem.shards[index]), strict=True)
        cells = [family.merge(before, here) for family, before, here in found]
    of_parts = zip(families, cells, split_labels(others, problem.n_columns), strict=True)
    return tuple(family.aggregate(sums, labels, int(labels.max()) + 1, axis=1) for family, sums, labels in of_parts)
