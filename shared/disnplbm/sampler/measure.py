r"""Labels drawn given instantiated weights and parameters: exact for any number of shards.

Given the partition z, the mixing measure of the rows is known in distribution (Pitman 1996): the clusters there are
have weights (pi_1, .., pi_K, rest) ~ Dirichlet(n_1, .., n_K, alpha) and parameters from their posteriors, and the rest
is again a Dirichlet process, scaled: sticks rest (1 - v_1) .. v_m, v ~ Beta(1, alpha), with parameters from the prior.
Given the measure, the rows are independent, so that shards draw theirs side by side.

The measure has infinitely many clusters, of which a row need not see all. A slice u | z_i ~ U(0, x(pi_z_i)), with any
fixed function x of a cluster's weight, makes

    p(z_i = k | u, measure)  ~  1(u < x(pi_k)) pi_k / x(pi_k) p(row i | k)

and leaves the target unchanged (Walker 2007; Kalli, Griffin and Walker 2011, with x a function of the weight and not of
the order, since the order depends on z). Here x(pi) = min(1, pi / eps), eps = SLICE alpha / n: clusters above eps are
always seen, new ones rarely, and a shard makes sticks until what is left is below eps times its smallest slice. All
shards make the same ones, from the same stream. A cluster that no row draws has no members and is gone; since new ones
can be drawn, the way back exists and no proposal needs to be refused.

Under a limit M (symmetric Dirichlet) the measure is finite, and rows see all of it.
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import LANES, Hyper
from disnplbm.kernels.choice import logs, powers
from disnplbm.kernels.gaussian import coefficients, draw_labels, drawn_variates
from disnplbm.kernels.urn import Urn
from disnplbm.model.statistics import Floats, Labels, Statistics
from disnplbm.sampler.keys import Role, stream
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard, ShardStatistics
from disnplbm.sampler.state import Broadcast, Measure

#: Weight below which a cluster is not seen by all rows, in units of alpha / n.
SLICE = 4.0

#: New clusters that are made at a time.
STICKS = 16


def instantiated(sizes: Floats, blocks: Statistics, urn: Urn, hyper: Hyper, generator: np.random.Generator) -> Measure:
    """Weights and parameters given the partition.

    Parameters
    ----------
    sizes : ndarray of shape (K,)
    blocks : Statistics of shape (K, L)
    urn : Urn
        Of the rows.
    hyper : Hyper
    generator : numpy.random.Generator
    """
    k = blocks.shape[0]
    if urn.extra > 0.0:
        blocks = blocks.extended(int(urn.limit) - k)
        sizes = np.append(sizes, np.zeros(int(urn.limit) - k))
    gammas = generator.standard_gamma(sizes + urn.extra)
    rest = float(generator.standard_gamma(urn.concentration)) if urn.extra == 0.0 else 0.0
    total = float(gammas.sum()) + rest
    nu = (hyper.nu0 + hyper.power * blocks.count).reshape(-1)
    drawn = coefficients(blocks, drawn_variates(nu, blocks.dimension, generator), hyper)
    return Measure(gammas / total, rest / total, drawn)


def draw_rows(
    shard: Shard, labels: Labels, broadcast: Broadcast, parameters: Parameters, urn: Urn, hyper: Hyper
) -> ShardStatistics:
    """Draw the labels of a shard's rows given the broadcast's measure.

    Parameters
    ----------
    shard : Shard
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows.
    broadcast : Broadcast
    parameters : Parameters
    urn : Urn
    hyper : Hyper
    """
    key = (parameters.seed, parameters.chain, broadcast.iteration)
    uniforms, heights = stream(*key, Role.LABELS, shard.index).random((2, shard.n_rows))
    measure, groups = broadcast.measure, broadcast.blocks.shape[1]
    weights, drawn, occupied = measure.weights, measure.coefficients, len(measure.weights)
    names = np.arange(occupied, dtype=np.int32)
    visibility, slices = np.ones(occupied), np.zeros(shard.n_rows)
    if urn.extra == 0.0:
        least = SLICE * urn.concentration / float(broadcast.sizes.sum())
        visibility = np.minimum(1.0, weights / least)
        slices = visibility[labels] * heights
        floor = least * float(slices.min(initial=1.0))
        sticks, of_new = _new_clusters(measure.rest, floor, groups, urn, hyper, stream(*key, Role.NEW_CLUSTERS))
        order = np.argsort(-sticks, kind="stable").astype(np.int32)
        names = np.append(names, occupied + order)
        visibility = np.append(visibility, np.minimum(1.0, sticks[order] / least))
        weights = np.append(weights, sticks[order])
        drawn = np.append(drawn, of_new[:, order], axis=1)
    labels = labels.copy()
    weights, visibility, drawn = _padded(weights), _padded(visibility), _padded(drawn)
    log_weights = logs(weights / np.where(visibility > 0.0, visibility, 1.0))
    for rows, items in shard.items(broadcast.column_labels, groups, hyper):
        here = labels[rows]
        draw_labels(items, drawn, log_weights, visibility, occupied, uniforms[rows], slices[rows], here)
        labels[rows] = here
    return shard.summarise(names[labels], np.arange(len(names), dtype=np.int32))


def _new_clusters(
    rest: float, floor: float, groups: int, urn: Urn, hyper: Hyper, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Weights, shape (M,), and coefficients, shape (F, M), of new clusters until the rest weighs no more than a floor.

    However many are made, they are the first ones of the same endless sequence.
    """
    d = len(hyper.mu0)
    nothing = Statistics.empty((STICKS, groups), d)
    weights: list[Floats] = []
    drawn: list[Floats] = []
    while rest > floor or not weights:
        # 1 - v for v ~ Beta(1, alpha).
        left = rest * np.cumprod(powers(generator.random(STICKS), 1.0 / urn.concentration))
        weights.append(np.append(rest, left[:-1]) - left)
        variates = drawn_variates(np.full(STICKS * groups, hyper.nu0), d, generator)
        drawn.append(coefficients(nothing, variates, hyper))
        rest = float(left[-1])
    return np.concatenate(weights), np.concatenate(drawn, axis=1)


def _padded(values: Floats) -> Floats:
    """The last axis filled up with zeros to whole vectors."""
    fill = -values.shape[-1] % LANES
    return np.ascontiguousarray(np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, fill)]))
