r"""Concentrations learned from the numbers of clusters (Escobar and West 1995, section 6).

Under alpha ~ Gamma(a, b) the partition tells about alpha through K and n alone. With an auxiliary variable
eta | alpha ~ Beta(alpha + 1, n),

    alpha | eta, K  ~  pi Gamma(a + K, b - log eta) + (1 - pi) Gamma(a + K - 1, b - log eta)
    pi / (1 - pi) = (a + K - 1) / (n (b - log eta)).
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.choice import log_gammas, logs

#: Shape and rate of the Gamma prior of a concentration that is learned: mean 1, and mass from 0 to about 5.
SHAPE, RATE = 1.0, 1.0


def draw_concentration(concentration: float, clusters: int, n: int, generator: np.random.Generator) -> float:
    """Draw a concentration anew; this leaves its posterior given the number of clusters unchanged.

    Parameters
    ----------
    concentration : float
        Before.
    clusters : int
        K, of n items.
    """
    eta = _draw_beta(concentration + 1.0, float(n), generator)
    rate = RATE - float(logs([eta])[0])
    odds = (SHAPE + clusters - 1.0) / (n * rate)
    shape = SHAPE + clusters - (0.0 if generator.random() < odds / (1.0 + odds) else 1.0)
    return max(float(generator.standard_gamma(shape)) / rate, np.finfo(np.float64).tiny)


def log_prior(concentration: float) -> float:
    """Log density of the Gamma prior."""
    log_concentration, log_rate = logs([concentration, RATE])
    return float(SHAPE * log_rate - log_gammas([SHAPE])[0] + (SHAPE - 1.0) * log_concentration - RATE * concentration)


def _draw_beta(a: float, b: float, generator: np.random.Generator) -> float:
    """Draw a Beta variate from two gammas, above 0."""
    x, y = generator.standard_gamma(a), generator.standard_gamma(b)
    return max(float(x / (x + y)), np.finfo(np.float64).tiny)
