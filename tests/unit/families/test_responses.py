"""Responses with covariates: kernels against the regression in plain NumPy, and against Student's t of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_t

from disnplbm.families.exponential.sums import Sums
from disnplbm.families.responses import Responses, Units
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.families.responses.kernels import regressions
from disnplbm.model.regression import RegressionPrior, log_marginal, log_predictive, regress
from disnplbm.model.statistics import Floats

SEEDS = st.integers(0, 10_000)
POWERS = st.sampled_from([1.0, 0.5])


def a_prior(q: int) -> RegressionPrior:
    """Nothing in it is 0, 1 or diagonal."""
    root = np.random.default_rng(q).normal(size=(q, q))
    return RegressionPrior(np.linspace(0.4, -0.7, q), root @ root.T + 0.5 * np.eye(q), 1.7, 0.8)


def some_cells(seed: int, q: int, number: int) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    u = np.column_stack([np.ones(number), rng.normal(0.5, 2.0, (number, q - 1))])
    return u, u @ rng.normal(size=q) + rng.normal(size=number)


def packed(u: Floats, y: Floats) -> Floats:
    v = np.column_stack([u, y])
    return np.asarray((v.T @ v)[np.tril_indices(v.shape[1])])


def family_of(q: int, power: float = 1.0) -> Responses:
    return Responses(a_prior(q), tuple(f"x{i}" for i in range(1, q)), power=power)


@given(seed=SEEDS, q=st.integers(1, 5), number=st.integers(0, 30), power=POWERS)
def test_the_log_marginal_is_its_twin(seed: int, q: int, number: int, power: float) -> None:
    u, y = some_cells(seed, q, number)
    found = family_of(q, power).log_marginals(Sums(packed(u, y)[None]))[0]
    assert found == pytest.approx(log_marginal(a_prior(q), u, y, power), rel=1e-9, abs=1e-9)


def test_the_log_marginal_of_no_cell_is_exactly_0() -> None:
    family = family_of(3)
    assert family.log_marginals(family.empty((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_log_marginal_is_the_density_of_a_multivariate_t() -> None:
    (u, y), prior = some_cells(3, 3, 6), a_prior(3)
    shape = prior.scale / prior.shape * (np.eye(6) + u @ np.linalg.solve(prior.precision, u.T))
    expected = multivariate_t.logpdf(y, u @ prior.mean, shape, 2.0 * prior.shape)
    assert log_marginal(prior, u, y) == pytest.approx(expected, abs=1e-10)


def test_cell_after_cell_it_is_the_sum_of_the_predictives() -> None:
    (u, y), prior = some_cells(4, 3, 7), a_prior(3)
    steps = [log_predictive(regress(prior, u[:i], y[:i]), u[i], y[i]) for i in range(7)]
    assert log_marginal(prior, u, y) == pytest.approx(sum(steps), abs=1e-10)


@given(seed=SEEDS, q=st.integers(1, 5), number=st.integers(0, 30), power=POWERS)
def test_mean_and_spread_of_the_posterior_are_their_twins(seed: int, q: int, number: int, power: float) -> None:
    u, y = some_cells(seed, q, number)
    new = np.random.default_rng(seed + 1).normal(size=q)
    degrees, mean, scale = family_of(q, power).predict(packed(u, y)[None], new[None])
    expected = regress(a_prior(q), u, y, power)
    spread = expected.scale / expected.shape * (1.0 + new @ np.linalg.solve(expected.precision, new))
    assert degrees[0] == pytest.approx(2.0 * expected.shape, rel=1e-12)
    assert mean[0] == pytest.approx(new @ expected.mean, rel=1e-8, abs=1e-8)
    assert scale[0] ** 2 == pytest.approx(spread, rel=1e-8)


def test_drawn_regressions_have_the_moments_of_the_posterior() -> None:
    u, y = some_cells(5, 3, 12)
    family, number, rng = family_of(3), 40_000, np.random.default_rng(0)
    sums = np.repeat(packed(u, y)[None], number, axis=0)
    gammas = rng.standard_gamma(family.shapes(sums))
    found = regressions(family._prior, sums, gammas, rng.standard_normal((number, 3)))
    expected = regress(a_prior(3), u, y)
    covariance = expected.scale / (expected.shape - 1.0) * np.linalg.inv(expected.precision)
    np.testing.assert_allclose(found.slopes.mean(axis=0), expected.mean, atol=5 * np.sqrt(covariance.max() / number))
    np.testing.assert_allclose(np.cov(found.slopes.T), covariance, rtol=0.05, atol=0.02 * np.abs(covariance).max())
    assert found.precisions.mean() == pytest.approx(expected.shape / expected.scale, rel=0.01)


def test_natural_parameters_give_the_log_density_of_a_normal() -> None:
    u, y = some_cells(6, 3, 5)
    family = family_of(3, 0.5)
    sums = packed(u, y)
    found = family.mean_regressions(sums[None])
    residuals, precision = y - u @ found.slopes[0], found.precisions[0]
    expected = 0.5 * (5 * np.log(precision / (2.0 * np.pi)) - precision * residuals @ residuals) * 0.5
    assert family.mean_parameters(sums[None])[0] @ sums == pytest.approx(expected, abs=1e-10)


@given(seed=SEEDS, flipped=st.booleans())
def test_cells_are_summed_up_as_a_loop_over_them_does(seed: int, flipped: bool) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(1, 7)), int(rng.integers(1, 6))
    of_rows, of_columns, seen = rng.normal(size=(n, 2)), rng.normal(size=(p, 1)), rng.random((n, p)) < 0.4
    rows, columns = np.nonzero(seen)
    responses, of_cells = rng.normal(size=len(rows)), rng.normal(size=(len(rows), 1))
    indptr = np.searchsorted(rows, np.arange(n + 1))
    stored = indptr, columns.astype(np.int32), responses
    cells = SparseResponses(*stored, of_rows, of_columns, of_cells, others_first=flipped)
    z, w = rng.integers(-1, 2, n).astype(np.int32), rng.integers(0, 3, p).astype(np.int32)
    by_group, by_cluster = np.zeros((n, 3, 21)), np.zeros((2, p, 21))
    for i, j, y, x in zip(rows, columns, responses, of_cells, strict=True):
        parts = (of_columns[j], of_rows[i]) if flipped else (of_rows[i], of_columns[j])
        v = np.concatenate([[1.0], *parts, x, [y]])
        product = np.outer(v, v)[np.tril_indices(6)]
        by_group[i, w[j]] += product
        if z[i] >= 0:
            by_cluster[z[i], j] += product
    some = np.arange(n)[::-1]
    np.testing.assert_allclose(cells.by_group(some, w, 3).values, by_group[some], atol=1e-12)
    np.testing.assert_allclose(cells.by_cluster(z, 2).values, by_cluster, atol=1e-12)
    dense = np.full((n, p), 7.0)
    dense[seen] = responses
    np.testing.assert_array_equal(cells.to_csr().toarray()[seen], dense[seen])


def test_figures_are_in_the_units_of_the_table() -> None:
    rng = np.random.default_rng(7)
    x, noise = rng.normal(40.0, 12.0, 4000), rng.normal(0.0, 3.0, 4000)
    y = 1e6 + 2.5 * x + noise
    units = Units(np.array([x.mean(), y.mean()]), np.array([x.std(), y.std()]))
    v = ((np.column_stack([x, y]) - units.centre) / units.scale).T
    family = Responses(RegressionPrior.standard(2), ("age",), units)
    blocks = Sums(packed(np.column_stack([np.ones(4000), v[0]]), v[1])[None, None])
    figures = {name: float(values[0, 0, 0]) for name, values in family.figures(blocks).items()}
    assert list(figures) == ["mean", "sd", "intercept", "slope_age"]
    slope, intercept = np.polyfit(x, y, 1)
    assert figures["mean"] == pytest.approx(y.mean(), rel=1e-12)
    assert figures["slope_age"] == pytest.approx(slope, rel=1e-3)
    assert figures["intercept"] == pytest.approx(intercept, abs=0.2)
    assert figures["sd"] == pytest.approx(3.0, rel=0.05)
    drawn = family.draw_figures(blocks, lambda values: values, np.random.default_rng(0))
    assert set(drawn) == set(figures)
    assert float(drawn["slope_age"][0, 0, 0]) == pytest.approx(slope, abs=0.02)
    assert float(drawn["mean"][0, 0, 0]) == pytest.approx(y.mean(), abs=1.0)


def test_a_block_without_a_cell_has_no_figures() -> None:
    family = family_of(2)
    assert all(np.isnan(values).all() for values in family.figures(family.empty((1, 1))).values())


def test_a_worker_cannot_send_more_cells_than_there_are() -> None:
    family, (u, y) = family_of(2), some_cells(1, 2, 4)
    cells = Sums(packed(u, y)[None, None])
    assert family.may_be(cells, np.array([4]))
    assert not family.may_be(cells, np.array([3]))
    assert not family.may_be(Sums(-cells.values), np.array([4]))
