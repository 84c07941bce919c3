"""A table in memory as a fit works on it: one copy of its cells, cut into shards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from disnplbm.data.array import ArraySource
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import rows_of_chunk
from disnplbm.data.digest import DigestedSummary
from disnplbm.data.prepared import Prepared, prepare_cells
from disnplbm.data.responses import deal_responses, dense_stretches
from disnplbm.data.sharding import choose_sharding
from disnplbm.data.sparse_numbers import deal_numbers
from disnplbm.data.transform import Transform, fit_transform
from disnplbm.data.transforms.step import Cells
from disnplbm.data.typed import csr_chunks, deal_cells
from disnplbm.families.cell_type import Exposure
from disnplbm.families.responses.covariates import Covariates


class TypedTable:
    """The cells of a table that are no real numbers, in the arrays of its shards, as a dataset has them.

    Parameters
    ----------
    cells, exposure : str
        As :func:`disnplbm.data.typed.deal_cells` takes them; so are the transform, the shards and the axis.
    covariates : Covariates, optional
        As :func:`disnplbm.data.responses.deal_responses` takes them, where cells are responses.

    Attributes
    ----------
    shards : list of dict of ndarray
    transform : Transform
        That does nothing.
    notes : list of str
        What is odd about the table.
    sha256 : str
        Digest of the cells, as a dataset has it.
    """

    def __init__(
        self,
        source: ArraySource,
        *,
        cells: str,
        exposure: Exposure,
        transform: str,
        n_shards: int | str,
        axis: str,
        covariates: Covariates | None = None,
    ) -> None:
        self.n, self.p, self.dimension = source.rows, len(source.column_names), source.dimension
        self.column_names = source.column_names
        summary = DigestedSummary(source)
        how: dict[str, Any] = {"transform": transform, "n_shards": n_shards, "axis": axis}
        dealt = (
            deal_responses(
                self,
                lambda: dense_stretches(source, None if summary.rows else summary),
                covariates=covariates,
                **how,
            )
            if cells == RESPONSES
            else deal_cells(
                self,
                lambda: csr_chunks(source, None if summary.rows else summary),
                self.column_names,
                cells=cells,
                words=source.words or (),
                exposure=exposure,
                **how,
            )
        )
        self.prepared, sharding, self.shards = dealt
        self.transform = Transform(())
        self.notes, self.sha256 = [*summary.notes(), *sharding.notes], summary.digest()


class SparseTable:
    """The cells of a table of real numbers that is kept without its zeros, in the arrays of its shards.

    Parameters
    ----------
    transform : str
        One that keeps zeros; it, the shards and the axis are as :func:`disnplbm.data.sparse_numbers.deal_numbers` takes
        them.

    Attributes
    ----------
    shards : list of dict of ndarray
    transform : Transform
    notes : list of str
        What is odd about the table.
    sha256 : str
        Digest of the cells, as a dataset has it.
    """

    def __init__(self, source: ArraySource, *, transform: str, n_shards: int | str, axis: str) -> None:
        self.n, self.p, self.dimension = source.rows, len(source.column_names), source.dimension
        self.column_names, self._source = source.column_names, source
        summary = DigestedSummary(source)
        dealt, self.transform, notes = deal_numbers(
            self,
            lambda: csr_chunks(source, None if summary.rows else summary),
            transform=transform,
            n_shards=n_shards,
            axis=axis,
        )
        self.prepared, sharding, self.shards = dealt
        self.notes, self.sha256 = [*summary.notes(), *sharding.notes, *notes], summary.digest()

    def arrays(self) -> Iterator[tuple[int, Cells]]:
        """First row and cells, before the transform, of each stretch of rows."""
        first = 0
        for chunk in self._source.chunks():
            yield first, chunk.values
            first += len(chunk.values)


class WorkingTable:
    """The cells of a table, in the arrays of its shards; they have the same bits as in
    :func:`disnplbm.data.shards.prepare`.

    Parameters
    ----------
    n_shards : int or "auto"
    axis : {"auto", "rows", "columns"}
    chunk_rows : int, optional
        Rows that are worked on together, as many as in a chunk of a dataset by default.

    Attributes
    ----------
    shards : list of ndarray of shape (items, others, d)
    notes : list of str
        What is odd about the table.
    sha256 : str
        Digest of the cells, as a dataset has it.
    """

    def __init__(self, source: ArraySource, *, n_shards: int | str, axis: str, chunk_rows: int | None = None) -> None:
        self.n, self.p, self.dimension = source.rows, len(source.column_names), source.dimension
        self.column_names = source.column_names
        self._step = chunk_rows or rows_of_chunk(self.p, self.dimension)
        self._sharding = choose_sharding(self, n_shards=n_shards, axis=axis)
        self.shards = [
            np.empty((self._sharding.size(e), self._sharding.n_others, self.dimension))
            for e in range(self._sharding.n_shards)
        ]
        summary = DigestedSummary(source)
        for chunk in source.chunks():
            self._put(summary.rows, chunk.values)
            summary.add(chunk)
        self.notes, self.sha256 = summary.notes(), summary.digest()

    def transform(self, names: str | Sequence[str]) -> tuple[Prepared, Transform]:
        """Fit transforms to the cells and apply them in place; see :func:`disnplbm.data.transform.fit_transform`."""
        fitted, fit_notes = fit_transform(self, names)
        keep = self._put if fitted.steps else lambda first, rows: None  # noqa: ARG005
        prepared, notes = prepare_cells(self, self.arrays(), self._sharding, fitted, keep)
        self.notes += [*fit_notes, *self._sharding.notes, *notes]
        return prepared, fitted

    def arrays(self) -> Iterator[tuple[int, Cells]]:
        """First row and cells of each stretch of rows."""
        for first in range(0, self.n, self._step):
            stop = min(self.n, first + self._step)
            if len(self.shards) == 1 and self._sharding.axis == "rows":
                yield first, self.shards[0][first:stop]
                continue
            rows = np.empty((stop - first, self.p, self.dimension))
            for e in range(len(self.shards)):
                self._sharding.part(rows, e, first)[...] = self._stretch(e, first, stop)
            yield first, rows

    def _put(self, first: int, rows: Cells) -> None:
        for e in range(len(self.shards)):
            self._stretch(e, first, first + len(rows))[...] = self._sharding.part(rows, e, first)

    def _stretch(self, e: int, first: int, stop: int) -> Cells:
        """What a shard has of the rows from one to another, rows first: a view."""
        if self._sharding.axis == "rows":
            return self.shards[e][self._sharding.size(e, first) : self._sharding.size(e, stop)]
        return self.shards[e][:, first:stop].transpose(1, 0, 2)
