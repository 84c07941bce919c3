"""Blocks under removal and addition: no digits lost, nothing left behind."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from disnplbm.kernels import blocks, sweep
from disnplbm.kernels.blocks import LANES, Clusters, KernelPrior
from disnplbm.kernels.compiler import OPTIONS
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.kernels.statistics import aggregate, cells_by_group
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior, default_prior
from disnplbm.model.statistics import Statistics


# Not cached on disk: Numba would not notice that a function pasted in from another file has changed.
@njit(**OPTIONS)
def changed(kernel_prior, clusters, items, members, signs):  # type: ignore[no-untyped-def]
    """Put items into cluster 0 (+1) or take them out (-1), one after another; the least diagonal of its psi."""
    psi = np.empty(kernel_prior.psi0.size)
    work = np.empty((kernel_prior.psi0.size, 4))
    least = np.inf
    for t in range(members.size):
        blocks.change(kernel_prior, clusters, 0, items, members[t], signs[t], psi, work)
        at = 0
        for a in range(clusters.mu.shape[1]):
            at += a
            least = min(least, clusters.psi[:, at + a, 0].min() / kernel_prior.psi0[at + a])
    return least


def scatter_of(clusters: Clusters, kernel_prior: KernelPrior) -> np.ndarray:
    """Scatter of cluster 0 in each group, d = 1, from its posterior parameters."""
    n, kappa = clusters.counts[:, 0], kernel_prior.kappa0 + clusters.counts[:, 0]
    mean = kernel_prior.mu0[0] + kappa / n * (clusters.mu[:, 0, 0] - kernel_prior.mu0[0])
    return (
        clusters.psi[:, 0, 0]
        - kernel_prior.psi0[0]
        - kernel_prior.kappa0 * n / kappa * (mean - kernel_prior.mu0[0]) ** 2
    )


@pytest.mark.parametrize("alike", [True, False], ids=["complete", "missing"])
def test_variances_at_an_offset_of_1e8_are_right_after_1000_removals(alike: bool) -> None:
    small = np.random.default_rng(1).integers(0, 3, (100, 10)).astype(float)
    far, groups = (1e8 + small)[..., None], np.arange(10, dtype=np.int32) % 2
    frame = Frame.of([far.mean()], [[far.var()]])
    kernel_prior = blocks.KernelPrior.of(frame.prior(default_prior([far.mean()], [[far.var()]])), 1.0)
    statistics = cells_by_group(frame.enter(far), groups, 2)
    items = blocks.items_of(statistics, kernel_prior, alike=alike)
    whole = aggregate(statistics, np.zeros(100, dtype=np.int32), 1, axis=0)
    clusters = blocks.clusters_of(np.array([100.0]), whole, items, kernel_prior)
    expected = np.array([small[:, groups == g].var() for g in (0, 1)])

    def variances() -> np.ndarray:
        return scatter_of(clusters, kernel_prior) * frame.scale[0] ** 2 / clusters.counts[:, 0]

    np.testing.assert_allclose(variances(), expected, rtol=1e-6)
    moved = np.repeat(np.random.default_rng(2).integers(0, 100, 1000), 2)
    changed(kernel_prior, clusters, items, moved, np.tile([-1.0, 1.0], 1000))
    np.testing.assert_allclose(variances(), expected, rtol=1e-6)
    assert clusters.size[0] == 100


@pytest.mark.parametrize("alike", [True, False], ids=["complete", "missing"])
@pytest.mark.parametrize("d", [1, 2])
def test_a_thousand_points_added_and_removed_leave_the_prior(d: int, alike: bool) -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(1.0, 2.0, size=(1000, 3, d))
    if not alike:
        values[rng.random((1000, 3)) < 0.3] = np.nan
    prior = NIWPrior(rng.normal(size=d), 0.4, 0.6 * np.eye(d) + 0.3, d + 0.5)
    kernel_prior = blocks.KernelPrior.of(prior, 1.0)
    items = blocks.items_of(cells_by_group(values, np.array([0, 0, 1], dtype=np.int32), 2), kernel_prior, alike=alike)
    clusters = blocks.clusters_of(np.zeros(1), Statistics.empty((1, 2), d), items, kernel_prior)
    order = np.concatenate([rng.permutation(1000), rng.permutation(1000)])
    least = changed(kernel_prior, clusters, items, order, np.repeat([1.0, -1.0], 1000))
    assert least >= 1.0  # psi is psi0 plus a scatter: below psi0, the scatter would be negative
    assert clusters.size[0] == 0
    np.testing.assert_array_equal(clusters.counts[:, 0], 0.0)
    np.testing.assert_allclose(clusters.mu[..., 0], np.broadcast_to(kernel_prior.mu0, (2, d)), rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        clusters.psi[..., 0], np.broadcast_to(kernel_prior.psi0, (2, len(kernel_prior.psi0))), atol=1e-9
    )
    expected = np.full(2, np.linalg.slogdet(prior.psi0)[1])
    np.testing.assert_allclose(clusters.log_det[:, 0], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("d", [1, 2])
def test_a_slot_whose_cluster_died_is_as_good_as_new(d: int) -> None:
    """Item 1 has no cell in group 0: when it reopens the slot that item 0 left, nothing of item 0 may be seen."""
    values = np.random.default_rng(0).normal(size=(3, 2, d)) + 2.0
    values[1, 0] = np.nan
    statistics = cells_by_group(values, np.array([0, 1], dtype=np.int32), 2)
    kernel_prior = blocks.KernelPrior.of(NIWPrior(np.zeros(d), 0.4, 0.7 * np.eye(d), d + 2.5), 1.0)
    items = blocks.items_of(statistics, kernel_prior, alike=False)

    def clusters_of(labels: np.ndarray) -> Clusters:
        sizes = np.bincount(labels, minlength=2).astype(float)
        return blocks.clusters_of(sizes, aggregate(statistics, labels, 2, axis=0), items, kernel_prior)

    for seed in range(5000):
        labels = np.array([0, 1, 1], dtype=np.int32)
        swept = sweep.sweep(
            labels,
            np.random.default_rng(seed).random(3),
            items,
            clusters_of(labels),
            kernel_prior,
            PartitionPrior.of(1.0),
        )
        if labels.tolist() == [1, 0, 1]:
            break
    else:
        pytest.fail("no sweep moved item 0 to item 2 and item 1 into the slot that item 0 left")
    anew = clusters_of(labels)
    np.testing.assert_allclose(swept.log_det[:, :2], anew.log_det[:, :2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(swept.potential[:, :2], anew.potential[:, :2], rtol=0, atol=1e-12)


def test_slots_come_in_whole_vectors_with_room_for_a_new_cluster() -> None:
    statistics = cells_by_group(np.zeros((9, 2, 1)), np.zeros(2, dtype=np.int32), 1)
    kernel_prior = blocks.KernelPrior.of(NIWPrior(0.0, 1.0, 1.0, 2.0), 1.0)
    items = blocks.items_of(statistics, kernel_prior, alike=True)
    for k in range(1, 9):
        labels = np.arange(9, dtype=np.int32) % k
        clusters = blocks.clusters_of(
            np.bincount(labels).astype(float), aggregate(statistics, labels, k, axis=0), items, kernel_prior
        )
        assert len(clusters.size) > k
        assert len(clusters.size) % LANES == 0
        assert np.isneginf(clusters.base[k:]).all()
