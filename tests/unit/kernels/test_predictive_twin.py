"""The predictive kernels against the same sums written out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from disnplbm.kernels import blocks as fast_blocks
from disnplbm.kernels.predictive import LogMean, add_memberships
from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import aggregate, cells_by_group
from disnplbm.model.sweep import candidate_log_weights

ALPHA = 1.6


@pytest.mark.parametrize("power", [1.0, 0.5])
@pytest.mark.parametrize(("d", "missing"), [(1, 0.0), (1, 0.3), (2, 0.0), (3, 0.2), (9, 0.0), (9, 0.3)])
def test_memberships_and_densities_equal_the_twins(d: int, missing: float, power: float) -> None:
    rng = np.random.default_rng(d)
    values = rng.normal(size=(20, 6, d)) + 2.0 * rng.integers(0, 3, size=(20, 1, 1))
    values[rng.random((20, 6)) < missing] = np.nan
    root = rng.normal(size=(d, d))
    prior = NIWPrior(rng.normal(size=d), 0.7, root @ root.T + np.eye(d), d + 1.3)
    groups, labels = np.array([0, 1, 2, 0, 1, 0], dtype=np.int32), np.arange(14, dtype=np.int32) % 5
    statistics = cells_by_group(values, groups, 3)
    blocks, items = aggregate(statistics[:14], labels, 5, axis=0), statistics[14:]
    sizes, parts = np.bincount(labels).astype(float), rng.dirichlet(np.ones(4), 5)
    kernel_prior = fast_blocks.KernelPrior.of(prior, power)
    fast_items = fast_blocks.items_of(items, kernel_prior, alike=missing == 0)
    clusters = fast_blocks.clusters_of(sizes, blocks, fast_items, kernel_prior)
    places = np.array([7, 0, 3, 4, 6, 1], dtype=np.int32)
    memberships, densities = np.ones((8, 5)), LogMean(8)
    add_memberships(kernel_prior, clusters, fast_items, np.log(ALPHA), parts, places, memberships)
    densities.add_items(kernel_prior, clusters, fast_items, np.log(ALPHA), np.log(sizes.sum() + ALPHA), places)
    got = densities.result(1)
    for i, place in enumerate(places):
        logs = candidate_log_weights(items[i], sizes, blocks, prior, ALPHA, power)
        weights = np.exp(logs - logsumexp(logs))
        np.testing.assert_allclose(memberships[place, :4] - 1, weights[:-1] @ parts, rtol=0, atol=1e-10)
        assert memberships[place, 4] - 1 == pytest.approx(weights[-1], abs=1e-10)
        # The kernel leaves out the factor of pi.
        expected = logsumexp(logs) - np.log(sizes.sum() + ALPHA) + power * items.count[i].sum() * d / 2 * np.log(np.pi)
        assert got[place] == pytest.approx(expected, abs=1e-9)
    np.testing.assert_array_equal(memberships[[2, 5]], 1.0)
    assert np.isneginf(got[[2, 5]]).all()


def test_a_full_number_of_clusters_admits_no_new_one() -> None:
    kernel_prior = fast_blocks.KernelPrior.of(NIWPrior(0.0, 1.0, 1.0, 2.0), 1.0)
    statistics = cells_by_group(np.array([0.0, 0.1, 1e6])[:, None, None], np.zeros(1, dtype=np.int32), 1)
    items = fast_blocks.items_of(statistics, kernel_prior, alike=True)
    blocks = aggregate(statistics[:2], np.zeros(2, dtype=np.int32), 1, axis=0)
    clusters = fast_blocks.clusters_of(np.array([2.0]), blocks, items, kernel_prior)
    result = np.zeros((3, 2))
    add_memberships(kernel_prior, clusters, items, -np.inf, np.ones((1, 1)), np.arange(3, dtype=np.int32), result)
    np.testing.assert_array_equal(result, [[1.0, 0.0]] * 3)


@settings(deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
def test_log_means_of_any_densities(logs: list[float]) -> None:
    """One cell at the centre of a block whose density there is exp(constant), for each of the constants in turn."""
    mean, one = LogMean(1), np.zeros(1, dtype=np.int32)
    for constant in logs:
        of_part = (np.zeros(1), np.ones((1, 1)), np.ones(()), np.full((), constant))
        mean.add_cells(np.zeros((1, 1, 1)), one, one, tuple(table[None, None, None] for table in of_part))
    expected = logsumexp(logs) - np.log(len(logs))
    assert mean.result(len(logs))[0] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("parts", "d"), [(1, 1), (1, 2), (1, 5), (4, 1)])
def test_density_of_a_cell_is_the_formula_of_its_tables(parts: int, d: int) -> None:
    rng = np.random.default_rng(d)
    tables = (
        rng.normal(size=(3, 2, parts, d)),
        np.tril(rng.normal(size=(3, 2, parts, d, d))),
        2.0 + rng.random((3, 2, parts)),
        rng.normal(size=(3, 2, parts)),
    )
    rows, columns = rng.integers(0, 3, 10).astype(np.int32), rng.integers(0, 2, 10).astype(np.int32)
    values = rng.normal(size=(10, parts, d))
    mean = LogMean(10)
    mean.add_cells(values, rows, columns, tables)
    centre, root, half_power, constant = (table[rows, columns] for table in tables)
    along = np.einsum("mpab,mpb->mpa", root, values - centre)
    expected = (constant - half_power * np.log1p((along**2).sum(axis=-1))).sum(axis=1)
    np.testing.assert_allclose(mean.result(1), expected, rtol=1e-12, atol=1e-12)


def test_memberships_do_not_depend_on_marginals_of_empty_items() -> None:
    """An item without cells has the prior weights: its marginal is 1."""
    kernel_prior = fast_blocks.KernelPrior.of(NIWPrior(0.0, 1.0, 1.0, 2.0), 1.0)
    statistics = cells_by_group(np.array([0.0, 0.1, 9.0, np.nan])[:, None, None], np.zeros(1, dtype=np.int32), 1)
    assert log_marginal(statistics[3], NIWPrior(0.0, 1.0, 1.0, 2.0)).sum() == 0.0
    items = fast_blocks.items_of(statistics[3:], kernel_prior, alike=False)
    blocks = aggregate(statistics[:3], np.array([0, 0, 1], dtype=np.int32), 2, axis=0)
    clusters = fast_blocks.clusters_of(np.array([2.0, 1.0]), blocks, items, kernel_prior)
    result = np.zeros((1, 3))
    add_memberships(kernel_prior, clusters, items, 0.0, np.eye(2), np.zeros(1, dtype=np.int32), result)
    np.testing.assert_allclose(result, [[0.5, 0.25, 0.25]], rtol=0, atol=1e-14)
