"""Cells of a sharded matrix, of some rows and columns only."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.shards import Manifest
from disnplbm.dealing import position_of, shard_of
from disnplbm.errors import RunError
from disnplbm.objects.arrays import parse_header
from disnplbm.objects.store import ObjectStore
from disnplbm_dashboard.heatmap.viewport import Indices

#: Enough of an object for its header.
_HEAD = 512

_ITEM = np.dtype(np.float64).itemsize


def read_cells(
    store: ObjectStore, manifest: Manifest, rows: Indices, columns: Indices, component: int = 0
) -> NDArray[np.float64]:
    """Read cells, after the transform, in the user's units.

    Parameters
    ----------
    rows, columns : ndarray of int64
        In any order.
    component : int
        Which of a cell's numbers.

    Returns
    -------
    ndarray of shape (len(rows), len(columns))
        NaN is missing.
    """
    items, count = (rows if manifest.axis == "rows" else columns), manifest.n_shards
    out = np.empty((len(rows), len(columns)))
    shards = shard_of(items, count)
    for shard in np.unique(shards).tolist():
        of_shard = np.flatnonzero(shards == shard)
        inside = position_of(items[of_shard], count)
        # Objects hold rows of the table one after another, whether they have some rows or some columns.
        if manifest.axis == "rows":
            out[of_shard] = _block(store, manifest.shards[shard].key, inside, columns, component)
        else:
            out[:, of_shard] = _block(store, manifest.shards[shard].key, rows, inside, component)
    return out


def _block(store: ObjectStore, key: str, rows: Indices, columns: Indices, component: int) -> NDArray[np.float64]:
    """Cells of one object."""
    low, high = int(columns.min()), int(columns.max()) + 1
    view = store.view(key)
    # To look at rows in a file takes a tenth of the time that it takes to read thousands of pieces.
    stretch = _pieces(store, key, rows, low, high) if view is None else _table(view, key)[rows, low:high]
    return stretch[:, columns - low, component]


def _pieces(store: ObjectStore, key: str, rows: Indices, low: int, high: int) -> NDArray[np.float64]:
    """Some rows of an object, from one column to another, each read by itself."""
    head = b"".join(bytes(part) for part in store.parts(key, first=0, stop=min(_HEAD, store.size(key))))
    (_, width, depth), dtype, begin = parse_header(head, key)
    starts = begin + (rows * width + low) * depth * _ITEM
    pieces = store.ranges(key, starts.tolist(), (high - low) * depth * _ITEM)
    return np.frombuffer(pieces, dtype).reshape(len(rows), high - low, depth)


def _table(view: memoryview, key: str) -> NDArray[np.float64]:
    """All of an object."""
    shape, dtype, begin = parse_header(view[:_HEAD], key)
    if len(view) != begin + math.prod(shape) * dtype.itemsize:
        raise RunError(f"object {key} was cut short: delete the run's dataset, and upload it again")
    return np.frombuffer(view, dtype, offset=begin).reshape(shape)
