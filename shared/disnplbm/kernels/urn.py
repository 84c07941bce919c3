r"""Priors of a partition as urn schemes: what an item's next cluster is likely to be, given those there are.

With K clusters of sizes n_k, an item joins cluster k with weight n_k + extra and opens a new one with weight

    Chinese restaurant process      extra = 0        new: alpha
    symmetric Dirichlet over M      extra = alpha    new: (M - K) alpha

The second is the finite mixture of M clusters with weights Dirichlet(alpha, ..., alpha), stated for the partition: of
its clusters, K are occupied.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.special import log, log_gamma


class Urn(NamedTuple):
    """An urn scheme in the form kernels read; :func:`urn` makes one."""

    concentration: float  # alpha
    extra: float  # what an occupied cluster weighs besides its members
    limit: float  # clusters there may be: infinity, or M


def urn(concentration: float, limit: int | None = None) -> Urn:
    """The Chinese restaurant process, or with a limit M the symmetric Dirichlet over M clusters.

    Parameters
    ----------
    concentration : float
        alpha, above 0.
    limit : int, optional
        M, at least 1.
    """
    concentration = float(concentration)
    return Urn(concentration, 0.0, math.inf) if limit is None else Urn(concentration, concentration, float(limit))


@inlined
def log_new(urn, occupied):  # type: ignore[no-untyped-def]
    """Log weight of a new cluster beside ``occupied`` others; -inf if there may be no more."""
    if occupied >= urn.limit:
        return -np.inf
    if urn.extra == 0.0:
        return log(urn.concentration)
    return log(urn.concentration * (urn.limit - occupied))


@inlined
def log_added(urn, occupied):  # type: ignore[no-untyped-def]
    """Log factor by which one more cluster, beside ``occupied`` others, changes a partition's probability.

    The cluster's own factor is logGamma(size + extra) on top.
    """
    if occupied >= urn.limit:
        return -np.inf
    if urn.extra == 0.0:
        return log(urn.concentration)
    return log(urn.limit - occupied) - log_gamma(urn.extra)


@kernel
def _log_partition(sizes, urn):  # type: ignore[no-untyped-def]
    mass = urn.concentration if urn.extra == 0.0 else urn.concentration * urn.limit
    total, members = log_gamma(mass), 0.0
    for k in range(sizes.size):
        total += log_added(urn, k) + log_gamma(sizes[k] + urn.extra)
        members += sizes[k]
    return total - log_gamma(mass + members)


@kernel
def _log_split(a, b, occupied, urn):  # type: ignore[no-untyped-def]
    gained = log_gamma(a + urn.extra) + log_gamma(b + urn.extra) - log_gamma(a + b + urn.extra)
    return log_added(urn, occupied) + gained


@kernel
def _log_news(occupied, urn):  # type: ignore[no-untyped-def]
    return log_new(urn, occupied)


def log_partition(sizes: ArrayLike, urn: Urn) -> float:
    """Log probability of a partition with the given cluster sizes, all above 0."""
    return float(_log_partition(np.asarray(sizes, dtype=np.float64), urn))


def log_split(a: float, b: float, occupied: int, urn: Urn) -> float:
    """Log ratio of the probability of a partition to that with two of its clusters, of sizes a and b, merged.

    Parameters
    ----------
    a, b : float
        Sizes of the two.
    occupied : int
        Clusters there are with the two merged.
    urn : Urn
    """
    return float(_log_split(float(a), float(b), float(occupied), urn))


def log_opening(occupied: int, urn: Urn) -> float:
    """Log weight of a new cluster beside ``occupied`` others; -inf if there may be no more."""
    return float(_log_news(float(occupied), urn))
