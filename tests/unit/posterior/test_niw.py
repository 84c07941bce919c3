"""Posteriors of blocks, and the distribution of what is drawn from them."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.stats import chi2, kstest, t

from disnplbm.families.gaussian.niw import block_posterior, draw_parameters, inverse_lower
from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics, merge, summarise

from .draw_samples import user_prior


def blocks_of(d: int, *sizes: int) -> Statistics:
    rng = np.random.default_rng(d)
    sets = [summarise(20.0 + 3.0 * rng.normal(size=(size, d))) for size in sizes]
    return Statistics(*(np.array([getattr(one, name) for one in sets]) for name in ("count", "mean", "scatter")))


def repeated(blocks: Statistics, number: int) -> Statistics:
    return blocks[np.zeros(number, dtype=int)]


@pytest.mark.parametrize("power", [1.0, 0.3])
@pytest.mark.parametrize("d", [1, 2, 5])
def test_posterior_is_that_of_the_model(d: int, power: float) -> None:
    """Psi by the model's own marginal: merging two halves gives the posterior of the whole, with power."""
    prior, blocks = user_prior(d), blocks_of(d, 0, 1, 9)
    got = block_posterior(blocks, prior, power)
    np.testing.assert_allclose(got.kappa[:, 0], prior.kappa0 + power * blocks.count)
    np.testing.assert_allclose(got.nu[:, 0], prior.nu0 + power * blocks.count)
    # Adding r N cells to kappa0 cells at mu0 is a merge of two sets.
    pseudo = Statistics(np.full(3, prior.kappa0), np.tile(prior.mu0, (3, 1)), np.tile(prior.psi0, (3, 1, 1)))
    both = merge(pseudo, Statistics(power * blocks.count, blocks.mean, power * blocks.scatter))
    np.testing.assert_allclose(got.mu[:, 0], both.mean)
    psi = (got.root @ np.swapaxes(got.root, -1, -2))[:, 0]
    np.testing.assert_allclose(psi, both.scatter, rtol=1e-10)
    np.testing.assert_allclose(got.psi_diagonal[:, 0], np.diagonal(both.scatter, axis1=-2, axis2=-1))
    np.testing.assert_allclose(2 * got.log_det_root[:, 0], np.linalg.slogdet(both.scatter)[1])
    assert log_marginal(blocks, prior)[0] == 0.0


def test_posterior_of_diagonal_blocks_is_that_of_each_number() -> None:
    prior, rng = replace(user_prior(1), copies=3), np.random.default_rng(0)
    values = 20.0 + 3.0 * rng.normal(size=(7, 3))
    got = block_posterior(summarise(values, diagonal=True), prior, 0.5)
    for a in range(3):
        one = block_posterior(summarise(values[:, [a]]), prior, 0.5)
        for field in fields(got):
            np.testing.assert_allclose(getattr(got, field.name)[a], getattr(one, field.name)[0], rtol=1e-12)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_inverse_of_a_triangle(d: int) -> None:
    root = np.tril(np.random.default_rng(0).normal(size=(4, d, d))) + 3.0 * np.eye(d)
    np.testing.assert_allclose(inverse_lower(root) @ root, np.broadcast_to(np.eye(d), (4, d, d)), atol=1e-12)


def test_rounding_cannot_make_a_block_narrower_than_the_prior() -> None:
    """A scatter of two components that are one, in units far apart, is singular but for the prior's share."""
    line = np.linspace(-1e6, 1e6, 50)
    prior = NIWPrior(np.zeros(2), 1.0, 1e-9 * np.eye(2), 3.0)
    root = block_posterior(summarise(np.stack([line, line], axis=1)), prior).root[0]
    assert np.isfinite(root).all()
    assert np.diagonal(root).min() >= np.sqrt(1e-9) * (1 - 1e-12)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_drawn_parameters_have_the_posterior_moments(d: int) -> None:
    number = 200_000
    posterior = block_posterior(repeated(blocks_of(d, 11), number), user_prior(d))
    mean, variance = draw_parameters(posterior, np.random.default_rng(1))
    kappa, nu = posterior.kappa[0, 0], posterior.nu[0, 0]
    expected = posterior.psi_diagonal[0, 0] / (nu - d - 1)
    np.testing.assert_allclose(variance.mean(axis=0), expected, rtol=0.01)
    np.testing.assert_allclose(mean.mean(axis=0), posterior.mu[0, 0], atol=6 * np.sqrt(expected.max() / kappa / number))
    psi = posterior.root[0, 0] @ posterior.root[0, 0].T
    np.testing.assert_allclose(np.atleast_2d(np.cov(mean.T)), psi / (nu - d - 1) / kappa, rtol=0.06, atol=0.003)


@pytest.mark.parametrize("d", [1, 3])
def test_drawn_parameters_have_the_posterior_marginals(d: int) -> None:
    """The mean of a component is Student's t, and Psi_cc over its variance chi-square of nu - d + 1 degrees."""
    posterior = block_posterior(repeated(blocks_of(d, 5), 20_000), user_prior(d))
    mean, variance = draw_parameters(posterior, np.random.default_rng(2))
    kappa, freedom = posterior.kappa[0, 0], posterior.nu[0, 0] - d + 1
    for c in range(d):
        psi = posterior.psi_diagonal[0, 0, c]
        scaled = (mean[:, c] - posterior.mu[0, 0, c]) / np.sqrt(psi / (kappa * freedom))
        assert kstest(scaled, t(freedom).cdf).pvalue > 1e-3
        assert kstest(psi / variance[:, c], chi2(freedom).cdf).pvalue > 1e-3
        # The tests have the power to tell: of a degree of freedom, and of a tenth of the scale.
        assert kstest(psi / variance[:, c], chi2(freedom + 1).cdf).pvalue < 1e-3
        assert kstest(1.1 * scaled, t(freedom).cdf).pvalue < 1e-3
