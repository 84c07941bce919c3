"""What is in a table, and what a run on it will take, from one streaming read; nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.bounds import MOST_NUMBERS_FULL
from disnplbm.cell_types import DENSE
from disnplbm.data.advice import Advice, advise
from disnplbm.data.cell_choice import Chosen, Look, choose_for_words
from disnplbm.data.cells import NAMED, some_names
from disnplbm.data.dataset import Progress
from disnplbm.data.forecast import ITERATIONS, Clusters, Forecast, forecast
from disnplbm.data.memory import STORED_BYTES
from disnplbm.data.odd_columns import Examples, TableSummary, repeated_names
from disnplbm.data.sample import Sample, mix
from disnplbm.data.shape import CellShape
from disnplbm.data.sharding import auto_shards, cut_axis
from disnplbm.data.sparse_numbers import is_kept_sparse, zeros_note
from disnplbm.data.table import Source, SparseChunk, is_sparse
from disnplbm.data.words import words_of
from disnplbm.errors import InputError
from disnplbm.notes import Hint, Note, from_plain, plural, to_plain

TYPED_BYTES = 20
"""Of each cell that is stored, of counts, 0/1 and categories: read, dealt out, and kept."""

SPARSE_STATISTICS_BYTES = 80
"""Of each column in each row cluster, where rows are sharded: statistics of shards, joined, and of the last time.

For tables that are kept without their zeros, in which they may outweigh the cells.
"""

BASE_MEMORY_MB = 300
"""Interpreter, compiled kernels and buffers of a run, beside the data."""

Pilot = Callable[[Sample, int, int, Advice, str], Clusters]


@dataclass(frozen=True)
class Named:
    """Columns or rows of a kind: how many, and the first few names."""

    count: int
    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What is in a table: a `Preflight` without its forecast.

    Attributes
    ----------
    name : str
    rows, columns, dimension : int
    first_rows, first_columns : tuple of str
        The first few names of the rows and of the columns, which say which way round the table is read.
    missing : int
        Cells without a value.
    low, high : float or None
        Range of the observed numbers; None where there are words, or nothing.
    constant_columns, empty_columns, empty_rows, duplicate_names : Named
    duplicate_columns : Named
        Columns that equal an earlier one in every cell, each named with the earlier one ("b = a").
    memory_mb : float
        Estimate for a fit.
    advice : Advice
        Which transform suits the table.
    axis : str
        Axis that would be sharded.
    shards : int
        Shards that would be used.
    cells : str
        Type that the cells would be taken for.
    categories : tuple of str
        The different words of a table of words.
    stored : int
        Cells that are missing or not 0.
    notes : tuple of str
    """

    name: str
    rows: int
    columns: int
    dimension: int
    first_rows: tuple[str, ...]
    first_columns: tuple[str, ...]
    missing: int
    low: float | None
    high: float | None
    constant_columns: Named
    empty_columns: Named
    empty_rows: Named
    duplicate_names: Named
    duplicate_columns: Named
    memory_mb: float
    advice: Advice
    axis: str
    shards: int
    cells: str
    categories: tuple[str, ...] = ()
    stored: int
    notes: tuple[str, ...]

    @property
    def missing_share(self) -> float:
        """Share of cells without a value."""
        return self.missing / (self.rows * self.columns)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; ``noted`` are the notes with what they name as data."""
        return {**asdict(self), "noted": [to_plain(note) for note in self.notes]}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Survey:
        """Read back what `to_dict` wrote."""
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in stored.items()
        }
        for name, kind in get_type_hints(cls).items():
            if kind is Named:
                values[name] = Named(stored[name]["count"], tuple(stored[name]["names"]))
        values["notes"] = tuple(map(from_plain, values.pop("noted")))
        values["advice"] = Advice(**stored["advice"])
        return cls(**values)


@dataclass(frozen=True, kw_only=True)
class Preflight(Survey):
    """Result of `preflight`.

    Attributes
    ----------
    time : Forecast
        Of a fit with the recommended transform.
    """

    time: Forecast

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**super().to_dict(), "missing_share": self.missing_share, "time": self.time.to_dict()}

    def lines(self) -> list[Note]:
        """The same as lines of text."""
        shape = f"{plural(self.rows, 'row')} x {plural(self.columns, 'column')}"
        if self.dimension > 1:
            shape += f" x {self.dimension} numbers a cell"
        out = [
            Note(f"{self.name}: {shape}"),
            Note(
                f"rows are items: {some_names(self.first_rows, self.rows)}; columns are measurements:"
                f" {some_names(self.first_columns, self.columns)} (",
                Hint("transpose"),
                " swaps them)",
            ),
            Note(f"missing: {plural(self.missing, 'cell')} ({self.missing_share:.2%})"),
            Note(self._range()),
        ]
        odd = [
            Note(f"{what}: {found.count:,} ({some_names(found.names, found.count)})")
            for what, found in (
                ("constant columns", self.constant_columns),
                ("columns with all cells missing", self.empty_columns),
                ("rows with all cells missing", self.empty_rows),
                ("column names used more than once", self.duplicate_names),
                ("columns equal to an earlier one", self.duplicate_columns),
            )
            if found.count
        ]
        out.extend(odd or [Note("no row or column is empty, and no column is constant or repeated")])
        out.extend(Note("note: ", note) for note in self.notes)
        if self.cells == DENSE:
            out.append(Note("recommended: ", Hint("transform", self.advice.transform), f", since {self.advice.reason}"))
        out.append(Note(f"shards: {self.shards} over the {self.axis}"))
        takes = f"a fit of {ITERATIONS} iterations takes about {self.memory_mb:,.0f} MB of memory and "
        return [*out, Note(takes, self.time.line())]

    def _range(self) -> str:
        """What values there are."""
        if self.categories:
            return f"categories: {len(self.categories)} ({some_names(self.categories, len(self.categories))})"
        return "range: no observed value" if self.low is None else f"range: {self.low:g} to {self.high:g}"


def preflight(source: Source, pilot: Pilot, progress: Progress | None = None, *, cells: str = "auto") -> Preflight:
    """Read a table once and report on it.

    Parameters
    ----------
    pilot : callable
        Says what a run will find, by a sample, the table's rows and columns, the advice on its transform, and the type
        of its cells.
    progress : callable, optional
        Called with bytes read and in all.
    cells : str
        Type of the cells; "auto" looks at them.

    Raises
    ------
    InputError
        The table cannot be read; the line says where.
    """
    return with_forecast(*survey(source, progress, cells=cells), pilot)


def with_forecast(found: Survey, sample: Sample, pilot: Pilot) -> Preflight:
    """The report on a table that was read, and sampled, already."""
    n, p, d = found.rows, found.columns, found.dimension
    given = {field.name: getattr(found, field.name) for field in fields(found)}
    clusters = pilot(sample, n, p, found.advice, found.cells)
    real = found.cells == DENSE
    if real and not is_kept_sparse((n, p, d), found.stored, found.advice.transform):
        return Preflight(**given, time=forecast(n, p, d, clusters))
    of_items = (clusters.rows if n >= p else clusters.columns) * min(n, p)
    given["memory_mb"] += of_items * SPARSE_STATISTICS_BYTES / 1e6
    return Preflight(**given, time=forecast(n, p, d, clusters, found.stored, real=real))


def survey(source: Source, progress: Progress | None = None, *, cells: str = "auto") -> tuple[Survey, Sample]:
    """Read a table once and say what is in it; with a sample of it, for the forecast. See :func:`preflight`."""
    p, d = len(source.column_names), source.dimension
    columns, seen = TableSummary(source), _Seen(p, d)
    first_rows: list[str] = []
    for chunk in source.sparse_chunks() if is_sparse(source) else source.chunks():
        if columns.rows < NAMED:
            first_rows += chunk.ids or map(str, range(columns.rows, columns.rows + chunk.values.shape[0]))
        if isinstance(chunk, SparseChunk):
            seen.add_sparse(chunk.values, columns.rows)
            columns.add_sparse(chunk)
        else:
            seen.add(chunk.values, columns.rows)
            columns.add(chunk)
        if progress is not None:
            progress(chunk.bytes_read, source.bytes_total)
    columns.check()
    n = columns.rows
    names = source.column_names
    any_observed = bool(columns.observed.any())
    words, repeated = words_of(source) or (), repeated_names(names)
    looked = seen.look.chosen() if d == 1 else Chosen(DENSE)
    chosen = looked if cells == "auto" else Chosen(cells)
    if words:
        chosen = choose_for_words(cells, words)
    real, axis = chosen.cells == DENSE, cut_axis(n, p, chosen.cells)
    items, others = (n, p) if axis == "rows" else (p, n)
    if not real and d > 1:
        raise InputError(
            f"a cell is {d} numbers, so the cells are not {chosen.cells}: leave out ", Hint("cells", cells)
        )
    shape = seen.shape.warnings(names) if real and not is_sparse(source) else []
    advice = advise(seen.sample, names) if real else Advice("none", f"the cells are taken as {chosen.cells}")
    stored = None if real else seen.stored
    memory = n * p * d * 8 if real else TYPED_BYTES * seen.stored
    if real and is_kept_sparse((n, p, d), seen.stored, advice.transform):
        stored, memory = seen.stored, STORED_BYTES * seen.stored
        shape = [zeros_note((n * p - seen.stored) / (n * p - columns.missing))]
    found = Survey(
        name=source.name,
        rows=n,
        columns=p,
        dimension=d,
        first_rows=tuple(first_rows[:NAMED]),
        first_columns=tuple(names[:NAMED]),
        missing=columns.missing,
        low=float(columns.low.min()) if any_observed and not words else None,
        high=float(columns.high.max()) if any_observed and not words else None,
        constant_columns=_named(names, columns.constant),
        empty_columns=_named(names, columns.empty),
        empty_rows=Named(columns.empty_rows.total, tuple(columns.empty_rows.names)),
        duplicate_names=Named(len(repeated), tuple(repeated[:NAMED])),
        duplicate_columns=_duplicates(names, seen.fingerprint, columns.empty),
        memory_mb=BASE_MEMORY_MB + memory / 1e6,
        advice=advice,
        axis=axis,
        shards=auto_shards(items, others, d, stored),
        cells=chosen.cells,
        categories=words,
        stored=seen.stored,
        notes=(*source.notes, *columns.codes(), *chosen.notes, *shape, *_of_long_cells(source.dimension)),
    )
    return found, seen.sample


class _Seen:
    """What a survey keeps of the cells of a table, as they stream by, besides the summary of its columns."""

    def __init__(self, columns: int, dimension: int) -> None:
        self.shape, self.sample, self.look = CellShape(columns, dimension), Sample(columns, dimension), Look()
        self.fingerprint = np.zeros((columns, dimension), dtype=np.uint64)
        self.stored = 0

    def add(self, values: NDArray[np.float64], first: int) -> None:
        """Take in the next rows of a dense table."""
        self.fingerprint += _fingerprint(values, first)
        self.shape.add(values)
        self.sample.add(values)
        # NaN is not 0 either.
        cells = values[values != 0.0]
        self.stored += len(cells)
        self.look.add(cells, values.size)

    def add_sparse(self, rows: csr_array, first: int) -> None:
        """Take in the next rows of a sparse table, whose zeros are not visited."""
        of_row = np.repeat(np.arange(first, first + rows.shape[0], dtype=np.uint64), np.diff(rows.indptr))
        # The words of a column add up, modulo 2**64, as in a dense one.
        np.add.at(self.fingerprint[:, 0], rows.indices, mix(rows.data.view(np.uint64) ^ mix(of_row)))
        self.sample.add_sparse(rows)
        self.stored += rows.nnz
        self.look.add(rows.data, rows.shape[0] * rows.shape[1])


def _of_long_cells(dimension: int) -> list[str]:
    """What a fit of cells that are too many numbers for a full covariance needs."""
    if dimension <= MOST_NUMBERS_FULL:
        return []
    long = f"a cell is {dimension:,} numbers, more than a full covariance takes: fit with "
    return [Note(long, Hint("covariance", "diagonal"), kind="covariance")]


def _fingerprint(values: NDArray[np.float64], first_row: int) -> NDArray[np.uint64]:
    """Sum over the rows of a mixed (cell, row) word, modulo 2**64: equal columns agree, others do not but by chance."""
    words = values.view(np.uint64)
    rows = np.arange(first_row, first_row + len(values), dtype=np.uint64)
    mixed = words ^ mix(rows)[:, None, None]
    total: NDArray[np.uint64] = mix(mixed).sum(axis=0, dtype=np.uint64)
    return total


def _named(names: list[str], which: NDArray[np.bool_]) -> Named:
    found = np.flatnonzero(which)
    return Named(len(found), tuple(names[int(j)] for j in found[:NAMED]))


def _duplicates(names: list[str], fingerprint: NDArray[np.uint64], empty: NDArray[np.bool_]) -> Named:
    first: dict[bytes, int] = {}
    found = Examples()
    for j in np.flatnonzero(~empty):
        earlier = first.setdefault(fingerprint[j].tobytes(), int(j))
        if earlier != j:
            found.add(f"{names[int(j)]} = {names[earlier]}")
    return Named(found.total, tuple(found.names))
