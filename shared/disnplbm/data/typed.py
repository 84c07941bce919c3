"""Tables of cells that are no real numbers, on their way to shards: sparse, checked cell by cell, and dealt out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import cell_type_of
from disnplbm.data.dealt_rows import Chunks, StoredCells, deal_rows
from disnplbm.data.odd_columns import TableSummary
from disnplbm.data.prepared import Prepared, check_observed
from disnplbm.data.sharding import Sharding, choose_sharding
from disnplbm.data.table import Source, is_sparse
from disnplbm.data.transforms.step import Shaped
from disnplbm.errors import InputError
from disnplbm.families.cell_type import Arrays, Exposure, Factors
from disnplbm.notes import Hint
from disnplbm.smallest import COUNT_TYPES, smallest_type

#: First row and cells of stretches of rows.
CsrRows = Iterator[tuple[int, csr_array]]


class Dealt(NamedTuple):
    """A table in shards."""

    prepared: Prepared
    sharding: Sharding
    shards: list[Arrays]


def deal_cells(
    table: Shaped,
    chunks: Chunks,
    column_names: Sequence[str],
    *,
    cells: str,
    exposure: Exposure,
    transform: str,
    n_shards: int | str,
    axis: str,
    words: Sequence[str] = (),
) -> Dealt:
    """Check the cells of a table, and deal them out to shards.

    Parameters
    ----------
    chunks : callable
        Gives first row and cells of each stretch of rows, and is called twice.
    cells : str
        One of :data:`disnplbm.cell_types.CELL_TYPES`.
    exposure : {"margins", "none"} or Factors
        Of counts; the factors are of the table's rows and columns.
    n_shards, axis
        As :func:`disnplbm.data.sharding.choose_sharding` takes them.
    words : sequence of str
        What the categories of a table of words are called.

    Raises
    ------
    InputError
        A cell is not of that type, which it names, or the table as a whole; or there is a transform, or a cell is
        several numbers, or every cell is missing.
    """
    cell_type = cell_type_of(cells)
    if transform != "none":
        raise InputError(
            Hint("transform", transform), f" is for real numbers, and the cells are {cell_type.noun}: leave it out"
        )
    if table.dimension > 1:
        raise InputError(
            f"a cell is {table.dimension} numbers, so the cells are not {cell_type.noun}: leave out ",
            Hint("cells", cells),
        )
    stored = StoredCells(table.n, table.p)
    for first, rows in chunks():
        cell_type.check(rows, first, column_names)
        stored.add(first, rows, smallest_type(rows.data, COUNT_TYPES))
    sharding = choose_sharding(table, n_shards=n_shards, axis=axis, cells=cells, numbers=stored.number)
    parts = deal_rows(chunks(), stored, sharding)
    missing = sum(int(np.isnan(part.data).sum()) for part in parts)
    check_observed(table.n * table.p - missing)
    if isinstance(exposure, Factors) and sharding.axis == "columns":
        exposure = Factors(exposure.columns, exposure.rows)
    facts, shards = cell_type.describe(parts, exposure)
    prepared = Prepared(
        n=table.n,
        p=table.p,
        dimension=1,
        axis=sharding.axis,
        transform=transform,
        mean=(),
        covariance=(),
        observed=table.n * table.p - missing,
        missing=missing,
        cells=cells,
        facts={**facts, **({"words": list(words)} if words else {}), "axis": sharding.axis},
    )
    return Dealt(prepared, sharding, shards)


def csr_chunks(source: Source, summary: TableSummary | None = None) -> CsrRows:
    """First row and cells of each stretch of a table's rows, which a summary takes in too."""
    first = 0
    if is_sparse(source):
        for sparse_chunk in source.sparse_chunks():
            if summary is not None:
                summary.add_sparse(sparse_chunk)
            yield first, sparse_chunk.values
            first += sparse_chunk.values.shape[0]
        return
    for chunk in source.chunks():
        if summary is not None:
            summary.add(chunk)
        yield first, csr_array(chunk.values[..., 0])
        first += len(chunk.values)


def count_stored(source: Source) -> int:
    """Count the cells of a table that are missing or not zero; its cells are one number."""
    if is_sparse(source):
        return sum(chunk.values.nnz for chunk in source.sparse_chunks())
    return sum(int(np.count_nonzero(chunk.values)) for chunk in source.chunks())
