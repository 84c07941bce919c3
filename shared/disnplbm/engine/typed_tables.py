"""Tables of counts, 0/1 and categories for a finished run: sparse, a stretch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.data.table import Source, SparseChunk, is_sparse
from disnplbm.data.written import Fitted
from disnplbm.families.predicting import predicting_type
from disnplbm.posterior.draws import Draws


def sparse_stretches(source: Source) -> Iterator[SparseChunk]:
    """The rows of a table from its first one, in sparse form whatever the file holds."""
    if is_sparse(source):
        yield from source.sparse_chunks()
        return
    for chunk in source.chunks():
        yield SparseChunk(csr_array(chunk.values[..., 0]), chunk.ids, chunk.classes, chunk.bytes_read)


def take_columns(rows: csr_array, order: NDArray[np.intp]) -> csr_array:
    """Columns in another order; cells stay sorted in each row."""
    if np.array_equal(order, np.arange(rows.shape[1])):
        return rows
    taken = csr_array(rows[:, order])
    taken.sort_indices()
    return taken


def check_signs(fitted: Fitted, source: Source, along: NDArray[np.intp], first: int, items: csr_array) -> None:
    """Refuse percentages where the run's table had none, or the other way round.

    Parameters
    ----------
    along : ndarray of int
        Where the fitted columns (rows) stand in the source.
    first : int
        Index in the source of the first row (column).
    items : csr_array
        Rows (columns) of the source, with the fitted columns (rows) in their order.
    """
    if is_sparse(source):
        # Its format has no such sign.
        fitted.check(source, along, np.arange(0), np.ones((items.shape[1], 0), dtype=np.bool_))
        return
    seen = np.ones(items.shape[::-1], dtype=np.bool_)
    missing = np.isnan(items.data)
    rows = np.repeat(np.arange(items.shape[0]), np.diff(items.indptr))
    seen[items.indices[missing], rows[missing]] = False
    fitted.check(source, along, np.arange(first, first + items.shape[0]), seen)


def read_whole(source: Source) -> tuple[csr_array, list[str] | None]:
    """All rows of a table, and their names where it has some."""
    parts, names = list[csr_array](), list[str]()
    for chunk in sparse_stretches(source):
        parts.append(chunk.values)
        names += chunk.ids or ()
    return csr_array(sp.vstack(parts, format="csr")), names or None


def check_new_columns(draws: Draws, source: Source, rows: csr_array) -> None:
    """Refuse a table of new columns, which was read as a whole, if a cell cannot be; the InputError names it."""
    predicting_type(draws.meta.cells).check_new(rows, 0, source.column_names, draws.meta.facts)
