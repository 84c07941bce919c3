"""Rows weighed by several parts at once: the kernels do what a plain sum of log marginals and log densities says."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from disnplbm.errors import RunError
from disnplbm.families.base import Choices, Family, FamilyOf, Proposals, Statistics
from disnplbm.families.categories import Categories
from disnplbm.families.counts import Counts
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, cells_by_group
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.weighing import SweptRows, draw_labels, draw_sides

N, K = 40, 3
LABELS = (np.arange(N) % K).astype(np.int32)
RNG = np.random.default_rng(2)
CRP = PartitionPrior.of(30.0)

Part = tuple[Family, Statistics]


def numbers(d: int, missing: bool) -> Part:
    """Rows of five cells of d numbers in two column clusters."""
    values = RNG.normal(size=(N, 5, d)) + 0.8 * (LABELS % 2)[:, None, None]
    if missing:
        values[RNG.random((N, 5)) < 0.3] = np.nan
    family = Gaussian(NIWPrior(np.zeros(d), 0.5, np.eye(d), d + 2.0), 0.8)
    return family, cells_by_group(values, np.array([0, 1, 1, 0, 1], dtype=np.int32), 2)


def counts() -> Part:
    """Totals and exposures of rows in three column clusters."""
    totals = RNG.poisson(1.0 + LABELS[:, None], (N, 3)).astype(float)
    return Counts(1.5, 0.7, 0.8), Sums(np.stack([totals, np.full((N, 3), 2.0)], axis=-1))


def categories() -> Part:
    """Categories of rows in one column cluster."""
    return Categories(np.array([0.6, 1.0, 1.4]), 0.8), Sums(RNG.poisson(2.0, (N, 1, 3)).astype(float))


TABLES = [
    *permutations([numbers(1, False), counts(), categories()]),
    (numbers(1, True), numbers(2, True)),
    (counts(), numbers(2, False)),
    (categories(), numbers(9, True)),
]


def blocks_of(table: tuple[Part, ...], labels: Labels, number: int) -> ClusterBlocks:
    return ClusterBlocks(
        [family for family, _ in table],
        [family.aggregate(statistics, labels, number, axis=0) for family, statistics in table],
    )


def items_of(table: tuple[Part, ...]) -> list[Any]:
    return [family.items(statistics, alike=False) for family, statistics in table]


def swept_plainly(table: tuple[Part, ...], uniforms: Floats) -> Labels:
    """The sweep, of log marginals alone."""
    labels = LABELS.copy()
    for i, uniform in enumerate(uniforms):
        own, labels[i] = labels[i], -1
        there = np.flatnonzero(labels >= 0)
        rows = tuple((family, statistics[there]) for family, statistics in table)
        number = int(labels.max()) + 1
        blocks, sizes = blocks_of(rows, labels[there], number), np.bincount(labels[there], minlength=number)
        row = ClusterBlocks(blocks.families, [statistics[i : i + 1] for _, statistics in table])
        with_row = blocks.merge(row[np.zeros(number, dtype=int)])
        with np.errstate(divide="ignore"):
            weights = np.log(sizes) + with_row.log_marginals() - blocks.log_marginals()
        occupied = np.count_nonzero(sizes)
        weights = np.append(weights, log_opening(occupied, CRP) + row.log_marginal())
        shares = np.exp(weights - weights.max())
        chosen = int(np.searchsorted(np.cumsum(shares), uniform * shares.sum(), side="right"))
        if chosen == number:
            empty = np.append(np.flatnonzero(sizes == 0), number)
            # A row that was alone stays where it was.
            chosen = own if own not in labels else int(empty[0])
        labels[i] = chosen
    return labels


@pytest.mark.parametrize("table", TABLES)
def test_a_sweep_adds_up_the_log_marginals_of_all_parts(table: tuple[Part, ...]) -> None:
    uniforms, labels, items = np.random.default_rng(4).random(N), LABELS.copy(), items_of(table)
    swept = SweptRows(np.bincount(labels), blocks_of(table, labels, K), items, CRP)
    swept.sweep(labels, uniforms, items)
    assert len(set(labels.tolist())) > K
    np.testing.assert_array_equal(labels, swept_plainly(table, uniforms))
    # Nothing is left behind: the next sweep begins where this one ended.
    again = labels.copy()
    swept.sweep(again, uniforms, items)
    fresh, number = labels.copy(), int(labels.max()) + 1
    SweptRows(np.bincount(labels), blocks_of(table, labels, number), items, CRP).sweep(fresh, uniforms, items)
    np.testing.assert_array_equal(again, fresh)


def test_clusters_of_all_parts_grow_together() -> None:
    """A large concentration opens a cluster for nearly every row."""
    table, prior = TABLES[0], PartitionPrior.of(1e6)
    labels, items, uniforms = LABELS.copy(), items_of(table), np.random.default_rng(5).random(N)
    SweptRows(np.bincount(labels), blocks_of(table, labels, K), items, prior).sweep(labels, uniforms, items)
    assert len(set(labels.tolist())) > 30


def features_of(family: Family, statistics: Statistics, items: Any) -> Floats:
    """Features of all rows: log densities under coefficients that are 1 in one place."""
    return np.asarray(family.log_densities(items, np.eye(family.n_features(statistics))))


@pytest.mark.parametrize("table", TABLES)
def test_labels_are_drawn_by_the_log_densities_of_all_parts(table: tuple[Part, ...]) -> None:
    blocks, items, rng = blocks_of(table, LABELS, K), items_of(table), np.random.default_rng(6)
    coefficients = [family.mean_coefficients(sets) for family, sets in zip(blocks.families, blocks.sets, strict=True)]
    choices = Choices(np.concatenate(coefficients), np.log([0.5, 0.2, 0.3]), np.array([1.0, 0.4, 1.0]))
    uniforms, slices = rng.random((2, N))
    drawn = np.empty(N, dtype=np.int32)
    draw_labels(blocks, items, choices, uniforms, slices, drawn)
    densities = sum(
        features_of(*part, of_part) @ of_clusters
        for part, of_part, of_clusters in zip(table, items, coefficients, strict=True)
    )
    weights = np.where(choices.visibility > slices[:, None], densities + choices.log_weights, -np.inf)
    shares = np.exp(weights - weights.max(axis=1, keepdims=True))
    expected = (np.cumsum(shares, axis=1) <= (uniforms * shares.sum(axis=1))[:, None]).sum(axis=1)
    assert len(set(expected.tolist())) == K
    np.testing.assert_array_equal(drawn, expected)


@pytest.mark.parametrize("table", TABLES)
def test_sides_are_drawn_by_the_log_odds_of_all_parts(table: tuple[Part, ...]) -> None:
    blocks, items, rng = blocks_of(table, LABELS, K), items_of(table), np.random.default_rng(7)
    contrasts = rng.normal(0.0, 0.05, (2, sum(blocks.n_features()) + 1))
    contrasts[1] = 0.0
    # The first try splits cluster 0, the second one merges the others by chance.
    roles = np.array([0, 1, 1], dtype=np.int32), np.array([-1, 0, 1], dtype=np.int32)
    proposals = Proposals(contrasts, np.array([True, False]), *roles, np.array([0.5, 0.5]))
    uniforms, sides, minus_log_q = rng.random(N), np.full(N, -1, dtype=np.int32), np.zeros((2, 2))
    draw_sides(blocks, items, proposals, uniforms, LABELS, sides, minus_log_q)
    features = np.concatenate([features_of(*part, of_part) for part, of_part in zip(table, items, strict=True)], axis=1)
    odds = features @ contrasts[0, :-1] + contrasts[0, -1]
    expected = np.where(LABELS == 0, uniforms >= 1.0 / (1.0 + np.exp(-odds)), LABELS == 2)
    np.testing.assert_array_equal(sides, expected)
    cost = np.logaddexp(0.0, np.where(sides == 0, -odds, odds))
    on_side = [cost[(LABELS == 0) & (sides == side)].sum() for side in (0, 1)]
    np.testing.assert_allclose(minus_log_q, [on_side, [0.0, 0.0]], rtol=1e-9)


def test_a_family_without_companions_says_so() -> None:
    class Alone(Counts):
        companion = FamilyOf.companion

    table = (counts(), (Alone(), counts()[1]))
    items = items_of(table)
    swept = SweptRows(np.bincount(LABELS), blocks_of(table, LABELS, K), items, CRP)
    with pytest.raises(RunError, match="cells of the family Alone cannot stand beside others"):
        swept.sweep(LABELS.copy(), np.zeros(N), items)
