"""Pair moves alone leave the posterior of a partition unchanged, given the other one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.kernels.statistics import aggregate, cells_by_group
from disnplbm.model.marginal import log_marginal
from disnplbm.model.partition import canonical_labels, log_crp
from disnplbm.model.statistics import Floats, Labels, Statistics
from disnplbm.model.statistics import aggregate as plain_aggregate
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.pair_moves import move_pairs

from .enumeration import partitions
from .goodness import LEAST_P, MOST_EXCESS, chi_square, total_variation
from .problems import ALPHA, problem

#: Tries between draws.
TRIES = 10

GROUPS = np.array([0, 1, 0], dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Rows:
    """The row partitions of a table with fixed column clusters, and their exact probabilities."""

    items: Statistics
    partitions: list[Labels]
    probabilities: Floats


def rows_of(n: int, dimension: int) -> Rows:
    target = problem((n, 3), dimension, missing=False)
    items = cells_by_group(target.values, GROUPS, 2)
    all_labels = list(partitions(n))
    logs = np.array(
        [
            float(log_marginal(plain_aggregate(items, z, int(z.max()) + 1, axis=0), target.prior).sum())
            + log_crp(np.bincount(z), ALPHA)
            for z in all_labels
        ]
    )
    weights = np.exp(logs - logs.max())
    return Rows(items, all_labels, weights / weights.sum())


def visits(rows: Rows, dimension: int, concentration: float, n_draws: int) -> np.ndarray:
    prior = problem((len(rows.partitions[0]), 3), dimension, missing=False).prior
    items = rows.items
    place = {z.tobytes(): m for m, z in enumerate(rows.partitions)}
    counts = np.zeros(len(place), dtype=np.int64)
    generator = np.random.default_rng(3)
    labels = rows.partitions[0]

    def blocks_of(some: Statistics, clusters: Labels, number: int) -> ClusterBlocks:
        return ClusterBlocks([Gaussian(prior, 1.0)], [aggregate(some, clusters, number, axis=0)])

    for _ in range(n_draws):
        labels = canonical_labels(
            move_pairs(
                labels,
                blocks_of(items, labels, int(labels.max()) + 1),
                lambda side: blocks_of(items[side >= 0], side[side >= 0], 2),
                PartitionPrior.of(concentration),
                generator,
                TRIES,
            )
        )
        counts[place[labels.tobytes()]] += 1
    return counts


@pytest.mark.parametrize(("n", "dimension"), [(4, 1), (6, 2)])
def test_visits_of_pair_moves_alone_agree_with_the_posterior(n: int, dimension: int) -> None:
    rows = rows_of(n, dimension)
    counts = visits(rows, dimension, ALPHA, 2000)
    assert chi_square(counts, rows.probabilities) >= LEAST_P
    assert total_variation(counts, rows.probabilities).excess <= MOST_EXCESS


def test_pair_moves_without_the_concentration_are_rejected() -> None:
    rows = rows_of(4, 1)
    counts = visits(rows, 1, 1.0, 1000)
    assert chi_square(counts, rows.probabilities) < LEAST_P
    assert total_variation(counts, rows.probabilities).excess > MOST_EXCESS
