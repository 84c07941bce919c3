r"""State of the clusters while items are swept: posterior parameters of every block, and what is derived from them.

Layout: the group first and the cluster last, so that a loop over clusters runs along memory. The cluster axis is
padded to whole vectors of :data:`LANES`; a slot without members is no candidate.

The *potential* of a block collects the terms of its log marginal that depend on its own posterior,

    V = -d/2 log kappa + logGamma_d(nu / 2) - nu/2 log|Psi|,

so that log p(item | block) = V(block + item) - V(block) up to a factor pi^(-m d / 2) that every candidate shares and
that is left out everywhere in this package's sampling decisions.

Where the covariance is diagonal, the d numbers of a cell are d groups of cells of one number: items and clusters are
made of the parts of their sets, side by side (:attr:`disnplbm.model.statistics.Statistics.unfolded`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.special import log, log_gamma
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics

#: Clusters are handled in vectors of this many.
LANES = 4

#: Largest number of components d that kernels are compiled for; above, d is read from the data.
UNROLLED = 8


class KernelPrior(NamedTuple):
    """Prior in the form kernels read: packed lower triangle of Psi0, scalars as doubles."""

    mu0: Floats  # (d,)
    psi0: Floats  # (d (d + 1) / 2,)
    kappa0: float
    nu0: float
    power: float
    log_det0: float  # log |Psi0|
    pivots0: Floats  # (d,) of L D L^T of Psi0: no pivot of a Psi lies below, since Psi - Psi0 is a scatter
    copies: int  # independent parts of a cell, each under this prior

    @classmethod
    def of(cls, prior: NIWPrior, power: float) -> KernelPrior:
        """Bring a prior into the form kernels read."""
        psi0 = np.ascontiguousarray(prior.psi0[np.tril_indices(prior.dimension)])
        pivots0 = _pivots(psi0, prior.dimension)
        log_det0 = _log_determinant(psi0, pivots0)
        return cls(prior.mu0, psi0, prior.kappa0, prior.nu0, float(power), log_det0, pivots0, prior.copies)


class Kind(NamedTuple):
    """What kernels are specialised for.

    Numba compiles a kernel anew for every type, and the length of a tuple is part of its type: the compiler sees d and
    completeness as constants, unrolls the loops over components and drops the branches of the other kind. Compiling
    takes longer with every component, so all dimensions above :data:`UNROLLED` share one kernel that reads d from the
    data.
    """

    dimension: tuple[int, ...]  # of length d up to UNROLLED, else empty
    own_counts: tuple[int, ...]  # empty where all items have the same number of cells in a group


class Items(NamedTuple):
    """What the items look like to the clusters."""

    kind: Kind
    counts: Floats  # (n, G) observed cells; (1, G) where all items have the same (complete data)
    mean: Floats  # (n, G, d)
    scatter: Floats  # (n, G, d, d)
    log_marginal_self: Floats  # (n,): sum over the groups of V(item) - V(empty)


class Clusters(NamedTuple):
    """Clusters of items, blocks by group."""

    size: Floats  # (C,) members
    opened_in_sweep: NDArray[np.bool_]  # (C,) whether the slot's cluster was opened during this sweep
    partner: NDArray[np.int32]  # (C,) the cluster it may be merged with after the sweep, or -1
    overlap: Floats  # (C,) sum over the items drawn into it of -log P(it, not its partner)
    counts: Floats  # (G, C) observed cells
    mu: Floats  # (G, d, C) posterior mean
    psi: Floats  # (G, d (d + 1) / 2, C) posterior scale, packed lower triangle
    log_det: Floats  # (G, C) log |psi|
    potential: Floats  # (G, C) V
    slope: Floats  # (G, C) complete data: kappa m / (kappa + m) of the next item
    slope_out: Floats  # (G, C) complete data: -kappa m / (kappa - m) of a member taken out
    half_nu: Floats  # (G, C) complete data: (nu + m) / 2 with the next item
    base: Floats  # (C,) log weight of the size; for complete data, all of an item's log weight that is not its own
    base_out: Floats  # (C,) complete data: the base for a member once it is taken out
    pseudo_count: float  # what a cluster weighs besides its members, see PartitionPrior


def empty_sets(shape: tuple[int, ...], prior: KernelPrior) -> Statistics:
    """Statistics of empty sets of the cells that a prior is for."""
    if prior.copies > 1:
        return Statistics.empty(shape, prior.copies, diagonal=True)
    return Statistics.empty(shape, len(prior.mu0))


def kind_of(d: int, *, alike: bool) -> Kind:
    """What kernels are specialised for, given d and whether all items have the same number of cells in a group."""
    return Kind((0,) * d if d <= UNROLLED else (), () if alike else (0,))


@inlined
def dimension_of(kind, mean):  # type: ignore[no-untyped-def]
    """Dimension d of a cell: a constant of the kind, or the length of the means' last axis, their third."""
    return len(kind.dimension) if len(kind.dimension) > 0 else mean.shape[2]


@inlined
def dimension(items):  # type: ignore[no-untyped-def]
    """Dimension d of a cell."""
    return dimension_of(items.kind, items.mean)


@inlined
def complete(items):  # type: ignore[no-untyped-def]
    """Whether all items have the same number of cells in a group."""
    return len(items.kind.own_counts) == 0


@inlined
def log_gamma_d(x, d):  # type: ignore[no-untyped-def]
    """Multivariate log-gamma less its factor of pi, which cancels in every use."""
    total = log_gamma(x)
    for c in range(1, d):
        total += log_gamma(x - 0.5 * c)
    return total


@inlined
def log_determinant(psi, pivots0, d, work):  # type: ignore[no-untyped-def]
    """Log determinant of a packed Psi by L D L^T in the first column of ``work``; no pivot falls below the prior's.

    NaN if Psi is not finite: the logarithm of this package takes finite numbers only.
    """
    if d == 1:
        return log(psi[0]) if psi[0] < np.inf else np.nan
    for t in range(psi.size):
        work[t, 0] = psi[t]
    total = 0.0
    for a in range(d):
        pivot = max(work[a * (a + 1) // 2 + a, 0], pivots0[a])
        total += log(pivot) if work[a * (a + 1) // 2 + a, 0] < np.inf else np.nan
        for b in range(a + 1, d):
            ratio = work[b * (b + 1) // 2 + a, 0] / pivot
            for c in range(b, d):
                work[c * (c + 1) // 2 + b, 0] -= ratio * work[c * (c + 1) // 2 + a, 0]
    return total


@kernel
def _log_determinant(psi, pivots0):  # type: ignore[no-untyped-def]
    return log_determinant(psi, pivots0, pivots0.size, np.empty((psi.size, 1)))


@kernel
def _pivots(psi, d):  # type: ignore[no-untyped-def]
    work, result = psi.copy(), np.empty(d)
    for a in range(d):
        result[a] = work[a * (a + 1) // 2 + a]
        for b in range(a + 1, d):
            ratio = work[b * (b + 1) // 2 + a] / result[a]
            for c in range(b, d):
                work[c * (c + 1) // 2 + b] -= ratio * work[c * (c + 1) // 2 + a]
    return result


@inlined
def potential_of(prior, count, log_det, d):  # type: ignore[no-untyped-def]
    """V of a block with that many observed cells and that log |Psi|."""
    effective = prior.power * count
    half_nu = 0.5 * (prior.nu0 + effective)
    return log_gamma_d(half_nu, d) - half_nu * log_det - 0.5 * d * log(prior.kappa0 + effective)


@inlined
def posterior_scale(prior, m, mean, scatter, i, g, psi):  # type: ignore[no-untyped-def]
    """Psi of the set (i, g) of m cells under the prior, packed, into ``psi``."""
    effective = prior.power * m
    slope = prior.kappa0 * effective / (prior.kappa0 + effective)
    t = 0
    for a in range(mean.shape[2]):
        for b in range(a + 1):
            pull = slope * (mean[i, g, a] - prior.mu0[a]) * (mean[i, g, b] - prior.mu0[b])
            psi[t] = prior.psi0[t] + prior.power * scatter[i, g, a, b] + pull
            t += 1


@inlined
def combine_scale(prior, clusters, g, k, items, i, m, sign, psi):  # type: ignore[no-untyped-def]
    """Write Psi of block (g, k) with an item's m cells added (sign +1) or taken out (-1), packed, into ``psi``."""
    kappa = prior.kappa0 + prior.power * clusters.counts[g, k]
    effective = sign * prior.power * m
    slope = kappa * effective / max(kappa + effective, prior.kappa0)
    t = 0
    for a in range(dimension(items)):
        for b in range(a + 1):
            psi[t] = (
                clusters.psi[g, t, k]
                + sign * prior.power * items.scatter[i, g, a, b]
                + slope * (items.mean[i, g, a] - clusters.mu[g, a, k]) * (items.mean[i, g, b] - clusters.mu[g, b, k])
            )
            if a == b:
                psi[t] = max(psi[t], prior.psi0[t])
            t += 1


@inlined
def change(prior, clusters, k, items, i, sign, psi, work):  # type: ignore[no-untyped-def]
    """Add item i to cluster k (sign +1) or take it out (-1), leaving derived values to :func:`refresh`."""
    d = dimension(items)
    clusters.size[k] += sign
    row = 0 if complete(items) else i
    for g in range(clusters.counts.shape[0]):
        m = items.counts[row, g]
        if m == 0.0:
            continue
        combine_scale(prior, clusters, g, k, items, i, m, sign, psi)
        clusters.counts[g, k] += sign * m
        kappa = prior.kappa0 + prior.power * clusters.counts[g, k]
        share = sign * prior.power * m / kappa
        for a in range(d):
            clusters.mu[g, a, k] += share * (items.mean[i, g, a] - clusters.mu[g, a, k])
        for t in range(psi.size):
            clusters.psi[g, t, k] = psi[t]
        clusters.log_det[g, k] = log_determinant(psi, prior.pivots0, d, work)


@inlined
def clear(prior, clusters, k):  # type: ignore[no-untyped-def]
    """Make slot k exactly empty."""
    clusters.size[k] = 0.0
    for g in range(clusters.counts.shape[0]):
        clusters.counts[g, k] = 0.0
        for a in range(clusters.mu.shape[1]):
            clusters.mu[g, a, k] = prior.mu0[a]
        for t in range(clusters.psi.shape[1]):
            clusters.psi[g, t, k] = prior.psi0[t]
        clusters.log_det[g, k] = prior.log_det0


@inlined
def refresh(prior, clusters, k, items):  # type: ignore[no-untyped-def]
    """Bring the values derived from cluster k's size, counts and determinants up to date."""
    if clusters.size[k] <= 0.0:
        clusters.base[k] = -np.inf
        return
    d = dimension(items)
    base = log(clusters.size[k] + clusters.pseudo_count)
    base_out = log(max(clusters.size[k] - 1.0, 1.0) + clusters.pseudo_count)
    for g in range(clusters.counts.shape[0]):
        count = clusters.counts[g, k]
        potential = potential_of(prior, count, clusters.log_det[g, k], d)
        clusters.potential[g, k] = potential
        if complete(items):
            m = items.counts[0, g]
            kappa, effective = prior.kappa0 + prior.power * count, prior.power * m
            clusters.slope[g, k] = kappa * effective / (kappa + effective)
            clusters.slope_out[g, k] = -kappa * effective / max(kappa - effective, prior.kappa0)
            clusters.half_nu[g, k] = 0.5 * (prior.nu0 + prior.power * count + effective)
            base += potential_of(prior, count + m, 0.0, d) - potential
            base_out += potential - potential_of(prior, max(count - m, 0.0), 0.0, d)
    clusters.base[k] = base
    clusters.base_out[k] = base_out


@kernel
def _load(prior, clusters, items, sizes, count, mean, scatter):  # type: ignore[no-untyped-def]
    d = dimension(items)
    psi = np.empty(prior.psi0.size)
    work = np.empty((prior.psi0.size, 1))
    for k in range(clusters.size.size):
        clear(prior, clusters, k)
        clusters.opened_in_sweep[k] = k >= sizes.size
        clusters.partner[k] = -1
        if k < sizes.size:
            clusters.size[k] = sizes[k]
            for g in range(clusters.counts.shape[0]):
                m = count[k, g]
                clusters.counts[g, k] = m
                posterior_scale(prior, m, mean, scatter, k, g, psi)
                share = prior.power * m / (prior.kappa0 + prior.power * m)
                for a in range(d):
                    clusters.mu[g, a, k] += share * (mean[k, g, a] - prior.mu0[a])
                for t in range(psi.size):
                    clusters.psi[g, t, k] = psi[t]
                clusters.log_det[g, k] = log_determinant(psi, prior.pivots0, d, work)
        refresh(prior, clusters, k, items)


@kernel
def _fill_log_marginal_self(prior, items):  # type: ignore[no-untyped-def]
    d = dimension(items)
    psi = np.empty(prior.psi0.size)
    work = np.empty((prior.psi0.size, 1))
    empty = potential_of(prior, 0.0, prior.log_det0, d)
    for g in range(items.mean.shape[1]):
        constant = potential_of(prior, items.counts[0, g], 0.0, d) - empty
        for i in range(items.mean.shape[0]):
            m = items.counts[0 if complete(items) else i, g]
            if m == 0.0:
                continue
            posterior_scale(prior, m, items.mean, items.scatter, i, g, psi)
            log_det = log_determinant(psi, prior.pivots0, d, work)
            if complete(items):
                items.log_marginal_self[i] += constant - 0.5 * (prior.nu0 + prior.power * m) * log_det
            else:
                items.log_marginal_self[i] += potential_of(prior, m, log_det, d) - empty


def items_of(statistics: Statistics, prior: KernelPrior, *, alike: bool) -> Items:
    """Make items of their statistics per group.

    Parameters
    ----------
    statistics : Statistics of shape (n, G)
    alike : bool
        That every item has the same number of cells in a group (complete data).
    """
    items = bare_items(statistics, alike=alike)
    _fill_log_marginal_self(prior, items)
    return items


def bare_items(statistics: Statistics, *, alike: bool) -> Items:
    """Make items that are not to be swept, without their own log marginals; parameters as in :func:`items_of`."""
    statistics = statistics.unfolded
    kind = kind_of(statistics.dimension, alike=alike)
    count = np.ascontiguousarray(statistics.count[:1]) if alike else statistics.count
    return Items(kind, count, statistics.mean, statistics.scatter, np.zeros(len(statistics.mean)))


def clusters_of(
    sizes: Floats,
    blocks: Statistics,
    items: Items,
    prior: KernelPrior,
    pseudo_count: float = 0.0,
    capacity: int = 0,
) -> Clusters:
    """Make clusters of their sizes and block statistics, with room for new ones.

    Parameters
    ----------
    sizes : ndarray of shape (K,)
    blocks : Statistics of shape (K, G)
    items : Items
        The items to be swept; of complete data, the counts are needed here.
    pseudo_count : float
        What a cluster weighs besides its members, see :class:`disnplbm.kernels.partition_prior.PartitionPrior`.
    capacity : int
        Least number of slots; rounded up to whole vectors.
    """
    blocks = blocks.unfolded
    k, groups = blocks.shape
    d = blocks.dimension
    slots = -(-max(capacity, k + 1) // LANES) * LANES
    clusters = Clusters(
        size=np.zeros(slots),
        opened_in_sweep=np.zeros(slots, dtype=np.bool_),
        partner=np.zeros(slots, dtype=np.int32),
        overlap=np.zeros(slots),
        counts=np.zeros((groups, slots)),
        mu=np.zeros((groups, d, slots)),
        psi=np.zeros((groups, len(prior.psi0), slots)),
        log_det=np.zeros((groups, slots)),
        potential=np.zeros((groups, slots)),
        slope=np.zeros((groups, slots)),
        slope_out=np.zeros((groups, slots)),
        half_nu=np.zeros((groups, slots)),
        base=np.zeros(slots),
        base_out=np.zeros(slots),
        pseudo_count=float(pseudo_count),
    )
    _load(prior, clusters, items, sizes, blocks.count, blocks.mean, blocks.scatter)
    return clusters


def enlarge(clusters: Clusters, items: Items, prior: KernelPrior) -> Clusters:
    """Copy the clusters, with about twice as many slots."""
    old = len(clusters.size)
    groups, d, _ = clusters.mu.shape
    nothing = Statistics.empty((0, groups), d)
    grown = clusters_of(np.zeros(0), nothing, items, prior, clusters.pseudo_count, capacity=2 * old)
    pairs: Any = zip(clusters[:-1], grown[:-1], strict=True)
    for small, large in pairs:
        large[..., :old] = small
    return grown
