"""Which item is in which shard."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.dealing import count_of, item_at, items_of, position_of, shard_of, slice_of


@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 39))
def test_all_functions_say_the_same(n_items: int, n_shards: int, first: int) -> None:
    every = np.arange(n_items)
    assert np.concatenate([items_of(e, n_items, n_shards) for e in range(n_shards)]).tolist() == sorted(
        every.tolist(), key=lambda i: (shard_of(i, n_shards), i)
    )
    for shard in range(n_shards):
        items = items_of(shard, n_items, n_shards)
        assert count_of(shard, n_items, n_shards) == len(items)
        np.testing.assert_array_equal(every[slice_of(shard, n_shards)], items)
        np.testing.assert_array_equal(every[first:][slice_of(shard, n_shards, first)], items[items >= first])
        np.testing.assert_array_equal(shard_of(items, n_shards), shard)
        np.testing.assert_array_equal(item_at(position_of(items, n_shards), shard, n_shards), items)


def test_items_are_dealt_in_turn() -> None:
    """Whatever else changes: recorded shards are cut so."""
    assert [items_of(e, 8, 3).tolist() for e in range(3)] == [[0, 3, 6], [1, 4, 7], [2, 5]]
