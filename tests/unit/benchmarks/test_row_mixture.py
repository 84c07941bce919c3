"""The Gaussian mixture on rows, against scikit-learn where nothing is missing and against sums where something is."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.row_mixture import RowMixture, fit_row_mixture, log_responsibilities
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.mixture import GaussianMixture


def overlapping_rows() -> np.ndarray:
    generator = np.random.default_rng(0)
    return generator.normal(generator.integers(0, 2, 300)[:, None] * np.array([1.5, -1.0, 2.0]), [1.0, 0.5, 2.0])


def test_of_a_complete_table_it_is_scikit_learns() -> None:
    rows = overlapping_rows()
    ours = fit_row_mixture(rows, 2, seed=0, pull=0.0)
    theirs = GaussianMixture(2, covariance_type="diag", n_init=5, tol=1e-9, max_iter=2000, random_state=0).fit(rows)
    assert ours.objective == pytest.approx(theirs.score(rows) * len(rows), rel=1e-4)
    order = np.argsort(ours.weights), np.argsort(theirs.weights_)
    np.testing.assert_allclose(ours.means[order[0]], theirs.means_[order[1]], atol=0.1)
    np.testing.assert_allclose(ours.variances[order[0]], theirs.covariances_[order[1]], rtol=0.1)


def test_a_missing_number_takes_its_own_factor_out() -> None:
    mixture = RowMixture(np.array([0.3, 0.7]), np.array([[0.0, 1.0], [2.0, -1.0]]), np.array([[1.0, 4.0], [0.5, 2.0]]))
    rows = np.array([[0.5, 0.2], [np.nan, 0.2], [np.nan, np.nan]])
    shares, density = log_responsibilities(mixture, rows)
    for row, of_row, total in zip(rows, shares, density, strict=True):
        terms = np.nan_to_num(norm.logpdf(row, mixture.means, np.sqrt(mixture.variances))).sum(axis=1)
        terms += np.log(mixture.weights)
        assert total == pytest.approx(logsumexp(terms), abs=1e-12)
        np.testing.assert_allclose(of_row, terms - logsumexp(terms), atol=1e-12)


def test_each_component_counts_added_cells_of_its_column() -> None:
    # Clusters so far apart, and so large, that responsibilities are 0 or 1.
    rows = np.random.default_rng(0).normal(np.repeat([[-50.0, 30.0], [50.0, 90.0]], [25, 35], axis=0))
    rows[[3, 30, 31], [0, 1, 1]] = np.nan
    mixture = fit_row_mixture(rows, 2, seed=0, pull=1.0)
    overall, spread = np.nanmean(rows, axis=0), np.nanvar(rows, axis=0)
    for component, members in ((mixture.weights.argmin(), rows[:25]), (mixture.weights.argmax(), rows[25:])):
        for column in range(2):
            seen = members[~np.isnan(members[:, column]), column]
            mean = (overall[column] + seen.sum()) / (1 + len(seen))
            squares = spread[column] + (overall[column] - mean) ** 2 + ((seen - mean) ** 2).sum()
            assert mixture.means[component, column] == pytest.approx(mean)
            assert mixture.variances[component, column] == pytest.approx(squares / (1 + len(seen)))
