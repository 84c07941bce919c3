"""Statistics of sparse real numbers: kernels against their twins, and against the same cells with their zeros."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.kernels import sparse_statistics as fast
from disnplbm.kernels.statistics import cells_by_cluster, cells_by_group
from disnplbm.model import sparse_statistics as plain
from disnplbm.model.sparse_statistics import StoredRows
from disnplbm.model.statistics import Statistics, merge, summarise

SEEDS = st.integers(0, 10_000)


def a_table(seed: int, *, missing: bool) -> tuple[NDArray[np.float64], StoredRows]:
    """Cells of which two thirds are zero, in a frame where a zero is -0.7, and the same in compressed form."""
    rng = np.random.default_rng(seed)
    shape, zero = (int(rng.integers(1, 9)), int(rng.integers(1, 8))), -0.7
    values = np.where(rng.random(shape) < 1 / 3, rng.normal(2.0, 1.0, shape), 0.0)
    if missing:
        values[rng.random(shape) < 0.2] = np.nan
    rows = csr_array(values)
    stored = StoredRows(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data + zero, zero, shape[1])
    return values + zero, stored


def labels_for(seed: int, length: int, number: int) -> NDArray[np.int32]:
    return np.random.default_rng(seed + 1).integers(0, number, length).astype(np.int32)


def assert_close(found: Statistics, expected: Statistics) -> None:
    np.testing.assert_array_equal(found.count, expected.count)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(found.scatter, expected.scatter, rtol=1e-12, atol=1e-13)


@given(seed=SEEDS, missing=st.booleans(), number=st.integers(1, 4))
def test_rows_by_group(seed: int, missing: bool, number: int) -> None:
    dense, stored = a_table(seed, missing=missing)
    groups, rows = labels_for(seed, dense.shape[1], number), np.arange(len(dense))[::-1]
    found = fast.stored_by_group(stored, rows, groups, number)
    assert_close(found, plain.stored_by_group(stored, rows, groups, number))
    assert_close(found, cells_by_group(np.ascontiguousarray(dense[rows, :, None]), groups, number))


@given(seed=SEEDS, missing=st.booleans(), number=st.integers(1, 4))
def test_columns_by_cluster(seed: int, missing: bool, number: int) -> None:
    dense, stored = a_table(seed, missing=missing)
    labels = labels_for(seed, len(dense), number)
    found = fast.stored_by_cluster(stored, labels, number, complete=not missing)
    assert_close(found, plain.stored_by_cluster(stored, labels, number))
    assert_close(found, cells_by_cluster(dense[..., None], labels, number, complete=not missing))


@given(seed=SEEDS)
def test_rows_of_no_cluster_are_left_out(seed: int) -> None:
    dense, stored = a_table(seed, missing=True)
    labels = labels_for(seed, len(dense), 3) - 1
    expected = cells_by_cluster(dense[..., None], labels, 2, complete=False)
    assert_close(fast.stored_by_cluster(stored, labels, 2, complete=False), expected)


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_equal_cells_have_no_scatter_however_far_from_zero(offset: float) -> None:
    """A sum of squares less the square of a sum would leave thousands."""
    indptr, indices = np.array([0, 3], np.int64), np.arange(3, dtype=np.int32)
    stored = StoredRows(indptr, indices, np.full(3, offset + 1.0), offset, 6)
    found = fast.stored_by_group(stored, np.arange(1), np.array([0, 0, 0, 1, 1, 1], np.int32), 2)
    np.testing.assert_array_equal(found.scatter, np.zeros((1, 2, 1, 1)))
    np.testing.assert_array_equal(found.mean[0, :, 0], [offset + 1.0, offset])
    both = fast.stored_by_group(stored, np.arange(1), np.zeros(6, np.int32), 1)
    assert both.scatter.item() == 1.5


@given(seed=SEEDS, cuts=st.lists(st.integers(0, 60), max_size=4))
def test_moments_are_the_same_however_the_table_is_cut(seed: int, cuts: list[int]) -> None:
    dense, stored = a_table(seed, missing=True)
    values, zeros = stored.values - stored.zero, dense.size - len(stored.values)
    observed = int(np.count_nonzero(~np.isnan(dense)))
    at_once, in_parts = fast.StoredMoments(), fast.StoredMoments()
    at_once.add(values)
    for part in np.split(values, sorted(min(cut, len(values)) for cut in cuts)):
        in_parts.add(part)
    found, again = at_once.with_zeros(observed), in_parts.with_zeros(observed)
    assert [part.tobytes() for part in found.arrays] == [part.tobytes() for part in again.arrays]
    of_zeros = Statistics(np.array(float(zeros)), np.zeros(1), np.zeros((1, 1)))
    assert_close(found, merge(summarise(values[:, None]), of_zeros))
