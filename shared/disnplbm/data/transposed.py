"""A table with its rows and columns swapped, held in a temporary file meanwhile; a sparse one in memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.limits import check_columns
from disnplbm.data.named import number_names_of
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import READ_BYTES, Chunk, Source, SparseChunk, is_sparse
from disnplbm.data.words import words_of
from disnplbm.data.written import written_of
from disnplbm.errors import InputError
from disnplbm.objects.arrays import array_bytes
from disnplbm.smallest import smallest_type


@dataclass(frozen=True)
class _Held:
    """All cells of a table, (n, p, d) as float64 in a file, and the names of its rows."""

    cells: NDArray[np.float64]
    names: list[str] | None


@dataclass(frozen=True)
class _HeldSparse:
    """All cells of a sparse table, (n, p), compressed by columns; and the names of its rows."""

    cells: sp.csc_array
    names: list[str] | None


class TransposedSource:
    """The columns of another table as rows.

    Its row names become the names of the columns. The table is read when its cells or its column names are first
    asked for.

    Parameters
    ----------
    source : Source
        Without classes.
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        self.dimension = source.dimension
        self.bytes_total = source.bytes_total
        self.notes = source.notes
        written = written_of(source)
        self.written = None if written is None else replace(written, axis="rows")
        self.sparse, self.number_names = is_sparse(source), number_names_of(source)
        self._source = source

    @cached_property
    def column_names(self) -> list[str]:
        """The other table's row names, or "0", "1", ... if it has none."""
        held = self._held_sparse if self.sparse else self._held
        return held.names if held.names is not None else [str(i) for i in range(held.cells.shape[0])]

    @property
    def words(self) -> tuple[str, ...] | None:
        """The words of the table, if it is one of words."""
        return words_of(self._source)

    def chunks(self) -> Iterator[Chunk]:
        """Read the table, then hand out its columns a few at a time."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        cells, names = self._held.cells, self._source.column_names
        columns = len(names)
        step = max(1, READ_BYTES // (8 * len(cells) * self.dimension))
        for start in range(0, columns, step):
            stop = min(columns, start + step)
            values = np.ascontiguousarray(cells[:, start:stop].swapaxes(0, 1))
            yield Chunk(values, names[start:stop], None, self.bytes_total * stop // columns)

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse table, then hand out its columns a few at a time."""
        cells = self._held_sparse.cells
        # Compressed columns are compressed rows of the table that is turned.
        yield from sparse_chunks((cells.data, cells.indices, cells.indptr), self, self._source.column_names)

    @cached_property
    def _held_sparse(self) -> _HeldSparse:
        assert is_sparse(self._source)
        parts, names, named = list[Any](), list[str](), False
        for chunk in self._source.sparse_chunks():
            # Counts take a byte each.
            rows = chunk.values
            parts.append(rows.astype(smallest_type(rows.data)))
            named = chunk.ids is not None
            names += chunk.ids or []
        if not parts:
            raise InputError(f"{self.name} has no rows: give a table with at least one row of numbers")
        check_columns(sum(part.shape[0] for part in parts), self.name)
        rows = sp.vstack(parts, format="csr")
        parts.clear()
        return _HeldSparse(rows.tocsc(), names if named else None)

    @cached_property
    def _held(self) -> _Held:
        rows, names, named = 0, list[str](), False
        # Without a name, so that it is gone when its cells are.
        with tempfile.TemporaryFile() as file:
            for chunk in self._source.chunks():
                file.write(array_bytes(np.ascontiguousarray(chunk.values)))
                rows += len(chunk.values)
                named = chunk.ids is not None
                names += chunk.ids or []
            if rows == 0:
                raise InputError(f"{self.name} has no rows: give a table with at least one row of numbers")
            check_columns(rows, self.name)
            file.flush()
            shape = (rows, len(self._source.column_names), self.dimension)
            return _Held(np.memmap(file, np.float64, "r", shape=shape), names if named else None)
