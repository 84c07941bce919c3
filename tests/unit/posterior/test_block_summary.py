"""Mean and spread of consensus blocks: against listing all cells, and against known answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from disnplbm.errors import InputError
from disnplbm.families.gaussian.niw import block_posterior, draw_parameters
from disnplbm.posterior.block_summary import summarise_blocks
from disnplbm.posterior.draws import Draws

from .draw_samples import draw_of, meta_of, random_draws, table, user_prior


@pytest.mark.parametrize("power", [1.0, 0.4])
@pytest.mark.parametrize("d", [1, 3])
def test_summary_is_that_of_listing_all_positions(d: int, power: float) -> None:
    values = table(11, 7, d, missing=0.2)
    draws = random_draws(values, meta_of(values, power), 50)
    rows, columns = np.arange(11) % 4, np.arange(7) % 2
    (got,) = summarise_blocks(draws, rows, columns, np.random.default_rng(3))
    generator = np.random.default_rng(3)
    centres, spreads = np.empty((50, 4, 2, d)), np.empty((50, 4, 2, d))
    for s, draw in enumerate(draws):
        mean, variance = draw_parameters(block_posterior(draw.blocks, draws.prior, power), generator)
        for k in range(4):
            for c in range(2):
                cells = [
                    (draw.row_labels[i], draw.column_labels[j])
                    for i in np.flatnonzero(rows == k)
                    for j in np.flatnonzero(columns == c)
                ]
                means = np.array([mean[cell] for cell in cells]) * draws.frame.scale + draws.frame.centre
                variances = np.array([variance[cell] for cell in cells]) * draws.frame.scale**2
                centres[s, k, c] = means.mean(axis=0)
                spreads[s, k, c] = np.sqrt(variances.mean(axis=0) + means.var(axis=0))
    for interval, samples in ((got.centre, centres), (got.spread, spreads)):
        np.testing.assert_allclose(interval.mean, samples.mean(axis=0), rtol=1e-9)
        ordered = np.sort(samples, axis=0)
        # Places 0.025 x 51 = 1.275 and 49.725, counted from 1.
        np.testing.assert_allclose(interval.low, 0.725 * ordered[0] + 0.275 * ordered[1], rtol=1e-9)
        np.testing.assert_allclose(interval.high, 0.275 * ordered[-2] + 0.725 * ordered[-1], rtol=1e-9)


def test_a_certain_partition_gives_the_interval_of_student_t() -> None:
    """All draws agree, so that a block's mean has the t posterior of the textbook, in the user's units."""
    values = table(12, 4, 1)
    meta = meta_of(values)
    rows, columns = np.arange(12) % 3, np.zeros(4, dtype=int)
    draw = draw_of(values, meta, rows, columns)
    draws = Draws.of([draw], meta).select(np.zeros(10_000, dtype=int))
    (got,) = summarise_blocks(draws, draw.row_labels, draw.column_labels, np.random.default_rng(0))
    prior = user_prior(1)
    for k in range(3):
        cells = values[draw.row_labels == k].ravel()
        n = len(cells)
        kappa, nu = prior.kappa0 + n, prior.nu0 + n
        psi = prior.psi0[0, 0] + ((cells - cells.mean()) ** 2).sum()
        psi += prior.kappa0 * n / kappa * (cells.mean() - prior.mu0[0]) ** 2
        centre = (prior.kappa0 * prior.mu0[0] + n * cells.mean()) / kappa
        scale = np.sqrt(psi / (kappa * nu))
        low, high = t(nu, centre, scale).interval(0.95)
        assert got.centre.mean[k, 0, 0] == pytest.approx(centre, abs=0.03 * scale)
        assert got.centre.low[k, 0, 0] == pytest.approx(low, abs=0.1 * scale)
        assert got.centre.high[k, 0, 0] == pytest.approx(high, abs=0.1 * scale)


def test_one_draw_is_its_own_interval() -> None:
    values = table(6, 3, 2)
    draws = random_draws(values, meta_of(values), 1)
    (got,) = summarise_blocks(draws, np.zeros(6, dtype=int), np.zeros(3, dtype=int), np.random.default_rng(0))
    for interval in (got.centre, got.spread):
        assert interval.mean.shape == (1, 1, 2)
        np.testing.assert_array_equal(interval.low, interval.mean)
        np.testing.assert_array_equal(interval.high, interval.mean)


def test_what_does_not_fit_is_refused() -> None:
    values = table(6, 3, 1)
    draws = random_draws(values, meta_of(values), 2)
    with pytest.raises(InputError, match="labels of 5 rows and 3 columns do not fit the draws' 6 and 3"):
        summarise_blocks(draws, np.zeros(5, dtype=int), np.zeros(3, dtype=int), np.random.default_rng(0))
    with pytest.raises(InputError, match="there are no draws"):
        summarise_blocks(draws[:0], np.zeros(6, dtype=int), np.zeros(3, dtype=int), np.random.default_rng(0))
