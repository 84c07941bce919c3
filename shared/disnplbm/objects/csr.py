"""Rows of a sparse matrix as objects: three plain arrays, one behind the other, checked when they are read.

An object holds where each row ends (int64, from 0 on), the columns (int32) and the values, in the smallest of the types
that hold them all: counts take one byte each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.objects.arrays import array_bytes, npy_header, parse_header
from disnplbm.objects.store import ObjectStore
from disnplbm.smallest import WHOLE_TYPES, smallest_type


def put_csr(store: ObjectStore, key: str, rows: sp.csr_array) -> None:
    """Write the rows of a matrix, whose columns are sorted in each row, without a cell twice or a zero."""
    parts: tuple[NDArray[Any], ...] = (
        rows.indptr.astype(np.int64),
        rows.indices.astype(np.int32),
        rows.data.astype(smallest_type(rows.data)),
    )
    store.put(key, b"".join(each for part in parts for each in (npy_header(part.shape, part.dtype), array_bytes(part))))


def get_csr(store: ObjectStore, key: str, shape: tuple[int, int]) -> sp.csr_array:
    """Read rows back: float64 values, int32 indices.

    Parameters
    ----------
    shape : tuple of int
        How many rows and columns there must be.

    Raises
    ------
    RunError
        The object is missing, or is not what `put_csr` writes for a matrix of this shape.
    """
    content = np.empty(store.size(key), dtype=np.uint8)
    filled = 0
    for part in store.parts(key):
        if filled + len(part) > len(content):
            raise _damaged(store, key, "it is longer than it was")
        content[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
        filled += len(part)
    if filled < len(content):
        raise _damaged(store, key, "it is cut short")
    found, start = list[NDArray[Any]](), 0
    for types in ((np.int64,), (np.int32,), (*WHOLE_TYPES, np.float64)):
        array, start = _array_at(store, key, content, start, types)
        found.append(array)
    ends, columns, values = found
    if start != len(content):
        raise _damaged(store, key, "it is longer than its arrays")
    if ends.shape != (shape[0] + 1,) or columns.shape != values.shape:
        raise _damaged(store, key, "its arrays are of other lengths")
    _check_entries(store, key, ends, columns, shape[1])
    data = values.astype(np.float64)
    if np.isinf(data).any() or not data.all():
        raise _damaged(store, key, "it has a value that is never stored")
    rows = sp.csr_array((data, columns.astype(np.int32), ends.astype(np.int32)), shape=shape)
    rows.has_canonical_format = True
    return rows


def _array_at(
    store: ObjectStore, key: str, content: NDArray[np.uint8], start: int, types: Sequence[type]
) -> tuple[NDArray[Any], int]:
    """An array of one of these types that begins there, and where it ends."""
    shape, dtype, length = parse_header(content[start:].data, key)
    if dtype not in types:
        raise _damaged(store, key, "its arrays are of other types")
    start += length
    if len(shape) != 1 or shape[0] < 0 or shape[0] * dtype.itemsize > len(content) - start:
        raise _damaged(store, key, "its arrays do not fit into it")
    stop = start + shape[0] * dtype.itemsize
    return np.frombuffer(content[start:stop].data, dtype), stop


def _check_entries(store: ObjectStore, key: str, ends: NDArray[Any], columns: NDArray[Any], p: int) -> None:
    """Refuse entries that point out of the matrix, or are not sorted."""
    if ends[0] != 0 or ends[-1] != len(columns) or (ends[1:] < ends[:-1]).any():
        raise _damaged(store, key, "its rows do not add up")
    if len(columns) and (columns.min() < 0 or columns.max() >= p):
        raise _damaged(store, key, "a column is beyond the last one")
    rising = columns[1:] > columns[:-1]
    # The first entry of a row may be anywhere.
    first = ends[1:-1]
    rising[first[(first > 0) & (first < len(columns))] - 1] = True
    if not rising.all():
        raise _damaged(store, key, "its columns are not in order")


def _damaged(store: ObjectStore, key: str, what: str) -> RunError:
    return RunError(f"object {key} in {store.url} is damaged ({what}): delete the run's data and run again")
