"""What a run reports of its draws: partitions with their blocks and joint density, and what the draws say of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.kernels.marginal import log_marginals
from disnplbm.kernels.statistics import aggregate, cells_by_cluster
from disnplbm.kernels.urn import log_partition, urn
from disnplbm.model.statistics import Labels, Statistics, merge
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary, map_draw, summarise_draws
from disnplbm.sampler.concentrations import log_prior
from disnplbm.sampler.keys import Role, stream


def estimate(problem: Problem, draws: Draws, options: Options, last: Result) -> tuple[Result, Summary]:
    """The result to report, and what the draws say of it.

    Parameters
    ----------
    problem : Problem
        Its shards are read once.
    draws : Draws
    options : Options
        Which estimate, and by which loss.
    last : Result
        The first chain's last state.
    """
    kind, labels, joint = options.estimated, None, None
    if kind == "last":
        labels, joint = (last.row_labels, last.column_labels), last.log_joint
    elif kind == "map":
        best = map_draw(draws)
        labels, joint = (best.row_labels, best.column_labels), best.log_joint
    parameters = problem.parameters
    generator = stream(parameters.seed, parameters.chain, len(last.trace), Role.BLOCK_SUMMARY)
    summary = summarise_draws(draws, generator, labels, options.loss or "vi")
    rows, columns = summary.rows.labels, summary.columns.labels
    blocks = _blocks_of(problem, rows, columns)
    if joint is None:
        numbers = draws.numbers()
        concentrations = float(numbers.alpha.mean()), float(numbers.beta.mean())
        joint = _log_joint(problem, options, (rows, columns), blocks, concentrations)
    blocks = problem.frame.leave(blocks)
    return replace(last, row_labels=rows, column_labels=columns, blocks=blocks, joint=joint), summary


def _blocks_of(problem: Problem, rows: Labels, columns: Labels) -> Statistics:
    """Statistics, shape (K, L), of the blocks of two partitions, in the working frame and the user's orientation."""
    items, others = (rows, columns) if problem.axis == "rows" else (columns, rows)
    number, d = int(items.max()) + 1, problem.shards[0].values.shape[2]
    cells = Statistics.empty((number, len(others)), d)
    for shard in problem.shards:
        here = items[shard.index :: shard.n_shards]
        cells = merge(cells, cells_by_cluster(shard.values, here, number, complete=shard.complete))
    blocks = aggregate(cells, others, int(others.max()) + 1, axis=1)
    return blocks if problem.axis == "rows" else blocks.T


def _log_joint(
    problem: Problem,
    options: Options,
    labels: tuple[Labels, Labels],
    blocks: Statistics,
    concentrations: tuple[float, float],
) -> float:
    """log p(X, z, w) in the user's units of partitions, as a chain traces it for its states.

    Parameters
    ----------
    problem : Problem
    options : Options
    labels : pair of ndarray of int32
        Of rows and of columns.
    blocks : Statistics of shape (K, L)
        In the working frame.
    concentrations : pair of float
        Of rows and of columns; their prior counts where they are learned.
    """
    total = float(log_marginals(blocks, problem.hyper).sum())
    given = (options.alpha, options.beta), (options.fix_row_clusters, options.fix_column_clusters)
    for partition, concentration, asked, limit in zip(labels, concentrations, *given, strict=True):
        total += log_partition(np.bincount(partition), urn(concentration, limit))
        total += log_prior(concentration) if asked == "learn" else 0.0
    return total + problem.frame.log_jacobian(options.power * problem.observed)
