r"""Bayesian linear regression in a block, in plain NumPy.

A response is y = u' b + e with e ~ N(0, s2), of q covariates u, the first of which is 1. The prior of a block is
b | s2 ~ N(b0, s2 Lambda0^-1) and s2 ~ InvGamma(a0, s0). Cells at a power r of the likelihood leave

    Lambda = Lambda0 + r A      m = Lambda^-1 (Lambda0 b0 + r B)
    a = a0 + r N / 2            s = s0 + (r C + b0' Lambda0 b0 - m' Lambda m) / 2

of their number N and the sums A = sum u u', B = sum u y, C = sum y^2 (Gelman et al. 2013, section 14.8), and

    LM = - r N / 2 log 2 pi + (log|Lambda0| - log|Lambda|) / 2 + a0 log s0 - a log s + logGamma(a) - logGamma(a0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln
from scipy.stats import t as student

from disnplbm.model.statistics import Floats


@dataclass(frozen=True, eq=False)
class RegressionPrior:
    """Prior of the regression in a block.

    Parameters
    ----------
    mean : ndarray of shape (q,)
        b0.
    precision : ndarray of shape (q, q)
        Lambda0.
    shape, scale : float
        a0 and s0.
    """

    mean: Floats
    precision: Floats
    shape: float
    scale: float

    @classmethod
    def standard(cls, q: int) -> RegressionPrior:
        """For responses and covariates of mean 0 and variance 1: the expectation of s2 is 1/2."""
        return cls(np.zeros(q), np.diag(np.append(0.1, np.full(q - 1, 0.3))), 2.0, 1.0)


@dataclass(frozen=True, eq=False)
class RegressionPosterior:
    """What cells leave of a :class:`RegressionPrior`: m, Lambda, a and s."""

    mean: Floats
    precision: Floats
    shape: float
    scale: float


def regress(
    prior: RegressionPrior, covariates: ArrayLike, responses: ArrayLike, power: float = 1.0
) -> RegressionPosterior:
    """The posterior of the regression of some cells.

    Parameters
    ----------
    covariates : array-like of shape (N, q)
    responses : array-like of shape (N,)
    power : float
        That the likelihood is raised to.
    """
    u, y = np.asarray(covariates, dtype=np.float64), np.asarray(responses, dtype=np.float64)
    precision = prior.precision + power * u.T @ u
    mean = np.asarray(np.linalg.solve(precision, prior.precision @ prior.mean + power * u.T @ y), dtype=np.float64)
    # The same as power C + b0' Lambda0 b0 - m' Lambda m, without a difference of large numbers.
    residuals, shift = y - u @ mean, mean - prior.mean
    squares = float(power * residuals @ residuals + shift @ prior.precision @ shift)
    return RegressionPosterior(mean, precision, prior.shape + 0.5 * power * len(y), prior.scale + 0.5 * squares)


def log_marginal(prior: RegressionPrior, covariates: ArrayLike, responses: ArrayLike, power: float = 1.0) -> float:
    """LM of some cells, see :func:`regress`."""
    found, number = regress(prior, covariates, responses, power), power * np.asarray(responses).size
    of_precisions = np.linalg.slogdet(prior.precision)[1] - np.linalg.slogdet(found.precision)[1]
    of_scales = prior.shape * np.log(prior.scale) - found.shape * np.log(found.scale)
    of_shapes = gammaln(found.shape) - gammaln(prior.shape)
    return float(0.5 * (of_precisions - number * np.log(2.0 * np.pi)) + of_scales + of_shapes)


def log_predictive(found: RegressionPosterior, covariates: ArrayLike, response: float) -> float:
    """Log density of one more response with covariates of shape (q,).

    It is Student's t with 2 a degrees of freedom, about u' m, of the squared scale s / a (1 + u' Lambda^-1 u).
    """
    u = np.asarray(covariates, dtype=np.float64)
    scale = np.sqrt(found.scale / found.shape * (1.0 + u @ np.linalg.solve(found.precision, u)))
    return float(student.logpdf(response, 2.0 * found.shape, u @ found.mean, scale))
