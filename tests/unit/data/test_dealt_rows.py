"""Cells are dealt out to shards as slices of the whole table are, whatever the stretches of rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from disnplbm.data.dealt_rows import StoredCells, deal_rows
from disnplbm.data.sharding import Sharding
from disnplbm.dealing import slice_of
from disnplbm.smallest import smallest_type


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize(("n_shards", "cuts"), [(1, [0, 9]), (3, [0, 2, 3, 8, 9]), (5, [0, 1, 9])])
@pytest.mark.parametrize("largest", [200, 70_000, np.nan])
def test_a_shard_is_a_slice(axis: Any, n_shards: int, cuts: list[int], largest: float) -> None:
    rng = np.random.default_rng(n_shards)
    table = rng.poisson(0.4, (9, 7)).astype(np.float64)
    table[4, 2] = largest
    chunks = [(first, csr_array(table[first:end])) for first, end in pairwise(cuts)]
    stored = StoredCells(9, 7)
    for first, rows in chunks:
        stored.add(first, rows, smallest_type(rows.data))
    assert stored.number == np.count_nonzero(table)
    items = table if axis == "rows" else table.T
    sharding = Sharding(axis, *items.shape, n_shards)
    for shard, found in enumerate(deal_rows(chunks, stored, sharding)):
        expected = csr_array(items[slice_of(shard, n_shards)])
        assert found.shape == expected.shape
        for name in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
        assert found.data.dtype == smallest_type(table.ravel())
