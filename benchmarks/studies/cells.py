"""Counts and yes or no, drawn from their models: are ranks uniform, and do intervals of blocks hold what they say?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.special import betaln, gammaln
from scipy.stats import binomtest, chisquare

from benchmarks.studies.generative import draw_partition
from benchmarks.studies.kept import kept_draws
from benchmarks.studies.runs import markdown
from benchmarks.studies.simulation_based import binned, ranked
from disnplbm.data.typed import deal_cells
from disnplbm.engine.options import Options
from disnplbm.engine.problem import problem_of_dealt
from disnplbm.families.base import Family
from disnplbm.families.categories import Categories
from disnplbm.families.counts import Counts
from disnplbm.model.partition import log_crp
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.summary import summarise_draws

TABLES, SHAPE, N_SHARDS = 200, (12, 10), 3

ALPHA, BETA = 1.2, 0.8

#: Of the rate of a count, and of the share of ones; fixed numbers, not looked up in the data.
RATE, SHARE = (1.5, 0.7), (1.2, 0.8)

#: What is kept of a chain: 199 draws for intervals, of which every fourth has a say in ranks.
BURN_IN, THIN, DRAWS, EVERY = 100, 3, 199, 4

BINS = 10

STATISTICS = ("K", "L", "cells of the block", "rate or share of the block", "log joint")


@dataclass(frozen=True)
class Kind:
    """A kind of cells under its prior.

    Parameters
    ----------
    figure : str
        What a block is told by.
    draw : callable
        Draws blocks of a shape.
    cell : callable
        Draws cells, given what their blocks are.
    log_marginal : callable
        Of the number and the total of the cells of a set, each of shape (K, L).
    """

    cells: str
    figure: str
    family: Family
    draw: Callable[[np.random.Generator, tuple[int, int]], Floats]
    cell: Callable[[np.random.Generator, Floats], Floats]
    log_marginal: Callable[[Floats, Floats], Floats]


def _of_counts(number: Floats, total: Floats) -> Floats:
    a, b = RATE
    return np.asarray(a * np.log(b) - gammaln(a) + gammaln(a + total) - (a + total) * np.log(b + number))


def _of_shares(number: Floats, total: Floats) -> Floats:
    a, b = SHARE
    return np.asarray(betaln(a + total, b + number - total) - betaln(a, b))


KINDS = {
    "counts": Kind(
        "counts",
        "rate",
        Counts(*RATE),
        lambda generator, shape: generator.gamma(RATE[0], 1.0 / RATE[1], size=shape),
        lambda generator, means: generator.poisson(means).astype(np.float64),
        _of_counts,
    ),
    "yes or no": Kind(
        "binary",
        "share",
        Categories(SHARE[::-1]),
        lambda generator, shape: generator.beta(*SHARE, size=shape),
        lambda generator, means: (generator.random(means.shape) < means).astype(np.float64),
        _of_shares,
    ),
}


def _table(name: str, seed: int) -> tuple[np.ndarray, list[bool], bool]:
    """Ranks of the truth of one table, and which intervals hold it: of all blocks, and of the block of cell (1, 1)."""
    kind, generator = KINDS[name], np.random.default_rng([11, seed])
    while True:
        rows, columns = draw_partition(SHAPE[0], ALPHA, generator), draw_partition(SHAPE[1], BETA, generator)
        blocks = kind.draw(generator, (int(rows.max()) + 1, int(columns.max()) + 1))
        means = blocks[np.ix_(rows, columns)]
        values = kind.cell(generator, means)
        if values.sum() > 0.0 and (kind.cells == "counts" or values.sum() < values.size):
            break
    draws = _draws(kind, values, seed)
    found = np.array([_statistics_of(draw, kind, generator) for draw in list(draws)[EVERY - 1 :: EVERY]])
    truth = _truth(kind, values, rows, columns, means[0, 0])
    summary = summarise_draws(draws, generator, None)
    interval = summary.blocks.figures[kind.figure]
    held = np.empty(interval.mean.shape[:2], dtype=bool)
    for k, group in np.ndindex(held.shape):
        mean = means[np.ix_(summary.rows.labels == k, summary.columns.labels == group)].mean()
        held[k, group] = interval.low[k, group, 0] <= mean <= interval.high[k, group, 0]
    chosen = bool(held[summary.rows.labels[0], summary.columns.labels[0]])
    return ranked(truth, found, generator), held.ravel().tolist(), chosen


def _draws(kind: Kind, values: Floats, seed: int) -> Draws:
    options = Options(
        cells=kind.cells,
        exposure="none",
        alpha=ALPHA,
        beta=BETA,
        seed=seed,
        iterations=BURN_IN + THIN * DRAWS,
        burn_in=BURN_IN,
        draws=DRAWS,
    )
    dealt = deal_cells(
        _Shape(*SHAPE, 1),
        [(0, csr_array(values))],
        [str(j) for j in range(SHAPE[1])],
        cells=kind.cells,
        exposure="none",
        transform="none",
        n_shards=N_SHARDS,
        axis="rows",
    )
    problem = problem_of_dealt(dealt.prepared, dealt.shards, options)
    part = replace(problem.only_part, family=kind.family, log_constant=0.0)
    problem = replace(problem, parts=(part,))
    return Draws.of(kept_draws(problem, options), problem.draws_meta(options, "none", None))


@dataclass(frozen=True)
class _Shape:
    n: int
    p: int
    dimension: int


def _statistics_of(draw: Any, kind: Kind, generator: np.random.Generator) -> tuple[float, ...]:
    k, group = draw.row_labels[0], draw.column_labels[0]
    cells = np.count_nonzero(draw.row_labels == k) * np.count_nonzero(draw.column_labels == group)
    block = draw.blocks[k : k + 1][:, group : group + 1]
    figure = kind.family.draw_figures(block, lambda found: found, generator)[kind.figure]
    return (*draw.blocks.shape, cells, float(figure[0, 0, 0]), draw.log_joint)


def _truth(kind: Kind, values: Floats, rows: Labels, columns: Labels, mean: float) -> Floats:
    """The statistics of what a table was drawn from; the log joint from the cells themselves."""
    of_rows, of_columns = np.eye(int(rows.max()) + 1)[rows], np.eye(int(columns.max()) + 1)[columns]
    number, total = np.outer(of_rows.sum(axis=0), of_columns.sum(axis=0)), of_rows.T @ values @ of_columns
    joint = kind.log_marginal(number, total).sum()
    joint += log_crp(np.bincount(rows), ALPHA) + log_crp(np.bincount(columns), BETA)
    block = number[rows[0], columns[0]]
    return np.array([len(number), number.shape[1], block, mean, joint])


def section() -> str:
    """The page in docs/results."""
    uniform, held = [], []
    for name in KINDS:
        with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
            ranks, every, chosen = zip(*pool.map(partial(_table, name), range(TABLES), chunksize=10), strict=True)
        counted = binned(np.array(ranks), (DRAWS + 1) // EVERY - 1, BINS)
        uniform.append([name, *(f"{chisquare(each).pvalue:.2g}" for each in counted)])
        for what, found in (
            ("every block", np.concatenate([np.array(each) for each in every])),
            ("the block of cell (1, 1)", np.array(chosen)),
        ):
            low, high = binomtest(int(found.sum()), len(found)).proportion_ci()
            held.append([name, what, f"{len(found):,}", f"{found.mean():.2%}", f"{low:.1%} to {high:.1%}"])
    return "\n".join(
        [
            "## Counts and yes or no, from their models",
            "",
            f"{TABLES} tables of {SHAPE[0]} x {SHAPE[1]} cells of each kind, drawn from the model: rates"
            f" Gamma({RATE[0]}, rate {RATE[1]}), shares of ones Beta({SHARE[0]}, {SHARE[1]}), alpha {ALPHA}, beta"
            f" {BETA}. `split-merge` samples each on {N_SHARDS} shards: {DRAWS} draws, {THIN} iterations apart, after"
            f" {BURN_IN}.",
            "",
            f"The rank of the truth among every {EVERY}th draw is uniform if the draws are right. p-values of the"
            f" chi-square test over {BINS} bins:",
            "",
            markdown(("cells", *STATISTICS), uniform),
            "",
            "A 95 % interval of a block of the consensus should hold the mean of the true rates (or shares) of its"
            " cells in 95 % of cases. The last column is the 95 % interval of the share itself (blocks of one table are"
            " not independent, so that for every block it is too narrow).",
            "",
            markdown(("cells", "intervals of", "number", "hold the truth", "95 % interval"), held),
        ]
    )
