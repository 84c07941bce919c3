"""Small tables whose posterior is enumerated, with no parameter at a default that would hide a swapped or lost one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from disnplbm.model.prior import NIWPrior

from .enumeration import Problem

ALPHA, BETA = 2.5, 0.6


@cache
def problem(shape: tuple[int, int], dimension: int, *, missing: bool, power: float = 1.0) -> Problem:
    """A noisy table with a weak checkerboard; mu0 away from the mean, kappa0 not 1, Psi0 not the covariance.

    The pattern is weak so that chains mix within a few iterations: their draws are tested as if independent.
    """
    n, p = shape
    noise = np.random.default_rng([n, p, dimension, 6]).normal(size=(n, p, dimension))
    pattern = 0.6 * np.outer(np.arange(n) % 2, np.arange(p) % 2)
    values = noise + pattern[..., None]
    if missing:
        values[1, 1] = np.nan
    psi0 = 0.8 * np.ones((dimension, dimension)) + 1.5 * np.eye(dimension)
    prior = NIWPrior(np.linspace(0.9, -0.6, dimension), 0.4, psi0, dimension + 2.5)
    return Problem(values, prior, ALPHA, BETA, power)


@cache
def diagonal_problem(shape: tuple[int, int], dimension: int, *, missing: bool, power: float = 1.0) -> Problem:
    """The same table under a diagonal covariance, each number of a cell under one prior."""
    table = problem(shape, dimension, missing=missing, power=power)
    return replace(table, prior=NIWPrior(np.array([0.5]), 0.4, np.array([[2.0]]), 2.5, dimension))


def of_full_covariance(diagonal: Problem) -> Problem:
    """The numbers of a diagonal problem with a full covariance of the same prior variances: another posterior."""
    of_part, d = diagonal.prior, diagonal.values.shape[2]
    whole = NIWPrior(np.repeat(of_part.mu0, d), of_part.kappa0, of_part.psi0 * np.eye(d), of_part.nu0 + d - 1)
    return replace(diagonal, prior=whole)


@cache
def blank_problem(dimension: int) -> Problem:
    """A 4 x 3 table whose second row and third column hold no cell."""
    table = problem((4, 3), dimension, missing=False)
    values = table.values.copy()
    values[1] = values[:, 2] = np.nan
    return replace(table, values=values)
