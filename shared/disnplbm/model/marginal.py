r"""Log marginal likelihood of a set of cells with its mean and covariance integrated out.

    kappa = kappa0 + N      nu = nu0 + N
    Psi   = Psi0 + S + kappa0 N / kappa (T - mu0)(T - mu0)^T
    LM    = -N d/2 log pi + d/2 log(kappa0 / kappa) + logGamma_d(nu / 2) - logGamma_d(nu0 / 2)
            + nu0/2 log|Psi0| - nu/2 log|Psi|

Where the covariance is diagonal this holds for each of the d numbers of a cell (d = 1 above), and LM is their sum.

The likelihood power r (coarsened posterior, Miller and Dunson 2019) replaces (N, T, S) by (rN, T, rS).
"""

from __future__ import annotations

import numpy as np
from scipy.special import multigammaln

from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics, outer


def log_marginal(statistics: Statistics, prior: NIWPrior, power: float = 1.0) -> Floats:
    """Log marginal of every set; 0 for an empty one.

    Parameters
    ----------
    statistics : Statistics of shape (...,)
    power : float
        Likelihood power in (0, 1].

    Returns
    -------
    ndarray of shape (...,)
    """
    return np.asarray(_of_parts(statistics.parts, prior, power).sum(axis=-1))


def _of_parts(statistics: Statistics, prior: NIWPrior, power: float) -> Floats:
    d = prior.dimension
    n = power * statistics.count
    kappa, nu = prior.kappa0 + n, prior.nu0 + n
    shift = outer(statistics.mean - prior.mu0)
    psi = prior.psi0 + power * statistics.scatter + (prior.kappa0 * n / kappa)[..., None, None] * shift
    value = (
        -n * d / 2 * np.log(np.pi)
        + d / 2 * np.log(prior.kappa0 / kappa)
        + multigammaln(nu / 2, d)
        - multigammaln(prior.nu0 / 2, d)
        + prior.nu0 / 2 * np.linalg.slogdet(prior.psi0)[1]
        - nu / 2 * np.linalg.slogdet(psi)[1]
    )
    return np.where(statistics.count > 0, value, 0.0)
