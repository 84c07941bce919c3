"""Where an item's log weights are not finite numbers, every kernel that draws names the item instead of drawing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from disnplbm.errors import WeightError
from disnplbm.kernels.blocks import Items, KernelPrior, bare_items, clusters_of, items_of
from disnplbm.kernels.choice import accept, choose
from disnplbm.kernels.gaussian import draw_sides, likelier_sides, n_features
from disnplbm.kernels.labels import draw_labels
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.kernels.sweep import sweep
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics, aggregate
from marks import long

N, GROUPS, CLUSTERS = 150, 2, 6

UNFIT = [np.nan, np.inf, -np.inf, 1e200]


def _statistics(d: int) -> Statistics:
    generator = np.random.default_rng(d)
    mean = generator.normal(size=(N, GROUPS, d))
    return Statistics(np.full((N, GROUPS), 3.0), mean, np.broadcast_to(np.eye(d), (N, GROUPS, d, d)).copy())


def _kernel_prior(d: int):  # type: ignore[no-untyped-def]
    return KernelPrior.of(NIWPrior(np.zeros(d), 1.0, np.eye(d), d + 1.0), 1.0)


@pytest.mark.parametrize(("alike", "d"), [(True, 1), (True, 2), (True, 9), (False, 1), long(False, 2), long(False, 9)])
@pytest.mark.parametrize("bad", UNFIT)
@pytest.mark.parametrize("item", [0, 70, N - 1])
def test_a_collapsed_sweep(d: int, alike: bool, bad: float, item: int) -> None:
    statistics, prior = _statistics(d), _kernel_prior(d)
    labels = (np.arange(N) % CLUSTERS).astype(np.int32)
    blocks = aggregate(statistics, labels, CLUSTERS, axis=0)
    statistics.mean[item, 1, d - 1] = bad
    with np.errstate(all="ignore"):
        items = items_of(statistics, prior, alike=alike)
    clusters = clusters_of(np.bincount(labels).astype(float), blocks, items, prior)
    with pytest.raises(WeightError) as caught:
        sweep(labels, np.full(N, 0.5), items, clusters, prior, PartitionPrior.of(1.0))
    assert caught.value.item == item


@pytest.mark.parametrize("cluster", [0, 3, CLUSTERS - 1])
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_collapsed_sweep_over_a_cluster_that_is_not_a_number(cluster: int, bad: float) -> None:
    statistics, prior = _statistics(1), _kernel_prior(1)
    labels = (np.arange(N) % CLUSTERS).astype(np.int32)
    items = items_of(statistics, prior, alike=True)
    clusters = clusters_of(
        np.bincount(labels).astype(float), aggregate(statistics, labels, CLUSTERS, axis=0), items, prior
    )
    clusters.base[cluster] = clusters.base_out[cluster] = bad
    with pytest.raises(WeightError) as caught:
        sweep(labels, np.full(N, 0.5), items, clusters, prior, PartitionPrior.of(1.0))
    assert caught.value.item == 0


def _drawn(change: Callable[[Items, np.ndarray, np.ndarray, np.ndarray], None]) -> np.ndarray:
    generator = np.random.default_rng(3)
    items = bare_items(_statistics(1), alike=True)
    coefficients = generator.normal(size=(n_features(GROUPS, 1), CLUSTERS))
    log_weights, slices = generator.normal(size=CLUSTERS), generator.random(N)
    visibility = np.array([1.0, 1.0, 0.7, 0.5, 0.2, 0.1])
    change(items, coefficients, log_weights, slices)
    labels = np.full(N, -7, dtype=np.int32)
    draw_labels(items, coefficients, log_weights, visibility, generator.random(N), slices, labels)
    return labels


def test_labels_drawn_by_finite_weights_are_those_of_clusters() -> None:
    labels = _drawn(lambda *_: None)
    assert set(labels) <= set(range(CLUSTERS))
    assert len(set(labels)) > 1


@pytest.mark.parametrize("bad", UNFIT)
@pytest.mark.parametrize("item", [0, 63, 64, N - 1])
def test_labels_of_an_item_with_unfit_features(bad: float, item: int) -> None:
    def change(items: Items, *_: np.ndarray) -> None:
        items.mean[item, 1, 0] = bad

    with pytest.raises(WeightError) as caught, np.errstate(all="ignore"):
        _drawn(change)
    assert caught.value.item == item


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("feature", range(n_features(GROUPS, 1)))
def test_labels_by_an_unfit_coefficient(bad: float, feature: int) -> None:
    def change(_: Items, coefficients: np.ndarray, *__: np.ndarray) -> None:
        coefficients[feature, 4] = bad

    with pytest.raises(WeightError) as caught:
        _drawn(change)
    assert caught.value.item == 0


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_labels_by_an_unfit_weight(bad: float) -> None:
    def change(_: Items, __: np.ndarray, log_weights: np.ndarray, ___: np.ndarray) -> None:
        log_weights[2] = bad

    with pytest.raises(WeightError):
        _drawn(change)


def test_a_cluster_without_weight_is_never_drawn() -> None:
    def change(_: Items, __: np.ndarray, log_weights: np.ndarray, ___: np.ndarray) -> None:
        log_weights[0] = -np.inf

    assert _drawn(change).min() == 1


def test_labels_where_no_cluster_has_weight() -> None:
    def change(_: Items, __: np.ndarray, log_weights: np.ndarray, ___: np.ndarray) -> None:
        log_weights[:] = -np.inf

    with pytest.raises(WeightError) as caught:
        _drawn(change)
    assert caught.value.item == 0


def test_labels_of_an_item_that_sees_clusters_without_weight_only() -> None:
    def change(_: Items, __: np.ndarray, log_weights: np.ndarray, slices: np.ndarray) -> None:
        log_weights[:2] = -np.inf
        slices[:] = 0.0
        slices[100] = 0.9

    with pytest.raises(WeightError) as caught:
        _drawn(change)
    assert caught.value.item == 100


@pytest.mark.parametrize("weights", [[np.nan, 0.0], [0.0, np.nan], [0.0, np.inf], [-np.inf, -np.inf]])
def test_a_single_choice(weights: list[float]) -> None:
    with pytest.raises(WeightError):
        choose(np.array(weights), 0.5)


@pytest.mark.parametrize("uniform", [0.0, 0.5])
def test_an_acceptance_ratio_that_is_not_a_number(uniform: float) -> None:
    with pytest.raises(WeightError):
        accept(np.nan, uniform)


@pytest.mark.parametrize("bad", UNFIT)
def test_sides_of_a_split(bad: float) -> None:
    statistics = _statistics(1)
    statistics.mean[9, 0, 0] = bad
    contrast = np.ones(n_features(GROUPS, 1) + 1)
    members = np.arange(N, dtype=np.int32)
    nobody, everyone = np.full(N, -1, dtype=np.int32), np.zeros(N, dtype=np.int32)
    items = bare_items(statistics, alike=False)
    with pytest.raises(WeightError) as caught:
        draw_sides(
            items,
            contrast[None],
            np.array([True]),
            np.zeros(1, dtype=np.int32),
            np.full(1, -1, dtype=np.int32),
            np.full(N, 0.5),
            np.zeros(1),
            everyone,
            nobody,
            np.zeros((1, 2)),
        )
    assert caught.value.item == 9
    with pytest.raises(WeightError) as caught:
        likelier_sides(items, contrast, members)
    assert caught.value.item == 9
