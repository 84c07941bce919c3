r"""A Gaussian mixture on rows with diagonal covariances, fitted by EM to the observed cells alone.

The covariance is diagonal, so a missing number merely takes its own factor out of its row's density. So that a
component of one row, or of equal numbers, keeps a variance, each component counts c cells more in every column, with
the mean m_j and variance v_j of that column. With responsibilities r_ik and o_ij = 1 where x_ij is observed,

    N_kj        = sum_i r_ik o_ij
    mean_kj     = (c m_j + sum_i r_ik o_ij x_ij) / (c + N_kj)
    variance_kj = (c v_j + c (m_j - mean_kj)^2 + sum_i r_ik o_ij (x_ij - mean_kj)^2) / (c + N_kj)

which maximises the likelihood of the rows and of the added cells together; with c = 0 it is maximum likelihood.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from sklearn.cluster import KMeans

from disnplbm.model.statistics import Floats

#: Cells that are added to each component in every column.
PULL = 1.0

ITERATIONS, TOLERANCE = 300, 1e-6

#: Share of the columns' average variance that no variance falls below, as in constant columns.
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class RowMixture:
    """Components of rows of q numbers.

    Parameters
    ----------
    weights : ndarray of shape (k,)
    means, variances : ndarray of shape (k, q)
    objective : float
        Log likelihood of the rows and of the added cells.
    """

    weights: Floats
    means: Floats
    variances: Floats
    objective: float = -np.inf


def fit_row_mixture(rows: Floats, k: int, seed: int, starts: int = 3, pull: float = PULL) -> RowMixture:
    """The best, by its objective, of several fits that start from k-means.

    Parameters
    ----------
    rows : ndarray of shape (n, q)
        NaN where missing; no column is missing altogether.
    k : int
    seed, starts : int
        Each start has a seed of its own.
    pull : float
        The added cells c.
    """
    fits = [_fit_once(rows, k, seed * starts + start, pull) for start in range(starts)]
    return max(fits, key=lambda fit: fit.objective)


def filled(rows: Floats) -> Floats:
    """Rows, shape (n, q), with each missing number replaced by the mean of its column."""
    return np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)


def log_responsibilities(mixture: RowMixture, rows: Floats) -> tuple[Floats, Floats]:
    """Log probabilities, shape (n, k), of the components given each row's observed numbers, and log densities (n,)."""
    seen = ~np.isnan(rows)
    numbers, means = np.where(seen, rows, 0.0), mixture.means
    precision = 1.0 / mixture.variances
    # (x - mean)^2 / variance + log 2 pi variance, summed over what is observed, as products of matrices.
    constant = precision * means**2 + np.log(2 * np.pi * mixture.variances)
    twice = numbers**2 @ precision.T - 2 * numbers @ (precision * means).T + seen @ constant.T
    logs = np.log(mixture.weights) - 0.5 * twice
    density = logsumexp(logs, axis=1)
    return logs - density[:, None], density


def _fit_once(rows: Floats, k: int, seed: int, pull: float) -> RowMixture:
    # Counted from the columns' means, so that sums of squares keep their digits; the m_j are then zero.
    centre, variance = np.nanmean(rows, axis=0), np.nanvar(rows, axis=0)
    variance = np.maximum(variance, LEAST * variance.mean())
    centred = rows - centre
    seen = ~np.isnan(centred)
    labels = KMeans(k, n_init=1, random_state=seed).fit(filled(centred)).labels_
    mixture = _maximised(centred, seen, np.eye(k)[labels], variance, pull)
    objective = -np.inf
    for _ in range(ITERATIONS):
        logs, density = log_responsibilities(mixture, centred)
        before, objective = objective, float(density.sum()) + _of_added_cells(mixture, variance, pull)
        if objective - before < TOLERANCE * abs(objective):
            break
        mixture = _maximised(centred, seen, np.exp(logs), variance, pull)
    return RowMixture(mixture.weights, mixture.means + centre, mixture.variances, objective)


def _of_added_cells(mixture: RowMixture, variance: Floats, pull: float) -> float:
    """Log likelihood of the added cells, where the columns' means are zero."""
    terms = np.log(2 * np.pi * mixture.variances) + (variance + mixture.means**2) / mixture.variances
    return float(-0.5 * pull * terms.sum())


def _maximised(centred: Floats, seen: NDArray[np.bool_], shares: Floats, variance: Floats, pull: float) -> RowMixture:
    """The M step, where the columns' means are zero."""
    numbers, tiny = np.where(seen, centred, 0.0), np.finfo(np.float64).tiny
    sums = shares.T @ numbers
    number = np.maximum(shares.T @ seen + pull, tiny)
    means = sums / number
    variances = (pull * variance + shares.T @ numbers**2) / number - means**2
    sizes = np.maximum(shares.sum(axis=0), tiny)
    return RowMixture(sizes / sizes.sum(), means, np.maximum(variances, LEAST * variance.mean()))
