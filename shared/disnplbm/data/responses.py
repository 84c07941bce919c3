"""Tables of responses, on their way to shards: the seen cells alone, dealt out with their covariates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from scipy.sparse import csr_array

from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dealt_rows import StoredCells, deal_rows
from disnplbm.data.odd_columns import TableSummary
from disnplbm.data.prepared import Prepared, check_observed
from disnplbm.data.sharding import choose_sharding
from disnplbm.data.table import Source, is_sparse
from disnplbm.data.transforms.step import Shaped
from disnplbm.data.typed import Dealt
from disnplbm.errors import InputError
from disnplbm.families.responses.covariates import Covariates
from disnplbm.families.responses.table import CELL_TYPE
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint

#: Gives first row and cells of each stretch of rows, shape (c, p, d), as often as it is asked.
Stretches = Callable[[], Iterable[tuple[int, Floats]]]


def deal_responses(
    table: Shaped,
    stretches: Stretches,
    *,
    covariates: Covariates | None,
    number_names: Sequence[str] = (),
    transform: str,
    n_shards: int | str,
    axis: str,
) -> Dealt:
    """Deal the seen cells of a table out to shards.

    Parameters
    ----------
    stretches : callable
        The first number of a cell is its response, NaN where missing; further ones are covariates of the cell.
    covariates : Covariates, optional
        Of the rows and of the columns.
    number_names : sequence of str
        What the numbers of a cell are called; by default they are counted.
    n_shards, axis
        As :func:`disnplbm.data.sharding.choose_sharding` takes them.

    Raises
    ------
    InputError
        A covariate is missing where a response is seen, or does not vary; no response varies; or there is a transform.
    """
    if transform != "none":
        raise InputError(
            Hint("transform", transform), f" is for real numbers, and the cells are {CELL_TYPE.noun}: leave it out"
        )
    covariates = Covariates.none(table.n, table.p) if covariates is None else covariates
    stored, numbers = StoredCells(table.n, table.p), list[Floats]()
    for first, values in stretches():
        rows = _seen(values, 0)
        stored.add(first, rows, np.int64)
        numbers.append(values[~np.isnan(values[..., 0])])
    check_observed(stored.number)
    cells = np.concatenate(numbers)
    sharding = choose_sharding(table, n_shards=n_shards, axis=axis, cells=RESPONSES, numbers=stored.number)
    parts = deal_rows(_counted(stretches()), stored, sharding)
    responses = [csr_array((cells[part.data, 0], part.indices, part.indptr), part.shape) for part in parts]
    of_cells = [cells[part.data, 1:] for part in parts]
    names = tuple(number_names[1:]) or tuple(f"x{c}" for c in range(1, table.dimension))
    facts, shards = CELL_TYPE.describe_all(responses, of_cells, names, covariates, sharding.axis)
    prepared = Prepared(
        n=table.n,
        p=table.p,
        dimension=1,
        axis=sharding.axis,
        transform=transform,
        mean=(),
        covariance=(),
        observed=stored.number,
        missing=table.n * table.p - stored.number,
        cells=RESPONSES,
        facts=facts,
    )
    return Dealt(prepared, sharding, shards)


def dense_stretches(source: Source, summary: TableSummary | None = None) -> Iterator[tuple[int, Floats]]:
    """First row and cells of each stretch of a table's rows, which a summary takes in too.

    Raises
    ------
    InputError
        The table does not say which cells are missing.
    """
    refuse_sparse(sparse=is_sparse(source), name=source.name)
    first = 0
    for chunk in source.chunks():
        if summary is not None:
            summary.add(chunk)
        yield first, chunk.values
        first += len(chunk.values)


def refuse_sparse(*, sparse: bool, name: str) -> None:
    """Refuse a table that does not store its zeros: which responses are missing, it does not say."""
    if sparse:
        raise InputError(
            f"{name} is sparse, so a cell that it does not store is 0, and would be a response: give a long table (",
            Hint("layout", "long"),
            ") of the seen cells, or a dense one with blanks where cells are missing",
        )


def _seen(values: Floats, start: int) -> csr_array:
    """Where the seen cells of some rows are; their data count the seen cells of the table, from a number on."""
    rows, columns = np.nonzero(~np.isnan(values[..., 0]))
    ends = np.searchsorted(rows, np.arange(len(values) + 1)).astype(np.int32)
    return csr_array((np.arange(start, start + len(rows)), columns.astype(np.int32), ends), values.shape[:2])


def _counted(stretches: Iterable[tuple[int, Floats]]) -> Iterator[tuple[int, csr_array]]:
    start = 0
    for first, values in stretches:
        rows = _seen(values, start)
        start += rows.nnz
        yield first, rows
