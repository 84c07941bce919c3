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
always seen, new ones rarely. Sticks are made until what is left is below eps times the smallest slice: by the master
as far as is likely to do, by a shard whose rows need more, from the same streams. A cluster that no row draws has no
members and is gone; since new ones can be drawn, the way back exists and no proposal needs to be refused.

Under a limit M (symmetric Dirichlet) the measure is finite, and rows see all of it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Choices, Family, Statistics
from disnplbm.kernels.choice import logs, powers
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast
from disnplbm.sampler.weighing import draw_labels

#: Weight below which a cluster is not seen by all rows, in units of alpha / n.
SLICE = 4.0

#: New clusters that are made at a time.
STICKS = 16

#: Sticks to break for each unit of the concentration, until at most 1e-80 of the weight is left.
STICKS_EACH = 200


class Streams(NamedTuple):
    """Where the random numbers of an axis come from."""

    measure: Role
    new_clusters: Role
    labels: Role
    part: int  # whose columns they are for; 0 for the rows


ROWS = Streams(Role.MEASURE, Role.NEW_CLUSTERS, Role.LABELS, 0)


class Measure(NamedTuple):
    """Instantiated weights and parameters of clusters: what labels are drawn from."""

    weights: Floats  # (K + M,) of the K clusters there are, then of M new ones
    coefficients: Floats  # (F, K + M) see disnplbm.families.base; part by part
    remaining: float  # weight of all further new ones, which a shard draws where it needs them

    @classmethod
    def none(cls) -> Measure:
        """No measure."""
        return cls(np.zeros(0), np.zeros((0, 0)), 0.0)


def instantiate_measure(
    sizes: Floats,
    blocks: ClusterBlocks,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    iteration: int,
    streams: Streams = ROWS,
) -> Measure:
    """Draw weights and parameters given the partition.

    Parameters
    ----------
    sizes : ndarray of shape (K,)
    blocks : ClusterBlocks
    partition_prior : PartitionPrior
        Of the axis.
    iteration : int
        The one that they are for.
    """
    generator = random_generator(parameters.seed, parameters.chain, iteration, streams.measure, part=streams.part)
    n = float(sizes.sum())
    k = len(blocks)
    if partition_prior.pseudo_count > 0.0:
        blocks = blocks.extended(int(partition_prior.limit) - k)
        sizes = np.append(sizes, np.zeros(int(partition_prior.limit) - k))
    gammas = generator.standard_gamma(sizes + partition_prior.pseudo_count)
    remaining = (
        float(generator.standard_gamma(partition_prior.concentration)) if partition_prior.pseudo_count == 0.0 else 0.0
    )
    total = float(gammas.sum()) + remaining
    coefficients = [
        family.draw_coefficients(sets, generator) for family, sets in zip(blocks.families, blocks.sets, strict=True)
    ]
    measure = Measure(gammas / total, np.concatenate(coefficients), remaining / total)
    if partition_prior.pseudo_count > 0.0:
        return measure
    # The smallest of n slices is about 1 / n.
    floor = _least(partition_prior, n) / n
    return _add_clusters(measure, floor, blocks, parameters, partition_prior, iteration, streams)


def draw_rows(
    shard: Shard,
    labels: Labels,
    broadcast: Broadcast,
    measure: Measure,
    parameters: Parameters,
    partition_prior: PartitionPrior,
) -> Labelled:
    """Draw the labels of a shard's rows given a measure.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Global clusters of the rows.
    """
    iteration, blocks = broadcast.iteration, broadcast.blocks
    generator = random_generator(parameters.seed, parameters.chain, iteration, ROWS.labels, shard.index)
    uniforms, slices = generator.random((2, shard.n_rows))
    n = float(broadcast.sizes.sum())
    given = (parameters, partition_prior, iteration, ROWS)
    seen, choices = _see(measure, labels, slices, blocks, n, *given)
    drawn = np.empty(shard.n_rows, dtype=np.int32)
    for rows, items in shard.items(broadcast.parts):
        with locate_errors(shard.indices_from(rows.start), noun_of(parameters)):
            draw_labels(blocks, items, choices, uniforms[rows], slices[rows], drawn[rows])
    global_ids = seen.astype(np.int32)
    return Labelled(global_ids[drawn], np.arange(int(global_ids.max()) + 1, dtype=np.int32))


def draw_columns(
    columns: Statistics,
    labels: Labels,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    family: Family,
    iteration: int,
    part: int,
    *,
    complete: bool,
) -> Labels:
    """Draw the labels of all columns given a measure of their own.

    Parameters
    ----------
    columns : Statistics of shape (p, K)
        Of every column in every row cluster.
    labels : ndarray of int32, shape (p,)
        0..L-1 without holes.
    """
    sizes = np.bincount(labels).astype(np.float64)
    blocks = ClusterBlocks([family], [family.aggregate(columns, labels, len(sizes), axis=0)])
    streams = Streams(Role.COLUMN_MEASURE, Role.NEW_COLUMN_CLUSTERS, Role.COLUMN_LABELS, part)
    given = (parameters, partition_prior, iteration, streams)
    measure = instantiate_measure(sizes, blocks, *given)
    generator = random_generator(parameters.seed, parameters.chain, iteration, streams.labels, part=part)
    uniforms, slices = generator.random((2, len(labels)))
    seen, choices = _see(measure, labels, slices, blocks, float(len(labels)), *given)
    drawn = np.empty(len(labels), dtype=np.int32)
    family.draw_labels(family.items(columns, alike=complete), choices, uniforms, slices, drawn)
    return seen.astype(np.int32)[drawn]


def _see(
    measure: Measure,
    labels: Labels,
    slices: Floats,
    blocks: ClusterBlocks,
    n: float,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    iteration: int,
    streams: Streams,
) -> tuple[NDArray[np.intp], Choices]:
    """Find the clusters of a measure that any of some items may see, by their places in it.

    Parameters
    ----------
    slices : ndarray of shape (m,)
        Uniform numbers, which are scaled in place.
    blocks : ClusterBlocks
        Of the clusters that have members.
    n : float
        Items in all.
    """
    occupied = len(blocks)
    clusters, visibility = np.arange(len(measure.weights)), np.ones(len(measure.weights))
    if partition_prior.pseudo_count == 0.0:
        least = _least(partition_prior, n)
        # A product with a number below 1 is below: an item sees its own cluster.
        slices *= np.minimum(1.0, measure.weights / least)[labels]
        floor = least * float(slices.min(initial=1.0))
        measure = _add_clusters(measure, floor, blocks, parameters, partition_prior, iteration, streams)
        # Of the new clusters, those that any item sees, the most visible first.
        new = occupied + np.flatnonzero(measure.weights[occupied:] > floor)
        clusters = np.append(clusters[:occupied], new[np.argsort(-measure.weights[new], kind="stable")])
        visibility = np.minimum(1.0, measure.weights[clusters] / least)
    log_weights = logs(measure.weights[clusters] / visibility)
    return clusters, Choices(measure.coefficients[:, clusters], log_weights, visibility)


def most_clusters(measure: Measure, alpha: float, parameters: Parameters) -> int:
    """Largest number of clusters, the measure's included, that shards may have instantiated once they have drawn."""
    measured = len(measure.weights)
    if parameters.row_limit is not None:
        return measured
    return measured + STICKS * math.ceil(STICKS_EACH * max(alpha, 1.0) / STICKS)


def _least(partition_prior: PartitionPrior, n: float) -> float:
    """eps: the weight below which not all of n rows see a cluster."""
    return SLICE * partition_prior.concentration / n


def _add_clusters(
    measure: Measure,
    floor: float,
    blocks: ClusterBlocks,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    iteration: int,
    streams: Streams,
) -> Measure:
    """Add new clusters to a measure until what remains weighs no more than a floor.

    Whoever makes them, and however many, they are the first ones of the same endless sequence.
    """
    weights, drawn, remaining = [measure.weights], [measure.coefficients], measure.remaining
    chunk = (len(measure.weights) - len(blocks)) // STICKS
    while remaining > floor:
        generator = random_generator(
            parameters.seed, parameters.chain, iteration, streams.new_clusters, chunk, streams.part
        )
        # 1 - v for v ~ Beta(1, alpha).
        left = remaining * np.cumprod(powers(generator.random(STICKS), 1.0 / partition_prior.concentration))
        weights.append(np.append(remaining, left[:-1]) - left)
        of_parts = [
            family.draw_prior_coefficients(STICKS, number, generator)
            for family, number in zip(blocks.families, blocks.n_features(), strict=True)
        ]
        drawn.append(np.concatenate(of_parts))
        remaining, chunk = float(left[-1]), chunk + 1
    if len(weights) == 1:
        return measure
    return Measure(np.concatenate(weights), np.concatenate(drawn, axis=1), remaining)
