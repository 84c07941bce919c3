"""Partition priors are distributions of partitions, and their weights are ratios of its probabilities."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disnplbm.kernels import blocks as fast_blocks
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening, log_partition, log_split
from disnplbm.kernels.sweep import sweep
from disnplbm.model.partition import log_crp
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import aggregate, cells_by_group
from statistical.enumeration import partitions

LIMITS = [None, 3, 4, 6]


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.5])
@pytest.mark.parametrize("sizes", [[1], [4, 1], [3, 2, 2, 1], [1000, 7]])
def test_without_a_limit_it_is_the_chinese_restaurant_process(sizes: list[int], alpha: float) -> None:
    assert log_partition(sizes, PartitionPrior.of(alpha)) == pytest.approx(log_crp(sizes, alpha), rel=1e-12)


@pytest.mark.parametrize("alpha", [0.2, 1.0, 5.5])
@pytest.mark.parametrize("limit", range(1, 7))
def test_the_finite_dirichlet_sums_to_1_over_all_partitions(limit: int, alpha: float) -> None:
    of_items = PartitionPrior.of(alpha, limit)
    chances = [np.exp(log_partition(np.bincount(labels), of_items)) for labels in partitions(4)]
    assert sum(chances) == pytest.approx(1.0, abs=1e-12)
    assert [chance > 0.0 for chance in chances] == [labels.max() < limit for labels in partitions(4)]


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_the_finite_dirichlet_is_the_mixture_with_its_labels_forgotten(limit: int) -> None:
    """Every labelling has probability Gamma(M a) / Gamma(M a + n) prod Gamma(a + n_k) / Gamma(a)."""
    alpha, sizes = 0.7, [3, 1]
    counts = np.append(sizes, np.zeros(limit - 2))
    of_labels = math.lgamma(limit * alpha) - math.lgamma(limit * alpha + 4)
    of_labels += sum(math.lgamma(alpha + count) - math.lgamma(alpha) for count in counts)
    namings = limit * (limit - 1)
    assert log_partition(sizes, PartitionPrior.of(alpha, limit)) == pytest.approx(
        of_labels + math.log(namings), abs=1e-12
    )


@pytest.mark.parametrize("limit", LIMITS)
def test_a_split_changes_the_partition_by_its_ratio(limit: int | None) -> None:
    of_items = PartitionPrior.of(1.7, limit)
    together, apart = log_partition([7, 3], of_items), log_partition([5, 2, 3], of_items)
    assert log_split(5, 2, 2, of_items) == pytest.approx(apart - together, abs=1e-12)


@pytest.mark.parametrize("limit", LIMITS)
def test_weights_of_the_next_item_are_ratios_of_partitions(limit: int | None) -> None:
    of_items = PartitionPrior.of(1.7, limit)
    before = log_partition([4, 2], of_items)
    joined, opened = log_partition([5, 2], of_items) - before, log_partition([4, 2, 1], of_items) - before
    expected = math.log(4 + of_items.pseudo_count) - log_opening(2, of_items)
    assert joined - opened == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("limit", [1, 4])
def test_a_full_number_of_clusters_opens_no_other(limit: int) -> None:
    of_items = PartitionPrior.of(2.0, limit)
    assert log_opening(limit, of_items) == -math.inf
    assert log_split(2, 1, limit, of_items) == -math.inf
    assert log_opening(limit - 1, of_items) > -math.inf


@pytest.mark.parametrize(("limit", "most"), [(1, 1), (2, 2), (3, 3), (None, 12)])
def test_a_sweep_opens_as_many_clusters_as_there_may_be_and_no_more(limit: int | None, most: int) -> None:
    """Items far apart and a large concentration: without a limit each goes to a cluster of its own."""
    statistics = cells_by_group(100.0 * np.arange(12.0)[:, None, None], np.zeros(1, dtype=np.int32), 1)
    kernel_prior = fast_blocks.KernelPrior.of(NIWPrior(0.0, 1e-6, 1e-2, 3.0), 1.0)
    items, of_items = fast_blocks.items_of(statistics, kernel_prior, alike=True), PartitionPrior.of(1e6, limit)
    labels, generator = np.zeros(12, dtype=np.int32), np.random.default_rng(4)
    found = 0
    for _ in range(5):
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
        sizes = np.bincount(labels).astype(np.float64)
        blocks = aggregate(statistics, labels, len(sizes), axis=0)
        clusters = fast_blocks.clusters_of(sizes, blocks, items, kernel_prior, of_items.pseudo_count)
        sweep(labels, generator.random(12), items, clusters, kernel_prior, of_items)
        found = max(found, len(np.unique(labels)))
    assert found == most
