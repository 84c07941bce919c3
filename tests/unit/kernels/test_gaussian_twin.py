"""Features and coefficients against the normal densities written out, and draws against their probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import chisquare

from disnplbm.kernels import blocks as fast_blocks
from disnplbm.kernels.gaussian import (
    central_variates,
    coefficients,
    draw_sides,
    draw_variates,
    likelier_sides,
    n_features,
)
from disnplbm.kernels.labels import BATCH, draw_labels
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics, aggregate, cells_by_group

GROUPS = np.array([0, 1, 0, 1, 1], dtype=np.int32)


def table(n: int, d: int, missing: bool) -> Floats:
    rng = np.random.default_rng([n, d])
    values = rng.normal(size=(n, len(GROUPS), d)) + np.arange(n)[:, None, None] % 3
    if missing:
        values[rng.random((n, len(GROUPS))) < 0.3] = np.nan
    return values


def prior_of(d: int) -> NIWPrior:
    root = np.random.default_rng(d).normal(size=(d, d))
    return NIWPrior(np.linspace(0.5, -0.7, d), 0.6, root @ root.T + np.eye(d), d + 2.3)


def posterior(block: Statistics, prior: NIWPrior, power: float) -> tuple[Floats, float, Floats, float]:
    """mu, kappa, Psi and nu of one block, the formulas of docs/model.md."""
    count, away = power * block.count, block.mean - prior.mu0
    kappa = prior.kappa0 + count
    psi = prior.psi0 + power * block.scatter + prior.kappa0 * count / kappa * np.outer(away, away)
    return prior.mu0 + count / kappa * away, float(kappa), psi, float(prior.nu0 + count)


def plain_features(items: Statistics) -> Floats:
    """Features by their definition, shape (n, F)."""
    d = items.dimension
    below = np.tril_indices(d)
    squares = items.scatter + items.count[..., None, None] * items.mean[..., :, None] * items.mean[..., None, :]
    parts = [items.count[..., None], items.count[..., None] * items.mean, squares[..., below[0], below[1]]]
    return np.concatenate(parts, axis=-1).reshape(len(items.count), -1)


def log_density(cells: Floats, mean: Floats, precision: Floats) -> float:
    """Sum over the observed cells, without the factor of 2 pi."""
    away = cells[~np.isnan(cells).any(axis=1)] - mean
    return float(0.5 * len(away) * np.linalg.slogdet(precision)[1] - 0.5 * np.sum((away @ precision) * away))


@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_features_times_coefficients_are_log_densities(d: int, missing: bool, power: float) -> None:
    """Of the central parameters: the mean, and the mean of the precision, nu Psi^-1."""
    values, prior = table(9, d, missing), prior_of(d)
    items = cells_by_group(values, GROUPS, 2)
    blocks = aggregate(items, np.arange(9, dtype=np.int32) % 3, 3, axis=0)
    kernel_prior = fast_blocks.KernelPrior.of(prior, power)
    nu = (prior.nu0 + power * blocks.count).reshape(-1)
    product = plain_features(items) @ coefficients(blocks, central_variates(nu, d), kernel_prior)
    for i in range(9):
        for k in range(3):
            expected = 0.0
            for g in range(2):
                mu, _, psi, degrees = posterior(blocks[k, g], prior, power)
                expected += log_density(values[i, g == GROUPS], mu, degrees * np.linalg.inv(psi))
            assert product[i, k] == pytest.approx(power * expected, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_drawn_parameters_have_the_posterior_s_moments(d: int, power: float) -> None:
    """E Q = nu Psi^-1, E mu as it is, Var(mu) = Psi / (kappa (nu - d - 1)), E log|Q| is a sum of digammas."""
    draws, prior = 40_000, prior_of(d)
    items = cells_by_group(table(6, d, False), np.zeros(len(GROUPS), dtype=np.int32), 1)
    block = aggregate(items, np.zeros(6, dtype=np.int32), 1, axis=0)
    mu, kappa, psi, nu = posterior(block[0, 0], prior, power)
    repeated = Statistics(*(np.repeat(part, draws, axis=0) for part in (block.count, block.mean, block.scatter)))
    variates = draw_variates(np.full(draws, nu), d, np.random.default_rng(8))
    found = coefficients(repeated, variates, fast_blocks.KernelPrior.of(prior, power)).T / power
    precision = np.zeros((draws, d, d))
    rows, columns = np.tril_indices(d)
    # On the diagonal the coefficients are -Q / 2, off it -Q.
    precision[:, rows, columns] = precision[:, columns, rows] = -found[:, 1 + d :] * np.where(rows == columns, 2.0, 1.0)
    means = np.linalg.solve(precision, found[:, 1 : 1 + d, None])[..., 0]
    log_det = np.linalg.slogdet(precision)[1]
    np.testing.assert_allclose(
        found[:, 0], 0.5 * (log_det - np.einsum("na,nab,nb->n", means, precision, means)), rtol=1e-7, atol=1e-7
    )

    def agrees(sample: Floats, expected: Floats) -> None:
        """Within five standard errors."""
        error = np.abs(sample.mean(axis=0) - expected) / (sample.std(axis=0) / np.sqrt(draws))
        assert np.all(error < 5.0), error

    agrees(precision, nu * np.linalg.inv(psi))
    agrees(means, mu)
    away = means - mu
    agrees(away[:, :, None] * away[:, None, :], psi / (kappa * (nu - d - 1)))
    of_steps = digamma(0.5 * (nu - np.arange(d))).sum() + d * np.log(2.0) - np.linalg.slogdet(psi)[1]
    agrees(log_det[:, None], np.array([of_steps]))
    # Given Q, mu has precision kappa Q: the two are drawn together, not apart.
    agrees(kappa * np.einsum("na,nab,nb->n", away, precision, away)[:, None], np.array([float(d)]))


def alike(count: int, d: int, missing: bool) -> tuple[Statistics, fast_blocks.Items, fast_blocks.KernelPrior]:
    """The same item ``count`` times."""
    items = cells_by_group(np.repeat(table(2, d, missing)[1:], count, axis=0), GROUPS, 2)
    kernel_prior = fast_blocks.KernelPrior.of(prior_of(d), 1.0)
    return items, fast_blocks.items_of(items, kernel_prior, alike=not missing), kernel_prior


def plain_labels(
    features: Floats, of_clusters: Floats, log_weights: Floats, visibility: Floats, uniforms: Floats, slices: Floats
) -> list[int]:
    """Labels by inversion, one item after another."""
    labels = []
    for row, uniform, height in zip(features @ of_clusters + log_weights, uniforms, slices, strict=True):
        seen = np.where(visibility > height, row, -np.inf)
        chances = np.exp(seen - seen.max())
        labels.append(int(np.searchsorted(np.cumsum(chances), uniform * chances.sum(), side="right")))
    return labels


@pytest.mark.parametrize("n", [1, BATCH - 1, BATCH, 3 * BATCH + 5])
@pytest.mark.parametrize("clusters", [1, 3, 9])
@pytest.mark.parametrize(("d", "missing"), [(1, False), (1, True), (2, False), (3, True)])
def test_labels_are_those_of_the_plain_twin(d: int, missing: bool, clusters: int, n: int) -> None:
    items = cells_by_group(table(n, d, missing), GROUPS, 2)
    rng = np.random.default_rng([d, clusters, n])
    of_clusters = rng.normal(size=(n_features(2, d), clusters))
    log_weights = rng.normal(size=clusters)
    # Some clusters stand alone, some are alike: items of one candidate and of several.
    of_clusters[:, clusters // 2 :] = of_clusters[:, -1:]
    visibility = rng.choice([1.0, 0.7, 0.2, 0.0], size=clusters)
    visibility[0] = 1.0
    uniforms, slices = rng.random((2, n))
    fast = fast_blocks.items_of(items, fast_blocks.KernelPrior.of(prior_of(d), 1.0), alike=not missing)
    labels = np.full(n, -1, dtype=np.int32)
    draw_labels(fast, of_clusters, log_weights, visibility, uniforms, slices, labels)
    assert labels.tolist() == plain_labels(
        plain_features(items), of_clusters, log_weights, visibility, uniforms, slices
    )


@pytest.mark.parametrize(("d", "missing"), [(1, False), (1, True), (2, False), (3, True)])
def test_labels_are_drawn_in_proportion_to_the_clusters_that_are_seen(d: int, missing: bool) -> None:
    draws = 20_000
    items, fast, _ = alike(draws, d, missing)
    rng = np.random.default_rng(d)
    of_clusters = 0.1 * rng.normal(size=(n_features(2, d), 7))
    visibility = np.array([1.0, 0.5, 1.0, 0.8, 0.4, 0.1, 0.0])
    log_weights = rng.normal(size=7)
    logs = plain_features(items)[0] @ of_clusters + log_weights
    for height in (0.6, 0.45, 0.2, 0.05):
        labels = np.empty(draws, dtype=np.int32)
        draw_labels(fast, of_clusters, log_weights, visibility, rng.random(draws), np.full(draws, height), labels)
        seen = np.flatnonzero(visibility > height)
        weights = np.exp(logs[seen] - logs[seen].max())
        counts = np.bincount(labels, minlength=7)
        assert counts.sum() == counts[seen].sum()
        assert chisquare(counts[seen], draws * weights / weights.sum()).pvalue > 1e-4
        # The control: with the densities left out.
        flat = np.exp(log_weights[seen])
        assert chisquare(counts[seen], draws * flat / flat.sum()).pvalue < 1e-4


@pytest.mark.parametrize(("d", "missing"), [(1, False), (2, True)])
def test_sides_are_drawn_by_their_odds_and_weighed_alike_when_they_are_there(d: int, missing: bool) -> None:
    draws = 10_000
    items, fast, _ = alike(draws, d, missing)
    rng = np.random.default_rng(d)
    contrast = 0.1 * rng.normal(size=n_features(2, d) + 1)
    odds = float(plain_features(items)[0] @ contrast[:-1] + contrast[-1])
    chance = 1.0 / (1.0 + np.exp(-odds))
    contrasts, labels = np.stack([contrast, contrast]), np.arange(draws, dtype=np.int32) % 3
    # Cluster 0 is split under guidance, cluster 1 by chance, cluster 2 is in no try.
    try_of, present = np.array([0, 1, -1], dtype=np.int32), np.full(3, -1, dtype=np.int32)
    guided, chances = np.array([True, False]), np.array([0.9, 0.25])
    sides, minus_log_q = np.full(draws, -1, dtype=np.int32), np.zeros((2, 2))
    sides[[0, 3]] = 0, 1
    draw_sides(fast, contrasts, guided, try_of, present, rng.random(draws), chances, labels, sides, minus_log_q)
    assert (sides[labels == 2] == -1).all()
    assert (sides[0], sides[3]) == (0, 1)
    for cluster, expected in ((0, chance), (1, 0.25)):
        drawn = sides[labels == cluster][2:]
        assert abs((drawn == 0).mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / len(drawn))
    free = np.bincount(sides[(labels == 0) & (np.arange(draws) > 3)], minlength=2)
    np.testing.assert_allclose(minus_log_q[0], -free * np.log([chance, 1 - chance]), rtol=1e-9)
    np.testing.assert_array_equal(minus_log_q[1], 0.0)

    # The same sides as two clusters, to be merged: the same probability.
    apart = np.where(labels == 0, sides, 2).astype(np.int32)
    again, weighed = np.full(draws, -1, dtype=np.int32), np.zeros((1, 2))
    again[[0, 3]] = 0, 1
    draw_sides(
        fast,
        contrasts[:1],
        guided[:1],
        np.array([0, 0, -1], dtype=np.int32),
        np.array([0, 1, -1], dtype=np.int32),
        np.zeros(draws),
        chances[:1],
        apart,
        again,
        weighed,
    )
    np.testing.assert_array_equal(again[labels == 0], sides[labels == 0])
    np.testing.assert_array_equal(weighed[0], minus_log_q[0])


def test_the_likelier_side_is_that_of_positive_odds() -> None:
    items = cells_by_group(table(30, 2, True), GROUPS, 2)
    kernel_prior = fast_blocks.KernelPrior.of(prior_of(2), 1.0)
    contrast = np.random.default_rng(1).normal(size=n_features(2, 2) + 1)
    odds = plain_features(items) @ contrast[:-1] + contrast[-1]
    members = np.array([4, 0, 29, 17, 9], dtype=np.int32)
    found = likelier_sides(fast_blocks.items_of(items, kernel_prior, alike=False), contrast, members)
    np.testing.assert_array_equal(found, (odds[members] < 0).astype(np.int32))
