"""Small tables whose posterior is enumerated, with no parameter at a default that would hide a swapped or lost one."""

from __future__ import annotations

from functools import cache

import numpy as np

from disnplbm.model.prior import NIWPrior

from .enumeration import Problem

ALPHA, BETA = 2.5, 0.6


@cache
def problem(shape: tuple[int, int], dimension: int, *, missing: bool, power: float = 1.0) -> Problem:
    """A noisy table with a weak checkerboard; mu0 away from the mean, kappa0 not 1, Psi0 not the covariance."""
    n, p = shape
    noise = np.random.default_rng([n, p, dimension]).normal(size=(n, p, dimension))
    pattern = 1.2 * np.outer(np.arange(n) % 2, np.arange(p) % 2)
    values = noise + pattern[..., None]
    if missing:
        values[1, 1] = np.nan
    psi0 = 0.25 * np.ones((dimension, dimension)) + 0.45 * np.eye(dimension)
    prior = NIWPrior(np.linspace(0.9, -0.6, dimension), 0.4, psi0, dimension + 2.5)
    return Problem(values, prior, ALPHA, BETA, power)
