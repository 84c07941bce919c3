"""Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman 2018) of both samplers.

Tables are drawn from the model under a prior of fixed numbers. The truth and independent draws of its posterior given
the table are then exchangeable, so that any statistic of the truth has a uniform rank among the draws.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chisquare

from benchmarks.studies.generative import Drawn, draw_table
from benchmarks.studies.kept import kept_draws, problem_of
from benchmarks.studies.rank_histograms import Row, picture
from benchmarks.studies.runs import markdown
from disnplbm.engine.options import Options
from disnplbm.engine.warmup import warm_up
from disnplbm.families.gaussian.niw import block_posterior, draw_parameters
from disnplbm.model.joint import log_joint
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats
from disnplbm.posterior.diagnostics import convergence

SHAPE = (12, 10)

#: Fixed numbers, not looked up in the data; nu0 = d + 3, so that the cells have a variance.
PRIOR = NIWPrior(np.array([0.9]), 0.5, np.array([[2.3]]), 4.0)

ALPHA, BETA = 1.5, 0.8

STATISTICS = ("K", "L", "cells of the block", "mean of the block", "log joint")

TABLES, DRAWS = 1000, 49

#: Ranks 0 to 49 in bins of five.
BINS = 10

#: Values no further apart are ties: the truth's log joint and the chains' are computed in different ways.
TIE = 1e-7

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "simulation-based-calibration.svg"


@dataclass(frozen=True)
class Setting:
    """How the draws are made.

    Parameters
    ----------
    name : str
    sampler : {"collapsed", "split-merge"}
    n_shards : int
    burn_in : int
        Iterations from the default start that are dropped.
    thin : int
        Iterations from one draw to the next.
    beta : float
        The concentration of columns that the chain is told; the tables have :data:`BETA`.
    """

    name: str
    sampler: str
    n_shards: int
    burn_in: int
    thin: int
    beta: float = BETA


SETTINGS = (
    Setting("collapsed, 1 shard", "collapsed", 1, 50, 5),
    Setting("split-merge, 1 shard", "split-merge", 1, 150, 15),
    Setting("split-merge, 3 shards", "split-merge", 3, 240, 24),
)

CONTROL = Setting("wrong on purpose: beta twice as large", "collapsed", 1, 50, 5, 2 * BETA)

INTRODUCTION = f"""## Simulation-based calibration

For each line {TABLES:,} tables of {SHAPE[0]} x {SHAPE[1]} of its own, drawn from the model with the prior held fixed:
alpha {ALPHA:g}, beta {BETA:g}, mu0 {PRIOR.mu0[0]:g}, kappa0 {PRIOR.kappa0:g}, Psi0 {PRIOR.psi0[0, 0]:g}, nu0
{PRIOR.nu0:g}. Each has one chain from the default start, of which {DRAWS} draws are kept. If the draws come from the
posterior, the true value's rank among them is uniform from 0 to {DRAWS}, whatever the statistic (Talts et al. 2018).
Ties are broken at random. The statistics: K, L, the number of cells of the block that holds cell (1, 1), that block's
mean (drawn from its posterior given the draw's partitions), and the log joint."""


def section() -> str:
    """The page in docs/results; draws its picture."""
    draws = {
        setting: calibrated(setting, range(number * TABLES, (number + 1) * TABLES), DRAWS)
        for number, setting in enumerate((*SETTINGS, CONTROL))
    }
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    rows = [Row(setting.name, binned(found.ranks, DRAWS, BINS), setting == CONTROL) for setting, found in draws.items()]
    PICTURE.write_text(picture(STATISTICS, rows, DRAWS), encoding="utf-8")
    smallest = min(float(draws[setting].p_values(DRAWS, BINS).min()) for setting in SETTINGS)
    number = len(SETTINGS) * len(STATISTICS)
    return "\n\n".join(
        [
            INTRODUCTION,
            f"P-values of the chi-square test of uniform ranks, {BINS} bins of {TABLES // BINS} expected tables:",
            markdown(("draws", *STATISTICS), [_p_values(setting, found) for setting, found in draws.items()]),
            f"The smallest of the {number} above the last line is {smallest:.2g}, times {number} (Bonferroni)"
            f" {min(1.0, number * smallest):.2g}.",
            f"What the {DRAWS} draws are worth (effective number, ArviZ, bulk): median over the tables, and the number"
            f" that one table in twenty falls below. The last line is what {DRAWS} independent normal numbers show.",
            markdown(
                ("draws", "burn-in", "thinning", *STATISTICS),
                [*(_effective(setting, draws[setting]) for setting in SETTINGS), _independent()],
            ),
            f"![Histograms of ranks, with the band that holds 99 % of uniform ones](../images/{PICTURE.name})",
        ]
    )


@dataclass(frozen=True, eq=False)
class Calibration:
    """Draws and ranks of all tables.

    Parameters
    ----------
    draws : ndarray of shape (tables, draws, statistics)
    ranks : ndarray of int, shape (tables, statistics)
        How many draws lie below the truth, ties broken at random: 0 to the number of draws.
    """

    draws: Floats
    ranks: NDArray[np.int64]

    def p_values(self, draws: int, bins: int) -> Floats:
        """Of the chi-square test of uniform ranks, one a statistic."""
        return np.asarray(chisquare(binned(self.ranks, draws, bins), axis=1).pvalue)

    def effective(self) -> Floats:
        """Effective number of draws, shape (tables, statistics); NaN where all are equal."""
        sizes = np.full(self.ranks.shape, np.nan)
        for place in np.ndindex(*self.ranks.shape):
            table, statistic = place
            found = convergence(STATISTICS[statistic], self.draws[table, None, :, statistic]).ess_bulk
            if found is not None:
                sizes[place] = found
        return sizes


def calibrated(setting: Setting, tables: Iterable[int], draws: int) -> Calibration:
    """Draws of the posterior of each table, and the truth's ranks among them.

    Parameters
    ----------
    setting : Setting
    tables : iterable of int
        The tables' seeds.
    draws : int
    """
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        of_tables, ranks = zip(*pool.map(partial(_table, setting, draws), tables, chunksize=10), strict=True)
    return Calibration(np.array(of_tables), np.array(ranks))


def _table(setting: Setting, draws: int, seed: int) -> tuple[Floats, NDArray[np.int64]]:
    """Draws and ranks of one table."""
    _warm_up_once(setting.sampler)
    generator = np.random.default_rng([seed, 20])
    truth = draw_table(SHAPE, PRIOR, ALPHA, BETA, generator)
    found = np.array(list(_draws(setting, truth, seed, draws, generator)))
    return found, ranked(_of_truth(truth, setting.beta), found, generator)


@cache
def _warm_up_once(sampler: str) -> None:
    """Load the kernels of a sampler into this process."""
    warm_up(PRIOR.dimension, Options(sampler=sampler), complete=True)


def ranked(truth: Floats, draws: Floats, generator: np.random.Generator) -> NDArray[np.int64]:
    """Rank of each statistic of the truth, shape (S,), among the draws' statistics, shape (N, S): 0 to N."""
    above = draws - truth
    below, ties = (above < -TIE).sum(axis=0), (np.abs(above) <= TIE).sum(axis=0)
    return np.asarray(below + generator.integers(ties + 1))


def binned(ranks: NDArray[np.int64], draws: int, bins: int) -> NDArray[np.int64]:
    """Counts of the ranks 0 to ``draws`` in equal bins, shape (statistics, bins).

    Raises
    ------
    ValueError
        If the ranks cannot be shared out equally.
    """
    if (draws + 1) % bins:
        raise ValueError(f"{draws + 1} ranks do not fill {bins} equal bins")
    place = ranks // ((draws + 1) // bins)
    return np.array([np.bincount(column, minlength=bins) for column in place.T])


def _of_truth(truth: Drawn, beta: float) -> Floats:
    """The statistics of what a table was drawn from; the log joint from the cells themselves, with the chain's beta."""
    rows, columns = truth.row_labels, truth.column_labels
    k, group = rows[0], columns[0]
    joint = log_joint(truth.values, rows, columns, PRIOR, alpha=ALPHA, beta=beta)
    cells = np.count_nonzero(rows == k) * np.count_nonzero(columns == group)
    return np.array([rows.max() + 1, columns.max() + 1, cells, truth.means[k, group, 0], joint])


def _draws(
    setting: Setting, truth: Drawn, seed: int, draws: int, generator: np.random.Generator
) -> Iterator[tuple[float, ...]]:
    """The statistics of each draw of a chain."""
    options = Options(
        iterations=setting.burn_in + draws * setting.thin,
        burn_in=setting.burn_in,
        draws=draws,
        sampler=setting.sampler,
        alpha=ALPHA,
        beta=setting.beta,
        seed=seed,
    )
    problem = problem_of(truth.values, PRIOR, setting.n_shards, options)
    for draw in kept_draws(problem, options):
        blocks, k, group = draw.blocks, draw.row_labels[:1], draw.column_labels[:1]
        mean, _ = draw_parameters(block_posterior(blocks[k, group], problem.only_part.prior), generator)
        yield (
            *blocks.shape,
            blocks.count[k[0], group[0]],
            float((mean[0] * problem.only_part.frame.scale + problem.only_part.frame.centre)[0]),
            draw.log_joint,
        )


def _p_values(setting: Setting, found: Calibration) -> list[str]:
    return [setting.name, *(f"{value:.2g}" for value in found.p_values(DRAWS, BINS))]


def _effective(setting: Setting, found: Calibration) -> list[str]:
    return [setting.name, str(setting.burn_in), str(setting.thin), *_middle_and_low(found.effective())]


def _independent() -> list[str]:
    """The same for draws that are known to be independent."""
    draws = np.random.default_rng(0).standard_normal((TABLES, DRAWS, 1))
    [sizes] = _middle_and_low(Calibration(draws, np.zeros((TABLES, 1), dtype=np.int64)).effective())
    return ["independent", "", "", *[sizes] * len(STATISTICS)]


def _middle_and_low(sizes: Floats) -> list[str]:
    low, middle = np.nanquantile(sizes, [0.05, 0.5], axis=0)
    return [f"{at_middle:.0f}, {at_low:.0f}" for at_middle, at_low in zip(middle, low, strict=True)]
