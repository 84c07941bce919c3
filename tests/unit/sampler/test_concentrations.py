"""Learned concentrations have the posterior that quadrature gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln
from scipy.stats import gamma, kstest

from disnplbm.sampler.concentrations import RATE, SHAPE, draw_concentration, log_prior


def cumulative(clusters: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Grid and distribution function of alpha given K: its prior times alpha^K Gamma(alpha) / Gamma(alpha + n)."""
    grid = np.linspace(1e-9, 40.0, 200_001)
    logs = (SHAPE - 1 + clusters) * np.log(grid) - RATE * grid + gammaln(grid) - gammaln(grid + n)
    weights = np.exp(logs - logs.max())
    steps = np.append(0.0, np.cumsum(0.5 * (weights[1:] + weights[:-1])))
    return grid, steps / steps[-1]


def chain(clusters: int, n: int) -> np.ndarray:
    """Draws, thinned so far that the rest of their correlation cannot be seen."""
    generator, alpha, draws = np.random.default_rng(clusters), 1.0, np.empty(4000)
    for m in range(len(draws)):
        for _ in range(10):
            alpha = draw_concentration(alpha, clusters, n, generator)
        draws[m] = alpha
    return draws


@pytest.mark.parametrize(("clusters", "n"), [(1, 1), (1, 50), (3, 4), (12, 500), (40, 60)])
def test_the_posterior_is_that_of_quadrature(clusters: int, n: int) -> None:
    draws, (grid, expected) = chain(clusters, n), cumulative(clusters, n)
    assert kstest(draws, lambda x: np.interp(x, grid, expected)).pvalue > 1e-4


@pytest.mark.parametrize(("clusters", "n"), [(4, 50), (3, 100)])
def test_another_posterior_is_told_apart(clusters: int, n: int) -> None:
    grid, other = cumulative(clusters, n)
    assert kstest(chain(3, 50), lambda x: np.interp(x, grid, other)).pvalue < 1e-4


def test_the_log_prior_is_the_gamma_density() -> None:
    for alpha in (1e-3, 0.4, 1.0, 9.0):
        assert log_prior(alpha) == pytest.approx(gamma.logpdf(alpha, SHAPE, scale=1 / RATE), abs=1e-12)
    assert quad(lambda alpha: np.exp(log_prior(alpha)), 0, np.inf)[0] == pytest.approx(1.0)
