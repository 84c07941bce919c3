"""Statistics of sets of cells merge and come apart again without losing digits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from disnplbm.model.statistics import Statistics, aggregate, cells_by_cluster, cells_by_group, merge, remove, summarise

NUMBERS = st.floats(-1e3, 1e3)


def cells(least: int = 0) -> st.SearchStrategy[np.ndarray]:
    return st.tuples(st.integers(least, 8), st.integers(1, 3)).flatmap(
        lambda shape: arrays(float, shape, elements=NUMBERS)
    )


def two_sets() -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
    def of(sizes: tuple[int, int, int]) -> st.SearchStrategy[tuple[np.ndarray, np.ndarray]]:
        m, n, d = sizes
        return st.tuples(arrays(float, (m, d), elements=NUMBERS), arrays(float, (n, d), elements=NUMBERS))

    return st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 3)).flatmap(of)


def assert_equal(a: Statistics, b: Statistics, tolerance: float = 1e-8) -> None:
    np.testing.assert_array_equal(a.count, b.count)
    np.testing.assert_allclose(a.mean, b.mean, rtol=0, atol=tolerance)
    np.testing.assert_allclose(a.scatter, b.scatter, rtol=0, atol=1e3 * tolerance)


@given(two_sets())
def test_a_merge_is_the_statistics_of_the_union(sets: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = sets
    assert_equal(merge(summarise(a), summarise(b)), summarise(np.concatenate([a, b])))


@given(two_sets())
def test_removing_undoes_merging(sets: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = summarise(sets[0]), summarise(sets[1])
    assert_equal(remove(merge(a, b), b), a)
    assert_equal(remove(merge(a, b), a), b)


@given(two_sets())
def test_the_order_of_a_merge_does_not_matter(sets: tuple[np.ndarray, np.ndarray]) -> None:
    a, b = summarise(sets[0]), summarise(sets[1])
    assert_equal(merge(a, b), merge(b, a))


@given(cells())
def test_an_empty_set_changes_nothing(values: np.ndarray) -> None:
    full, empty = summarise(values), Statistics.empty((), values.shape[1])
    for merged in (merge(full, empty), merge(empty, full)):
        assert_equal(merged, full, tolerance=0.0)


@given(cells(least=1))
def test_a_set_without_its_members_is_exactly_empty(values: np.ndarray) -> None:
    left = remove(summarise(values), summarise(values))
    assert left.count == 0
    assert not left.mean.any()
    assert not left.scatter.any()


def test_a_cell_with_one_missing_component_carries_no_information() -> None:
    values = np.array([[1.0, 2.0], [np.nan, 5.0], [3.0, 6.0]])
    assert_equal(summarise(values), summarise(values[[0, 2]]), tolerance=0.0)


@pytest.mark.parametrize("d", [1, 2])
def test_blocks_are_the_same_by_rows_first_or_by_columns_first(d: int) -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(9, 7, d))
    values[rng.random((9, 7)) < 0.3] = np.nan
    z, w = np.arange(9) % 3, np.arange(7) % 2
    by_rows = aggregate(cells_by_cluster(values, z, 3), w, 2, axis=1)
    assert_equal(by_rows, aggregate(cells_by_group(values, w, 2), z, 3, axis=0))
    for k in range(3):
        for g in range(2):
            assert_equal(by_rows[k, g], summarise(values[z == k][:, w == g].reshape(-1, d)))


def test_variances_at_an_offset_of_1e8_are_right() -> None:
    small = np.random.default_rng(1).integers(0, 3, (100, 10)).astype(float)
    true = small.var()
    far = summarise((1e8 + small).reshape(-1, 1))
    assert far.scatter[0, 0] / far.count == pytest.approx(true, rel=1e-6)
    rows = [summarise((1e8 + row).reshape(-1, 1)) for row in small]
    block, order = far, np.random.default_rng(2)
    for _ in range(1000):
        row = rows[order.integers(100)]
        block = merge(remove(block, row), row)
    assert block.scatter[0, 0] / block.count == pytest.approx(true, rel=1e-6)


@pytest.mark.parametrize("d", [1, 2])
def test_a_thousand_points_added_and_removed_leave_nothing(d: int) -> None:
    rng = np.random.default_rng(3)
    points = [summarise(row[None]) for row in rng.normal(3.0, 2.0, size=(1000, d))]
    state = Statistics.empty((), d)
    for i in rng.permutation(1000):
        state = merge(state, points[i])
    removed = rng.permutation(1000)
    for i in removed[:-1]:
        state = remove(state, points[i])
        assert (np.diagonal(state.scatter) >= 0).all()
    np.testing.assert_allclose(state.mean, points[removed[-1]].mean, rtol=0, atol=1e-9)
    np.testing.assert_allclose(state.scatter, 0.0, atol=1e-9)
    assert_equal(remove(state, points[removed[-1]]), Statistics.empty((), d), tolerance=0.0)
