"""Tables that are in memory already, in chunks of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import PartlyMissing, check_finite
from disnplbm.data.head import ROWS
from disnplbm.data.in_memory import in_memory, without_blank
from disnplbm.data.limits import check_columns, check_numbers
from disnplbm.data.roles import MOST_SUSPECTS, left_out_note, suspects_in_memory
from disnplbm.data.sparse_rows import dense_chunks, sparse_chunks
from disnplbm.data.table import READ_BYTES, Chunk, SparseChunk
from disnplbm.errors import InputError


class ArraySource:
    """A matrix in memory as a `Source`.

    Parameters
    ----------
    given : array-like (n, p) or (n, p, d), DataFrame, Arrow table, SciPy sparse matrix, or AnnData
        Integers, floats or booleans; NaN marks a missing cell, and so does a mask; what a sparse matrix does not store
        is zero.
    name : str
        What to call it in messages.
    column_names, row_names : list of str, optional
        Taken from the table, or counted from 0, if not given.
    classes : list of str, optional
        Known class of each row.
    kept : collection of str
        Columns that stay even if they have no values and nobody named them.
    words : {"auto", "yes", "no", "only"}
        Whether it may be a table of words, as a :class:`~disnplbm.data.reading.Reading` has it.

    Raises
    ------
    InputError
        Not two or three axes, no rows or columns, or not numeric.
    """

    def __init__(
        self,
        given: Any,
        *,
        name: str = "X",
        column_names: list[str] | None = None,
        row_names: list[str] | None = None,
        classes: list[str] | None = None,
        kept: Collection[str] = (),
        words: str = "no",
    ) -> None:
        table, blank = without_blank(in_memory(given, name, words), kept)
        self.name = name
        self.notes: list[str] = [left_out_note(blank)] if blank else []
        self.row_names = row_names or table.row_names
        self._classes = classes
        self._slice, self._matrix = table.rows, table.sparse
        self.sparse, self.words = table.sparse is not None, table.words
        self.rows, columns, self.dimension = check_shape(table.shape, name)
        self.column_names = column_names or table.column_names or [str(j) for j in range(columns)]
        self.bytes_total = self.rows * columns * self.dimension * 8
        self._is_pandas = hasattr(given, "iloc")
        self._is_named = table.column_names is not None and self.dimension == 1

    def chunks(self) -> Iterator[Chunk]:
        """Read the matrix from its first row, a few rows at a time."""
        if self.sparse:
            yield from dense_chunks(self.sparse_chunks())
            return
        columns = len(self.column_names)
        row_bytes = columns * self.dimension * 8
        step = max(1, READ_BYTES // row_bytes)
        partly_missing = PartlyMissing(self.name)
        for start in range(0, self.rows, step):
            stop = min(self.rows, start + step)
            values = np.array(self._slice(start, stop), dtype=np.float64, order="C")
            values = values.reshape(stop - start, columns, self.dimension)
            check_finite(values, start, self.name, self.column_names)
            if start == 0 and self._is_named and self.words is None:
                self.notes += self._suspects(values[:ROWS, :MOST_SUSPECTS, 0])
            yield Chunk(
                partly_missing.unify(values),
                self.row_names[start:stop] if self.row_names is not None else None,
                self._classes[start:stop] if self._classes is not None else None,
                stop * row_bytes,
            )
        self.notes = list(dict.fromkeys([*self.notes, *partly_missing.notes()]))

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read a sparse matrix from its first row."""
        parts = self._matrix.data, self._matrix.indices, self._matrix.indptr
        is_first = self._is_named
        for chunk in sparse_chunks(parts, self, self.row_names, self._classes):
            if is_first:
                self.notes += self._suspects(chunk.values[:ROWS, :MOST_SUSPECTS].toarray())
                self.notes, is_first = list(dict.fromkeys(self.notes)), False
            yield chunk

    def _suspects(self, first: NDArray[np.float64]) -> list[str]:
        """Notes on columns that may be names or classes, by a look at the first rows."""
        columns = [[f"{cell:.17g}" for cell in column] for column in first.T.tolist()]
        return suspects_in_memory(self.column_names[: len(columns)], columns, self.name, pandas=self._is_pandas)


def check_shape(shape: tuple[int, ...], name: str) -> tuple[int, int, int]:
    """Rows, columns and numbers per cell of an array's shape; InputError if it is no table."""
    if len(shape) not in (2, 3):
        raise InputError(f"{name} has shape {shape}: a table has two axes (rows, columns) or three (d numbers a cell)")
    if min(shape) < 0:
        raise InputError(f"{name} is damaged: it has shape {shape}; write it again")
    if 0 in shape:
        raise InputError(f"{name} has shape {shape}: at least one row, one column and one number a cell are needed")
    rows, columns, dimension = shape if len(shape) == 3 else (*shape, 1)
    check_columns(columns * dimension, name)
    check_numbers(dimension, name)
    return rows, columns, dimension
