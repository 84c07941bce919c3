"""Counting and greedy kernels against plain loops over NumPy's contingency tables."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.kernels import contingency as fast
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import PartitionSample, cluster_sizes

ITEMS, DRAWS = 40, 9

#: With three clusters tables are smaller than the number of items, with thirty they are larger.
CLUSTERS = [3, 30]


def sample_of(clusters: int, seed: int = 0) -> PartitionSample:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, clusters, (DRAWS, ITEMS)).astype(np.uint8)
    return PartitionSample.of(labels, rng.integers(1, 4, ITEMS))


def partition(clusters: int, seed: int = 1) -> np.ndarray:
    labels = np.random.default_rng(seed).integers(0, clusters, ITEMS)
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def table(a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> np.ndarray:
    counts = np.zeros((a.max() + 1, b.max() + 1), dtype=np.int64)
    np.add.at(counts, (a, b), weights)
    return counts


def objective(sample: PartitionSample, labels: np.ndarray, phi: np.ndarray) -> int:
    own = phi[np.bincount(labels, sample.weights).astype(int)].sum()
    return int(sample.n_draws * own - 2 * sum(phi[table(labels, d, sample.weights)].sum() for d in sample.labels))


def test_hashes_are_equal_where_columns_are() -> None:
    labels = np.random.default_rng(0).integers(0, 2, (4, 60)).astype(np.uint8)
    hashes = fast.column_hashes(labels)
    same_columns = (labels[:, :, None] == labels[:, None, :]).all(axis=0)
    np.testing.assert_array_equal(hashes[:, None] == hashes[None, :], same_columns)
    representative = np.random.default_rng(1).integers(0, 60, 60)
    np.testing.assert_array_equal(
        fast.find_differing(labels, representative), ~same_columns[np.arange(60), representative]
    )


def test_labels_are_numbered_by_appearance() -> None:
    labels = np.array([[3, 3, 1, 0, 1], [0, 0, 0, 0, 0]], dtype=np.uint8)
    assert fast.number_by_appearance(labels, 4).tolist() == [3, 1]
    assert labels.tolist() == [[0, 0, 1, 2, 1], [0, 0, 0, 0, 0]]


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_overlaps_are_sums_over_contingency_tables(clusters: int) -> None:
    sample, phi = sample_of(clusters), np.arange(200, dtype=np.int64) ** 2
    partitions = np.array([partition(clusters, seed) for seed in (1, 2)])
    got = fast.sum_overlaps(sample.labels, 30, partitions, partitions.max(axis=1) + 1, sample.weights, phi)
    expected = [[phi[table(c, d, sample.weights)].sum() for d in sample.labels] for c in partitions]
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("clusters", CLUSTERS)
def test_mates_are_the_cells_of_the_tables(clusters: int) -> None:
    sample, labels = sample_of(clusters), partition(clusters)
    got = fast.sum_mates(sample.labels, 30, labels, labels.max() + 1, sample.weights)
    np.testing.assert_array_equal(got, sum(table(labels, d, sample.weights)[labels, d] for d in sample.labels))


def test_shared_pairs_are_products_of_tables() -> None:
    sample, labels = sample_of(5), partition(4)
    got = fast.count_shared_pairs(sample.labels, 5, labels, 4)
    tables = [table(labels, d, np.ones(ITEMS, dtype=int)) for d in sample.labels]
    np.testing.assert_array_equal(got, sum(t @ t.T for t in tables))


def test_agreements_count_draws() -> None:
    labels = sample_of(3).labels
    got = np.empty((ITEMS, ITEMS), dtype=np.float32)
    fast.count_agreements(np.ascontiguousarray(labels.T), got)
    np.testing.assert_array_equal(got, (labels[:, :, None] == labels[:, None, :]).sum(axis=0))


def test_the_table_lines_up_the_tables_of_all_draws() -> None:
    sample, labels = sample_of(5), partition(4)
    expected = np.concatenate([table(d, labels, sample.weights) for d in sample.labels])
    np.testing.assert_array_equal(sample.table(labels, 4), expected)


@pytest.mark.parametrize("empty", [0, 2])
@pytest.mark.parametrize("name", ["vi", "binder"])
def test_a_sweep_makes_the_best_move_of_each_item(name: str, empty: int) -> None:
    sample, labels = sample_of(4), partition(4)
    phi = loss_of(name, sample.n_items, DRAWS).phi
    expected = labels.copy()
    for i in range(ITEMS):
        values = []
        for k in range(4 + empty):
            moved = expected.copy()
            moved[i] = k
            values.append(objective(sample, moved, phi))
        if min(values) < values[expected[i]]:
            expected[i] = int(np.argmin(values))
    counts = sample.table(labels, 4 + empty)
    sizes = np.concatenate((cluster_sizes(labels, sample.weights), np.zeros(empty, dtype=np.int64)))
    columns = np.ascontiguousarray(sample.labels.T)
    most = np.minimum(sample.types_of_clusters, len(sizes))
    moved = fast.reassign(columns, sample.starts, most, sample.weights, got := labels.copy(), counts, sizes, phi)
    assert moved == (labels != expected).sum() > 0
    np.testing.assert_array_equal(np.unique(got, return_index=True)[1], np.unique(expected, return_index=True)[1])
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(counts, sample.table(got, 4 + empty))
    np.testing.assert_array_equal(sizes, np.bincount(got, sample.weights, minlength=4 + empty))


@pytest.mark.parametrize("name", ["vi", "binder"])
def test_mergers_are_the_best_ones_in_turn(name: str) -> None:
    rng = np.random.default_rng(3)
    base = rng.integers(0, 3, ITEMS)
    labels = np.where(rng.random((DRAWS, ITEMS)) < 0.1, rng.integers(0, 3, (DRAWS, ITEMS)), base).astype(np.uint8)
    sample, start = (
        PartitionSample.of(labels, np.ones(ITEMS, dtype=np.int64)),
        (base * 3 + partition(3)).astype(np.int32),
    )
    phi = loss_of(name, ITEMS, DRAWS).phi
    expected = start.copy()
    while True:
        present = np.unique(expected)
        pairs = [(a, b) for a in present for b in present if a < b]
        values = [objective(sample, np.where(expected == b, a, expected), phi) for a, b in pairs]
        if not pairs or min(values) >= objective(sample, expected, phi):
            break
        a, b = pairs[int(np.argmin(values))]
        expected = np.where(expected == b, a, expected)
    target = fast.merge_clusters(sample.table(start, 9), cluster_sizes(start, sample.weights), DRAWS, phi)
    np.testing.assert_array_equal(target[start], expected)
    assert len(np.unique(expected)) == 3
