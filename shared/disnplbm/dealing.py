"""Which item is in which of E shards: item i is in shard i mod E, at position i div E.

An item is a row, or a column of a table whose columns are cut. So a sorted file does not give one-sided shards.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Index = TypeVar("_Index", int, NDArray[np.int64])


def shard_of(item: _Index, n_shards: int) -> _Index:
    """The shard that an item is in."""
    return item % n_shards


def position_of(item: _Index, n_shards: int) -> _Index:
    """Where an item stands in its shard."""
    return item // n_shards


def item_at(position: _Index, shard: int, n_shards: int) -> _Index:
    """The item that stands at a position of a shard."""
    return position * n_shards + shard


def items_of(shard: int, n_items: int, n_shards: int) -> NDArray[np.int64]:
    """All items of a shard, ascending."""
    return np.arange(shard, n_items, n_shards)


def count_of(shard: int, n_items: int, n_shards: int) -> int:
    """How many items a shard has."""
    return len(range(shard, n_items, n_shards))


def slice_of(shard: int, n_shards: int, first: int = 0) -> slice:
    """What takes the items of a shard from all items, or from those that begin with the first one given."""
    return slice((shard - first) % n_shards, None, n_shards)
