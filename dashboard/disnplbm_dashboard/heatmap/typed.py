"""Cells of a sharded matrix that is kept without its zeros: sparse, and read sparse."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.factors import GIVEN
from disnplbm.data.shards import Manifest
from disnplbm.dealing import items_of, position_of, shard_of
from disnplbm.families.cell_type import Arrays
from disnplbm.objects.store import ObjectStore
from disnplbm_dashboard.heatmap.archives import damaged, view_arrays
from disnplbm_dashboard.heatmap.viewport import Indices

#: Items whose cells are taken out of a shard at a time.
_ITEMS = 4096

#: Cells that are taken out at a time where the most common category is none that is left out: those are all.
_DENSE = 4_000_000

#: Bytes that a stored cell takes, at least; and one that is a real number.
_BYTES, _REAL_BYTES = 5, 12

Floats = NDArray[np.float64]


def sum_cells(
    store: ObjectStore, manifest: Manifest, rows: Indices, columns: Indices, pixels: tuple[Indices, Indices]
) -> tuple[Floats, Floats]:
    """Add up the cells of each pixel. It holds the picture, and the stored cells of some items.

    Parameters
    ----------
    rows, columns : ndarray of int64
        In any order.
    pixels : pair of ndarray of int64, shapes (len(rows),) and (len(columns),)
        The pixel of each, ascending from 0.

    Returns
    -------
    sums, missing : ndarray of shape (row pixels, column pixels)
        Sums of observed cells, of categories of their numbers; and how many cells are missing.
    """
    shape = int(pixels[0][-1]) + 1, int(pixels[1][-1]) + 1
    sums, missing = np.zeros(shape), np.zeros(shape)
    stored_alone = manifest.cells != DENSE and cell_type_of(manifest.cells).absent_is_missing
    if stored_alone:
        missing += np.outer(*(np.bincount(of_axis) for of_axis in pixels))
    for at_rows, at_columns, values in _stored(store, manifest, rows, columns):
        place = np.ravel_multi_index((pixels[0][at_rows], pixels[1][at_columns]), shape)
        absent = np.isnan(values)
        of_missing = np.full(len(values), -1.0) if stored_alone else absent.astype(np.float64)
        for into, weights in ((sums, np.where(absent, 0.0, values)), (missing, of_missing)):
            if weights.any():
                into += np.bincount(place, weights, minlength=into.size).reshape(shape)
    return sums, missing


def count_stored(manifest: Manifest, items: int) -> int:
    """How many cells so many items of a shard store, about."""
    of_each = _REAL_BYTES if manifest.cells == DENSE else _BYTES
    return sum(shard.bytes for shard in manifest.shards) // of_each * items // manifest.n_items


def _stored(
    store: ObjectStore, manifest: Manifest, rows: Indices, columns: Indices
) -> Iterator[tuple[Indices, Indices, Floats]]:
    """Stored cells, some at a time: where in `rows` and in `columns` they are, and what they hold."""
    by_rows = manifest.axis == "rows"
    items, others = (rows, columns) if by_rows else (columns, rows)
    place = np.full(manifest.n_others, -1, dtype=np.int64)
    place[others] = np.arange(len(others))
    step = min(_ITEMS, max(1, _DENSE // manifest.n_others)) if manifest.facts.get("base") else _ITEMS
    shards = shard_of(items, manifest.n_shards)
    for shard in np.unique(shards).tolist():
        arrays, of_shard = view_arrays(store, manifest.shards[shard].key), np.flatnonzero(shards == shard)
        for first in range(0, len(of_shard), step):
            some = of_shard[first : first + step]
            try:
                taken = _take(arrays, position_of(items[some], manifest.n_shards))
                cells = _to_csr(taken, manifest)
                at_items, at_others = np.repeat(some, np.diff(cells.indptr)), place[cells.indices]
            except (KeyError, IndexError, ValueError) as error:
                raise damaged(manifest.shards[shard].key) from error
            there = at_others >= 0
            pair = at_items[there], at_others[there]
            yield (*(pair if by_rows else pair[::-1]), np.asarray(cells.data[there], dtype=np.float64))


def _to_csr(arrays: Arrays, manifest: Manifest) -> csr_array:
    """The cells of a shard, in the units of the table."""
    if manifest.cells != DENSE:
        return cell_type_of(manifest.cells).cells(arrays, manifest.facts, complete=manifest.missing == 0).to_csr()
    stored = arrays["values"], arrays["indices"], arrays["indptr"]
    return csr_array(stored, (len(arrays["indptr"]) - 1, manifest.n_others))


def _take(arrays: Arrays, items: Indices) -> Arrays:
    """Some items of a shard, as a shard of their own."""
    indptr = arrays["indptr"]
    lengths = indptr[items + 1] - indptr[items]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    at = np.repeat(indptr[items] - ends[:-1], lengths) + np.arange(ends[-1])
    of_cells = {name: arrays[name][at] for name in ("indices", "values", "cell_covariates") if name in arrays}
    of_items = {name: arrays[name][items] for name in ("row_factors", "item_covariates") if name in arrays}
    return arrays | {"indptr": ends} | of_cells | of_items


def read_exposures(store: ObjectStore, manifest: Manifest) -> tuple[Floats, Floats] | None:
    """What each row, and each column, contributes to the count that is expected of a cell: a product.

    None where cells are not compared with what the totals of rows and columns, or given factors, let expect.
    """
    exposure = manifest.facts.get("exposure")
    if exposure not in ("margins", GIVEN):
        return None
    of_items, of_others = np.empty(manifest.n_items), np.empty(manifest.n_others)
    for shard, stored in enumerate(manifest.shards):
        arrays = view_arrays(store, stored.key)
        of_items[items_of(shard, manifest.n_items, manifest.n_shards)] = arrays["row_factors"]
        of_others = np.array(arrays["column_factors"])
    if exposure == GIVEN:
        of_items *= manifest.facts["mean"]
    return (of_items, of_others) if manifest.axis == "rows" else (of_others, of_items)
