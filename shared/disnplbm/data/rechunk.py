"""Rows of a table cut anew, so that they are the same whatever format they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp

from disnplbm.data.table import Chunk, SparseChunk

_Rows = TypeVar("_Rows", Chunk, SparseChunk)


def rechunk(chunks: Iterable[_Rows], step: int) -> Iterator[_Rows]:
    """Cut the same rows into chunks of `step` rows, the last one shorter."""
    held: list[_Rows] = []
    rows = 0
    for chunk in chunks:
        start, count = 0, chunk.values.shape[0]
        while rows + count - start >= step:
            stop = start + step - rows
            held.append(_cut(chunk, start, stop))
            yield _joined(held)
            held, rows, start = [], 0, stop
        if start < count:
            held.append(_cut(chunk, start, count))
            rows += count - start
    if rows:
        yield _joined(held)


def rechunk_sparse(chunks: Iterable[SparseChunk], step: int, entries: int) -> Iterator[SparseChunk]:
    """Cut the same rows into chunks of whole stretches of `step` rows; each ends once it has so many entries.

    A row counts as an entry more.
    """
    held: list[SparseChunk] = []
    taken = 0
    for stretch in rechunk(chunks, step):
        held.append(stretch)
        taken += stretch.values.nnz + stretch.values.shape[0]
        if taken >= entries:
            yield _joined(held)
            held, taken = [], 0
    if held:
        yield _joined(held)


def _cut(chunk: _Rows, start: int, stop: int) -> _Rows:
    if (start, stop) == (0, chunk.values.shape[0]):
        return chunk
    return replace(
        chunk,
        values=chunk.values[start:stop],
        ids=chunk.ids[start:stop] if chunk.ids is not None else None,
        classes=chunk.classes[start:stop] if chunk.classes is not None else None,
    )


def _joined(parts: list[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    values: list[Any] = [part.values for part in parts]
    joined: Any = np.concatenate(values) if isinstance(values[0], np.ndarray) else sp.vstack(values, format="csr")
    return replace(
        parts[-1],
        values=joined,
        ids=[name for part in parts for name in part.ids or ()] if parts[0].ids is not None else None,
        classes=[name for part in parts for name in part.classes or ()] if parts[0].classes is not None else None,
    )
