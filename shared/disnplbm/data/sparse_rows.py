"""Rows of a compressed sparse matrix as a `Source` hands them out: cleaned, a stretch of them at a time, or dense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.cells import not_finite
from disnplbm.data.table import READ_BYTES, Chunk, Source, SparseChunk

READ_ENTRIES = 2**19
"""About how many entries a reader puts into one chunk; a row counts as an entry more."""


def sparse_chunks(
    parts: tuple[Any, Any, Any], source: Source, ids: list[str] | None = None, classes: list[str] | None = None
) -> Iterator[SparseChunk]:
    """Hand out the rows of a matrix that is compressed by rows, from the first one on.

    Parameters
    ----------
    parts : tuple of array-like, one axis
        Data, indices and pointers: arrays, or datasets of an HDF5 file, of which a few rows are read at a time. All
        indices lie within the matrix.
    source : Source
        It has the names of the columns, and is named in messages.
    ids, classes : list of str, optional
        One for each row.

    Raises
    ------
    InputError
        A cell is infinite.
    """
    data, indices, indptr = parts
    ends = np.asarray(indptr[:]).astype(np.int64)
    # What is done after each row.
    done = ends + np.arange(len(ends))
    start, rows = 0, len(ends) - 1
    while start < rows:
        stop = max(start + 1, int(np.searchsorted(done, done[start] + READ_ENTRIES, "right")) - 1)
        entries = slice(int(ends[start]), int(ends[stop]))
        copied = (
            np.array(data[entries], dtype=np.float64),
            np.array(indices[entries], dtype=np.int32),
            (ends[start : stop + 1] - ends[start]).astype(np.int32),
        )
        values = sp.csr_array(copied, shape=(stop - start, len(source.column_names)))
        _clean(values, start, source)
        yield SparseChunk(
            values,
            None if ids is None else ids[start:stop],
            None if classes is None else classes[start:stop],
            source.bytes_total * int(done[stop]) // int(done[-1]),
        )
        start = stop


def _clean(rows: sp.csr_array, first: int, source: Source) -> None:
    """Add up entries of the same cell, leave out zeros, and write NaN in one spelling; refuse infinite cells."""
    with np.errstate(over="ignore", invalid="ignore"):
        rows.sum_duplicates()
    rows.eliminate_zeros()
    rows.data[np.isnan(rows.data)] = np.nan
    infinite = np.flatnonzero(np.isinf(rows.data))
    if len(infinite):
        k = int(infinite[0])
        row = int(np.searchsorted(rows.indptr, k, "right")) - 1
        raise not_finite(float(rows.data[k]), first + row, source.column_names[int(rows.indices[k])], source.name)


def dense_chunks(chunks: Iterable[SparseChunk]) -> Iterator[Chunk]:
    """The same rows dense, fewer of them at a time."""
    before = 0
    for chunk in chunks:
        for start, cells in dense_stretches(chunk.values, READ_BYTES):
            stop = start + len(cells)
            yield Chunk(
                cells,
                None if chunk.ids is None else chunk.ids[start:stop],
                None if chunk.classes is None else chunk.classes[start:stop],
                before + (chunk.bytes_read - before) * stop // chunk.values.shape[0],
            )
        before = chunk.bytes_read


def dense_stretches(rows: sp.csr_array, most_bytes: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """First row and dense cells, (c, p, 1), of stretches of rows that take so many bytes, or are one row."""
    n, p = rows.shape
    step = max(1, most_bytes // (8 * p))
    for start in range(0, n, step):
        yield start, rows[start : start + step].toarray()[:, :, None]
