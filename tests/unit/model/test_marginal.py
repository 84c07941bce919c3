"""The log marginal is what integrating the parameters out gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.stats import invgamma, multivariate_t, norm

from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics, merge, summarise


def prior_of(d: int) -> NIWPrior:
    root = np.random.default_rng(d).normal(size=(d, d))
    return NIWPrior(np.linspace(0.5, -1.0, d), 0.4, root @ root.T + 0.5 * np.eye(d), d + 0.7)


def log_predictive(x: np.ndarray, seen: np.ndarray, prior: NIWPrior) -> float:
    """Student-t density of the next cell, its posterior parameters updated one cell at a time (Murphy 2007)."""
    mu, kappa, psi, nu = prior.mu0, prior.kappa0, prior.psi0, prior.nu0
    for y in seen:
        psi = psi + kappa / (kappa + 1) * np.outer(y - mu, y - mu)
        mu, kappa, nu = (kappa * mu + y) / (kappa + 1), kappa + 1, nu + 1
    freedom = nu - prior.dimension + 1
    return float(multivariate_t.logpdf(x, mu, psi * (kappa + 1) / (kappa * freedom), freedom))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 12])
def test_it_is_the_product_of_the_predictives(d: int, n: int) -> None:
    values, prior = np.random.default_rng(n).normal(size=(n, d)), prior_of(d)
    expected = sum(log_predictive(values[i], values[:i], prior) for i in range(n))
    assert float(log_marginal(summarise(values), prior)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("power", [1.0, 0.5, 0.1])
def test_it_is_the_integral_of_the_likelihood_to_the_power(power: float) -> None:
    values, prior = np.array([[0.3], [1.9], [-0.8]]), prior_of(1)
    log_variance = np.linspace(-8.0, 25.0, 3001)
    steps = np.linspace(-12.0, 12.0, 801)
    variance = np.exp(log_variance)[:, None]
    # The mean is integrated in units of its own posterior spread at that variance.
    weight = prior.kappa0 + power * len(values)
    centre = (prior.kappa0 * prior.mu0[0] + power * values.sum()) / weight
    spread = np.sqrt(variance / weight)
    mean = centre + spread * steps
    density = (
        power * norm.logpdf(values[:, 0, None, None], mean, np.sqrt(variance)).sum(axis=0)
        + norm.logpdf(mean, prior.mu0[0], np.sqrt(variance / prior.kappa0))
        + invgamma.logpdf(variance, prior.nu0 / 2, scale=prior.psi0[0, 0] / 2)
        + np.log(spread)
        + log_variance[:, None]
    )
    integral = simpson(simpson(np.exp(density), x=steps, axis=1), x=log_variance)
    assert float(log_marginal(summarise(values), prior, power)) == pytest.approx(np.log(integral), abs=1e-6)


def test_a_power_scales_count_and_scatter_alone() -> None:
    prior = prior_of(2)
    whole = summarise(np.random.default_rng(0).normal(size=(7, 2)))
    scaled = Statistics(0.3 * whole.count, whole.mean, 0.3 * whole.scatter)
    assert float(log_marginal(whole, prior, 0.3)) == pytest.approx(float(log_marginal(scaled, prior)), rel=1e-14)


@pytest.mark.parametrize("d", [1, 2])
def test_an_empty_set_has_log_marginal_0(d: int) -> None:
    assert not log_marginal(Statistics.empty((2, 3), d), prior_of(d)).any()


def test_exchangeable_cells_have_one_marginal_in_any_order() -> None:
    values, prior = np.random.default_rng(4).normal(size=(8, 2)), prior_of(2)
    first = merge(summarise(values[:3]), summarise(values[3:]))
    second = merge(summarise(values[::2]), summarise(values[1::2]))
    assert float(log_marginal(first, prior)) == pytest.approx(float(log_marginal(second, prior)), abs=1e-10)


def test_many_sets_are_evaluated_as_each_alone() -> None:
    values, prior = np.random.default_rng(5).normal(size=(2, 3, 6, 2)), prior_of(2)
    each = [[summarise(values[a, b]) for b in range(3)] for a in range(2)]
    stacked = Statistics(
        np.array([[s.count for s in row] for row in each]),
        np.array([[s.mean for s in row] for row in each]),
        np.array([[s.scatter for s in row] for row in each]),
    )
    expected = [[float(log_marginal(s, prior)) for s in row] for row in each]
    np.testing.assert_allclose(log_marginal(stacked, prior), expected, rtol=1e-14)
