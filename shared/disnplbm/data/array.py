"""Tables that are in memory already: NumPy arrays, DataFrames, sparse matrices."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.cells import check_finite, unify_missing
from disnplbm.data.limits import check_columns
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.errors import InputError


class ArraySource:
    """A matrix in memory as a `Source`; sparse ones are made dense a few rows at a time.

    Parameters
    ----------
    table : array-like (n, p) or (n, p, d), DataFrame, or SciPy sparse matrix
        Integers, floats or booleans; NaN marks a missing cell; what a sparse matrix does not store is zero.
    name : str
        What to call it in messages.
    column_names, row_names : list of str, optional
        Taken from a DataFrame, or counted from 0, if not given.
    classes : list of str, optional
        Known class of each row.

    Raises
    ------
    InputError
        Not two or three axes, no rows or columns, or not numeric.
    """

    def __init__(
        self,
        table: Any,
        *,
        name: str = "X",
        column_names: list[str] | None = None,
        row_names: list[str] | None = None,
        classes: list[str] | None = None,
    ) -> None:
        self.name = name
        self.notes: list[str] = []
        self._row_names = row_names
        self._classes = classes
        self._slice: Callable[[int, int], NDArray[Any]]
        if sp.issparse(table):
            sparse: Any = table
            rows = sparse.tocsr()
            check_numeric(rows.dtype, name)
            shape = rows.shape
            self._slice = lambda start, stop: rows[start:stop].toarray()
        elif hasattr(table, "iloc"):
            shape = table.shape
            column_names = column_names or [str(label) for label in table.columns]
            if row_names is None and type(table.index).__name__ != "RangeIndex":
                self._row_names = [str(label) for label in table.index]
            for label, dtype in zip(table.columns, table.dtypes, strict=True):
                if getattr(dtype, "kind", "O") not in "biuf":
                    raise InputError(
                        f"{name}: column {label} is of type {dtype}, not numeric; convert it or leave it out"
                    )
            self._slice = lambda start, stop: table.iloc[start:stop].to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            array = np.asarray(table)
            check_numeric(array.dtype, name)
            shape = array.shape
            self._slice = lambda start, stop: array[start:stop]
        self.rows, columns, self.dimension = check_shape(shape, name)
        self.column_names = column_names or [str(j) for j in range(columns)]
        self.bytes_total = self.rows * columns * self.dimension * 8

    def chunks(self) -> Iterator[Chunk]:
        """Read the matrix from its first row, a few rows at a time."""
        columns = len(self.column_names)
        row_bytes = columns * self.dimension * 8
        step = max(1, READ_BYTES // row_bytes)
        for start in range(0, self.rows, step):
            stop = min(self.rows, start + step)
            values = np.array(self._slice(start, stop), dtype=np.float64, order="C")
            values = values.reshape(stop - start, columns, self.dimension)
            check_finite(values, start, self.name, self.column_names)
            yield Chunk(
                unify_missing(values),
                self._row_names[start:stop] if self._row_names is not None else None,
                self._classes[start:stop] if self._classes is not None else None,
                stop * row_bytes,
            )


def check_numeric(dtype: np.dtype[Any], name: str) -> None:
    """Raise InputError unless the type is boolean, integer or real."""
    if dtype.kind not in "biuf":
        raise InputError(f"{name} holds {dtype}, not real numbers; convert it to float64 first")


def check_shape(shape: tuple[int, ...], name: str) -> tuple[int, int, int]:
    """Rows, columns and numbers per cell of an array's shape; InputError if it is no table."""
    if len(shape) not in (2, 3):
        raise InputError(f"{name} has shape {shape}: a table has two axes (rows, columns) or three (d numbers a cell)")
    if 0 in shape:
        raise InputError(f"{name} has shape {shape}: at least one row, one column and one number a cell are needed")
    rows, columns, dimension = shape if len(shape) == 3 else (*shape, 1)
    check_columns(columns * dimension, name)
    return rows, columns, dimension
