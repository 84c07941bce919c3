"""Intervals of block means and spreads cover at their level over tables from the prior, with exact posterior draws."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.generative import draw_table

from disnplbm.families.gaussian import Gaussian
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, aggregate, cells_by_cluster
from disnplbm.posterior.block_summary import summarise_blocks
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta

from .enumeration import Problem
from .problems import ALPHA, BETA

pytestmark = pytest.mark.long

SHAPE = (4, 3)
N_DRAWS = 99


def simulated(prior: NIWPrior, rng: np.random.Generator) -> tuple[Floats, Floats, Floats]:
    """A table from the model with one cell missing, and the mean and covariance behind each cell."""
    drawn = draw_table(SHAPE, prior, ALPHA, BETA, rng)
    drawn.values[1, 2] = np.nan
    of_cells = np.ix_(drawn.row_labels, drawn.column_labels)
    return drawn.values, drawn.means[of_cells], drawn.covariances[of_cells]


def posterior_draws(values: Floats, prior: NIWPrior, rng: np.random.Generator) -> tuple[Draws, Labels, Labels]:
    """Exact draws of the partitions, and the most probable pair of them."""
    target = Problem(values, prior, ALPHA, BETA)
    n = len(values)
    chosen = rng.choice(len(target.pairs), N_DRAWS, p=target.posterior)
    different, position = np.unique(chosen, return_inverse=True)

    def draw(index: int) -> Draw:
        z, w = target.pairs[index, :n], target.pairs[index, n:]
        blocks = aggregate(cells_by_cluster(values, z, int(z.max()) + 1), w, int(w.max()) + 1, axis=1)
        return Draw.of_one(0, 1, 0.0, ALPHA, BETA, z, w, blocks)

    d = prior.dimension
    meta = DrawsMeta.of_one(*values.shape[:2], Gaussian(prior, 1.0, Frame.of_units(d)))
    best = target.pairs[int(np.argmax(target.posterior))]
    return Draws.of((draw(index) for index in different), meta).select(position), best[:n], best[n:]


def coverage(dimension: int, tables: int, seed: int, prior_known: bool = True) -> Floats:
    """Share of tables whose intervals hold the truth, of the block of cell (0, 0): mean and spread of component 0."""
    rng = np.random.default_rng(seed)
    d = dimension
    prior = NIWPrior(np.linspace(0.9, -0.6, d), 0.4, 0.8 * np.ones((d, d)) + 1.5 * np.eye(d), d + 2.5)
    assumed = prior if prior_known else NIWPrior(prior.mu0, prior.kappa0, 0.25 * prior.psi0, prior.nu0 + 4)
    covered = np.zeros(2)
    for _ in range(tables):
        values, means, covariances = simulated(prior, rng)
        draws, z, w = posterior_draws(values, assumed, rng)
        (summary,) = summarise_blocks(draws, z, w, rng)
        block = np.ix_(z == z[0], w == w[0])
        mean, variance = means[block][..., 0], covariances[block][..., 0, 0]
        for number, (interval, truth) in enumerate(
            ((summary.centre, mean.mean()), (summary.spread, np.sqrt(variance.mean() + mean.var())))
        ):
            at = z[0], w[0], 0
            covered[number] += interval.low[at] <= truth <= interval.high[at]
    return covered / tables


@pytest.mark.parametrize("dimension", [1, 2])
def test_intervals_cover_at_their_level(dimension: int) -> None:
    tables = 400
    found = coverage(dimension, tables, seed=dimension)
    print(found)
    # Four standard errors of a share of 0.95.
    assert (np.abs(found - 0.95) < 4 * np.sqrt(0.95 * 0.05 / tables)).all()


def test_intervals_under_a_wrong_prior_do_not() -> None:
    """The negative control: blocks are taken for narrower than they are."""
    found = coverage(1, 150, seed=3, prior_known=False)
    print(found)
    assert (found < 0.95 - 4 * np.sqrt(0.95 * 0.05 / 150)).all()
