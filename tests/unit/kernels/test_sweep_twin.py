"""The sweep kernel against the sweep written as the model states it."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.kernels import blocks as fast_blocks
from disnplbm.kernels import statistics as fast_statistics
from disnplbm.kernels import sweep as fast_sweep
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model import statistics, sweep
from disnplbm.model.prior import NIWPrior
from marks import long

PRIOR = {"kappa0": 0.7, "alpha": 1.6}


def table(n: int, p: int, d: int, missing: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, p, d)) + 3.0 * rng.integers(0, 3, size=(n, 1, 1)) + rng.normal(size=(1, p, 1))
    values[rng.random((n, p)) < missing] = np.nan
    return values


def prior_of(d: int) -> NIWPrior:
    rng = np.random.default_rng(99)
    root = rng.normal(size=(d, d))
    return NIWPrior(rng.normal(size=d), PRIOR["kappa0"], root @ root.T + np.eye(d), d + 1.3)


CASES = [
    long(d, missing, power) if d in (3, 8) else (d, missing, power)
    for d in (1, 2, 3, 8, 9, 10)
    for missing in (0.0, 0.2)
    for power in (1.0, 0.5)
]


@pytest.mark.parametrize(("d", "missing", "power"), CASES)
def test_log_weights_equal_the_twins(d: int, missing: float, power: float) -> None:
    values, prior, rng = table(14, 7, d, missing, seed=d), prior_of(d), np.random.default_rng(5)
    groups = np.array([0, 1, 2, 0, 1, 0, 0], dtype=np.int32)
    labels = rng.integers(0, 4, 14).astype(np.int32)
    items = statistics.cells_by_group(values, groups, 3)
    blocks = statistics.aggregate(items, labels, 4, axis=0)
    sizes = np.bincount(labels, minlength=4).astype(float)
    kernel_prior = fast_blocks.KernelPrior.of(prior, power)
    fast_items = fast_blocks.items_of(items, kernel_prior, alike=missing == 0)
    clusters = fast_blocks.clusters_of(sizes, blocks, fast_items, kernel_prior)
    weight = np.empty(len(clusters.size))
    for i in range(14):
        new = fast_sweep.log_weights(
            kernel_prior, clusters, fast_items, i, labels[i], float(np.log(PRIOR["alpha"])), weight
        )
        left = statistics.remove(blocks[labels[i]], items[i])
        without = blocks.copy()
        without.count[labels[i]], without.mean[labels[i]], without.scatter[labels[i]] = (
            left.count, left.mean, left.scatter,
        )  # fmt: skip
        others = sizes - (np.arange(4) == labels[i])
        expected = sweep.candidate_log_weights(items[i], others, without, prior, PRIOR["alpha"], power)
        got = np.append(weight[:4], new)
        # The kernel leaves out the factor of pi that every candidate shares.
        shift = -power * items.count[i].sum() * d / 2 * np.log(np.pi)
        alive = np.isfinite(expected)
        np.testing.assert_allclose(got[alive] + shift, expected[alive], rtol=0, atol=1e-8)
        assert not np.isfinite(got[~alive]).any()


@pytest.mark.parametrize(("d", "missing"), [(1, 0.0), (1, 0.3), (2, 0.0), long(3, 0.2), (9, 0.0)])
def test_sweeps_choose_the_same_labels_as_the_twin(d: int, missing: float) -> None:
    values, prior = table(40, 6, d, missing, seed=10 + d), prior_of(d)
    groups = np.array([0, 0, 1, 1, 1, 0], dtype=np.int32)
    labels = np.arange(40, dtype=np.int32) % 3
    items = statistics.cells_by_group(values, groups, 2)
    kernel_prior = fast_blocks.KernelPrior.of(prior, 1.0)
    fast_items = fast_blocks.items_of(items, kernel_prior, alike=missing == 0)
    sizes = np.bincount(labels, minlength=3).astype(float)
    blocks = statistics.aggregate(items, labels, 3, axis=0)
    clusters = fast_blocks.clusters_of(sizes, blocks, fast_items, kernel_prior)
    fast_labels = labels.copy()
    rng = np.random.default_rng(0)
    for concentration in (0.5, 4.0, 1e6, 0.5):  # the large one forces new clusters and more slots
        uniforms = rng.random(40)
        labels, sizes, blocks = sweep.sweep(labels, uniforms, items, sizes, blocks, prior, concentration, 1.0)
        clusters = fast_sweep.sweep(
            fast_labels, uniforms, fast_items, clusters, kernel_prior, PartitionPrior.of(concentration)
        )
        np.testing.assert_array_equal(fast_labels, labels)
        np.testing.assert_array_equal(clusters.size[: len(sizes)], sizes)


@pytest.mark.parametrize(("d", "missing"), [(1, 0.0), (1, 0.3), (3, 0.0), (3, 0.3)])
def test_statistics_equal_the_twins(d: int, missing: float) -> None:
    values = table(23, 8, d, missing, seed=3)
    groups, labels = np.arange(8, dtype=np.int32) % 3, np.arange(23, dtype=np.int32) % 4
    by_group = fast_statistics.cells_by_group(values, groups, 3)
    by_cluster = fast_statistics.cells_by_cluster(values, labels, 4, complete=missing == 0)
    added = statistics.Statistics.empty((4, 3), d)
    kernel_prior = fast_blocks.KernelPrior.of(NIWPrior(np.zeros(d), 1.0, np.eye(d), d + 1.0), 1.0)
    fast_statistics.add_items(fast_blocks.items_of(by_group, kernel_prior, alike=missing == 0), labels, added)
    pairs = [
        (by_group, statistics.cells_by_group(values, groups, 3)),
        (by_cluster, statistics.cells_by_cluster(values, labels, 4)),
        (fast_statistics.aggregate(by_group, labels, 4, axis=0), statistics.aggregate(by_group, labels, 4, axis=0)),
        (fast_statistics.aggregate(by_cluster, groups, 3, axis=1), statistics.aggregate(by_cluster, groups, 3, axis=1)),
        (added, statistics.aggregate(by_group, labels, 4, axis=0)),
    ]
    for fast, slow in pairs:
        np.testing.assert_array_equal(fast.count, slow.count)
        np.testing.assert_allclose(fast.mean, slow.mean, rtol=0, atol=1e-12)
        np.testing.assert_allclose(fast.scatter, slow.scatter, rtol=0, atol=1e-11)
