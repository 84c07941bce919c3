r"""Priors of a partition: how likely an item joins each cluster, or opens a new one.

With K clusters of sizes n_k, an item joins cluster k with weight n_k + c, c a pseudo-count, and opens a new one with
weight

    Chinese restaurant process      c = 0        new: alpha
    symmetric Dirichlet over M      c = alpha    new: (M - K) alpha

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


class PartitionPrior(NamedTuple):
    """The prior of a partition, in the form kernels read."""

    concentration: float  # alpha
    pseudo_count: float  # what an occupied cluster weighs besides its members
    limit: float  # clusters there may be: infinity, or M

    @classmethod
    def of(cls, concentration: float, limit: int | None = None) -> PartitionPrior:
        """Make the Chinese restaurant process, or with a limit M the symmetric Dirichlet over M clusters.

        Parameters
        ----------
        concentration : float
            alpha, above 0.
        limit : int, optional
            M, at least 1.
        """
        alpha = float(concentration)
        return cls(alpha, 0.0, math.inf) if limit is None else cls(alpha, alpha, float(limit))


@inlined
def log_new(prior, occupied):  # type: ignore[no-untyped-def]
    """Log weight of a new cluster beside ``occupied`` others; -inf if there may be no more."""
    if occupied >= prior.limit:
        return -np.inf
    if prior.pseudo_count == 0.0:
        return log(prior.concentration)
    return log(prior.concentration * (prior.limit - occupied))


@inlined
def log_added(prior, occupied):  # type: ignore[no-untyped-def]
    """Log factor by which one more cluster, beside ``occupied`` others, changes a partition's probability.

    The cluster's own factor is logGamma(size + pseudo-count) on top.
    """
    if occupied >= prior.limit:
        return -np.inf
    if prior.pseudo_count == 0.0:
        return log(prior.concentration)
    return log(prior.limit - occupied) - log_gamma(prior.pseudo_count)


@kernel
def _log_partition(sizes, prior):  # type: ignore[no-untyped-def]
    mass = prior.concentration if prior.pseudo_count == 0.0 else prior.concentration * prior.limit
    total, members = log_gamma(mass), 0.0
    for k in range(sizes.size):
        total += log_added(prior, k) + log_gamma(sizes[k] + prior.pseudo_count)
        members += sizes[k]
    return total - log_gamma(mass + members)


@kernel
def _log_split(a, b, occupied, prior):  # type: ignore[no-untyped-def]
    gained = (
        log_gamma(a + prior.pseudo_count) + log_gamma(b + prior.pseudo_count) - log_gamma(a + b + prior.pseudo_count)
    )
    return log_added(prior, occupied) + gained


@kernel
def _log_new(occupied, prior):  # type: ignore[no-untyped-def]
    return log_new(prior, occupied)


def log_partition(sizes: ArrayLike, prior: PartitionPrior) -> float:
    """Log probability of a partition with the given cluster sizes, all above 0."""
    return float(_log_partition(np.asarray(sizes, dtype=np.float64), prior))


def log_split(a: float, b: float, occupied: int, prior: PartitionPrior) -> float:
    """Log ratio of the probability of a partition to that with two of its clusters, of sizes a and b, merged.

    Parameters
    ----------
    a, b : float
        Sizes of the two.
    occupied : int
        Clusters there are with the two merged.
    """
    return float(_log_split(float(a), float(b), float(occupied), prior))


def log_opening(occupied: int, prior: PartitionPrior) -> float:
    """Log weight of a new cluster beside ``occupied`` others; -inf if there may be no more."""
    return float(_log_new(float(occupied), prior))
