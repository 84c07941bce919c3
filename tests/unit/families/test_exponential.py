"""Kernels over sums against their twin: waiting times have the log marginal of counts, with time for exposure."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.errors import WeightError
from disnplbm.families.base import Choices, Proposals
from disnplbm.families.counts import Counts
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Floats
from statistical import waiting_times
from statistical.waiting_times import WaitingTimes

GROUPS, CLUSTERS = 3, 4


def kernels(power: float = 1.0) -> Counts:
    return Counts(waiting_times.A, waiting_times.B, power)


def table(n: int, seed: int = 0) -> Floats:
    """Sums of n items of two kinds, shape (n, G, 2); some have no cell in a group."""
    generator = np.random.default_rng(seed)
    number = generator.integers(0, 4, (n, GROUPS)).astype(np.float64)
    time = generator.gamma(number + 1e-9) * np.exp(np.arange(n) % 2)[:, None]
    return np.stack([number, np.where(number > 0, time, 0.0)], axis=-1)


@pytest.mark.parametrize("power", [1.0, 0.5])
def test_log_marginals(power: float) -> None:
    sums, twin = table(50), WaitingTimes(power).log_marginals(Sums(table(50)))
    assert np.allclose(kernels(power).log_marginals(Sums(sums)), twin, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("prior", [PartitionPrior.of(0.8), PartitionPrior.of(0.8, 6)])
def test_a_sweep(prior: PartitionPrior) -> None:
    sums, generator = table(60), np.random.default_rng(1)
    labels, uniforms = generator.integers(CLUSTERS, size=60).astype(np.int32), generator.random(60)
    found = []
    for family in (kernels(), WaitingTimes()):
        swept = labels.copy()
        blocks = family.aggregate(Sums(sums), swept, CLUSTERS, 0)
        seen = family.items(Sums(sums), alike=False)
        clusters = family.clusters(np.bincount(swept, minlength=CLUSTERS), blocks, seen, prior)
        clusters.partner[:CLUSTERS] = 1, 0, 3, 2
        clusters = family.sweep(swept, uniforms, seen, clusters, prior)
        size = np.bincount(swept, minlength=len(clusters.size))
        assert np.array_equal(clusters.size[: len(size)], size[: len(clusters.size)])
        found.append((swept, clusters.overlap[:CLUSTERS], clusters.opened_in_sweep[np.unique(swept)]))
    for ours, twins in zip(*found, strict=True):
        assert np.allclose(ours, twins, rtol=1e-9, atol=1e-9)


def test_clusters_grow_while_they_are_swept() -> None:
    """Items far from one another open one cluster each, beyond the slots that there were."""
    number = np.full((20, 1, 1), 500.0)
    sums = np.concatenate([number, number * np.exp(3.0 * np.arange(20))[:, None, None]], axis=-1)
    family, labels = kernels(), np.zeros(20, dtype=np.int32)
    items = family.items(Sums(sums), alike=False)
    clusters = family.clusters(np.array([20]), Sums(sums.sum(axis=0, keepdims=True)), items, PartitionPrior.of(1.0))
    clusters = family.sweep(labels, np.full(20, 0.5), items, clusters, PartitionPrior.of(1.0))
    assert len(np.unique(labels)) == 20
    assert np.count_nonzero(clusters.size) == 20
    assert np.allclose(clusters.blocks[labels], sums)


def test_labels_drawn_at_once() -> None:
    sums, generator = table(200), np.random.default_rng(2)
    log_weights, uniforms, slices = (
        np.log(generator.dirichlet(np.ones(7))),
        generator.random(200),
        generator.random(200),
    )
    visibility = np.append(np.ones(3), generator.random(4))
    coefficients = WaitingTimes().draw_coefficients(Sums(table(7, 3)), generator)
    found = []
    for family in (kernels(), WaitingTimes()):
        labels = np.empty(200, dtype=np.int32)
        seen = family.bare_items(Sums(sums))
        family.draw_labels(seen, Choices(coefficients, log_weights, visibility), uniforms, slices, labels)
        found.append(labels)
    assert np.array_equal(*found)
    assert len(np.unique(found[0])) > 3


@pytest.mark.parametrize("shape", [(50, 6), (1, 1), (0, 4)])
def test_one_feature_stands_for_all_exposures_where_no_cell_is_missing(shape: tuple[int, int]) -> None:
    """Labels, sides and likeliest labels are those of items that have a feature for each exposure."""
    generator, (n, groups) = np.random.default_rng(6), shape
    exposure = generator.gamma(2.0, 1.0, (n, 1)) * generator.gamma(2.0, 1.0, groups)
    sums = Sums(np.stack([generator.poisson(2.0 * exposure).astype(np.float64), exposure], axis=-1))
    family = kernels(0.5)
    blocks = Sums(generator.gamma(3.0, 4.0, (5, groups, 2)))
    choices = Choices(family.draw_coefficients(blocks, generator), np.log(np.full(5, 0.2)), np.ones(5))
    contrasts = generator.normal(size=(1, 2 * groups + 1))
    proposals = Proposals(contrasts, np.array([True]), np.zeros(5, np.int32), np.full(5, -1, np.int32), np.zeros(1))
    uniforms, found = generator.random(n), []
    turned = Sums(sums.T.contiguous).T
    for items in (family.items(sums, alike=True), family.items(turned, alike=True), family.bare_items(turned)):
        labels, sides, cost = np.empty(n, np.int32), np.full(n, -1, np.int32), np.zeros((1, 2))
        family.draw_labels(items, choices, uniforms, np.zeros(n), labels)
        family.draw_sides(items, proposals, uniforms, labels, sides, cost)
        found.append((labels, family.likeliest(items, choices), sides, cost))
    for other in found[1:]:
        assert all(np.array_equal(*pair) for pair in zip(found[0][:3], other[:3], strict=True))
        assert np.allclose(found[0][3], other[3], rtol=1e-9, atol=1e-9)
    assert family.items(sums, alike=True).features.shape == (n, groups + 1)


def test_likeliest_labels() -> None:
    sums, blocks, log_weights = Sums(table(200)), Sums(table(7, 3)), np.log(np.arange(1.0, 8.0) / 28.0)
    found = []
    for family in (kernels(0.5), WaitingTimes(0.5)):
        coefficients = family.mean_coefficients(blocks)
        found.append(
            (coefficients, family.likeliest(family.bare_items(sums), Choices(coefficients, log_weights, log_weights)))
        )
    assert np.allclose(found[0][0], found[1][0], rtol=1e-12)
    assert np.array_equal(found[0][1], found[1][1])
    assert len(np.unique(found[0][1])) > 3


def test_an_item_whose_weights_are_no_numbers_has_no_likeliest_label() -> None:
    sums, family = table(5), kernels()
    sums[2, 1, 0] = np.nan
    for log_weights, item in ((np.zeros(2), 2), (np.full(2, -np.inf), 0)):
        choices = Choices(np.ones((2 * GROUPS, 2)), log_weights, np.ones(2))
        with pytest.raises(WeightError) as raised:
            family.likeliest(family.bare_items(Sums(sums)), choices)
        assert raised.value.item == item


def test_sides() -> None:
    sums, generator = table(80), np.random.default_rng(4)
    contrasts, guided = generator.normal(size=(2, 2 * GROUPS + 1)), np.array([True, False])
    try_of, present = np.array([0, 0, 1, -1], dtype=np.int32), np.array([0, 1, -1, -1], dtype=np.int32)
    proposals = Proposals(contrasts, guided, try_of, present, np.array([0.5, 0.3]))
    labels, uniforms = generator.integers(CLUSTERS, size=80).astype(np.int32), generator.random(80)
    found = []
    for family in (kernels(), WaitingTimes()):
        sides, cost = np.full(80, -1, dtype=np.int32), np.zeros((2, 2))
        family.draw_sides(family.bare_items(Sums(sums)), proposals, uniforms, labels, sides, cost)
        found.append((sides, cost))
    for ours, twins in zip(*found, strict=True):
        assert np.allclose(ours, twins, rtol=1e-9, atol=1e-9)


def test_a_launch_tells_two_kinds_apart() -> None:
    number = np.full((40, GROUPS, 1), 30.0)
    sums = np.concatenate([number, number * np.exp(2.0 * (np.arange(40) % 2))[:, None, None]], axis=-1)
    contrast = kernels().launch(Sums(sums), 0, 1)
    odds = sums.reshape(40, -1) @ contrast[:-1] + contrast[-1]
    assert np.array_equal(odds > 0, np.arange(40) % 2 == 0)


def test_an_item_whose_weights_are_no_numbers_is_named() -> None:
    sums, family = table(5), kernels()
    sums[3, 0, 1] = np.nan
    choices = Choices(np.ones((2 * GROUPS, 2)), np.zeros(2), np.ones(2))
    of_items = np.full(5, 0.5), np.zeros(5), np.zeros(5, dtype=np.int32)
    with pytest.raises(WeightError) as raised:
        family.draw_labels(family.bare_items(Sums(sums)), choices, *of_items)
    assert raised.value.item == 3


@pytest.mark.parametrize("shape", [(40, 33), (1, 20), (16, 16), (0, 3)])
def test_columns_merge_as_rows_do(shape: tuple[int, int]) -> None:
    """To the last bit, and items of label -1 are passed over; so is a transposition."""
    generator = np.random.default_rng(7)
    sums, labels = Sums(generator.gamma(1.0, 1.0, (*shape, 2))), generator.integers(-1, 5, shape[1]).astype(np.int32)
    family, into = kernels(), Sums(generator.gamma(1.0, 1.0, (shape[0], 5, 2)))
    assert np.array_equal(sums.T.contiguous, np.swapaxes(sums.values, 0, 1))
    assert sums.T.contiguous.flags.c_contiguous
    by_column = family.aggregate(sums, labels, 5, axis=1)
    for by_row in (sums.T, Sums(sums.T.contiguous)):
        assert np.array_equal(by_column.values, family.aggregate(by_row, labels, 5, axis=0).T.values)
    expected = into.values + by_column.values
    assert np.allclose(family.aggregate(sums, labels, 5, axis=1, into=into).values, expected, rtol=1e-12)
