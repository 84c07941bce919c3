"""A table that is read once, in chunks of rows, whatever file format it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard

import numpy as np
from numpy import float64
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

READ_BYTES = 8 * 2**20
"""About how many bytes of cells a reader puts into one chunk."""


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows of a table.

    Attributes
    ----------
    values : ndarray, shape (c, p, d), float64
        Cells; a missing cell is NaN in all its components.
    ids : list of str or None
        Row names, one per row, if the table has them.
    classes : list of str or None
        Known classes of the rows, if a class column was asked for.
    bytes_read : int
        How far into the file the reader is; compare with `Source.bytes_total`.
    """

    values: NDArray[float64]
    ids: list[str] | None
    classes: list[str] | None
    bytes_read: int


@dataclass(frozen=True)
class SparseChunk:
    """Some consecutive rows of a table that stores the cells which are not zero.

    Attributes
    ----------
    values : csr_array, shape (c, p), float64
        Cells; a stored NaN is a missing cell, and what is not stored is zero. Indices are 32-bit and sorted in each
        row; no cell is stored twice, and no zero is stored.
    ids, classes, bytes_read
        As in `Chunk`.
    """

    values: csr_array
    ids: list[str] | None
    classes: list[str] | None
    bytes_read: int


class Source(Protocol):
    """A table that can be read from its start any number of times.

    Attributes
    ----------
    name : str
        What to call the table in messages.
    column_names : list of str
        One name per data column, in order; names may repeat.
    dimension : int
        Numbers per cell, d.
    bytes_total : int
        Size of the file, for progress.
    notes : list of str
        What the reader decided about the file by itself and the user should know.
    """

    name: str
    dimension: int
    bytes_total: int
    notes: list[str]

    @property
    def column_names(self) -> list[str]:
        """One name per data column; a table that is turned is read for it."""
        ...

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start.

        Raises
        ------
        InputError
            A cell is neither a finite number nor missing, a row has another number of cells, or the file is damaged:
            one line that names file, place and remedy.
        """
        ...


def kind_of(source: Source) -> np.dtype[Any]:
    """Type of the numbers in a table's file, where its reader knows one for all columns; else float64."""
    return np.dtype(getattr(source, "kind", np.float64))


def is_read_quickly(source: Source) -> bool:
    """Whether reading a table's file once more takes less than a copy of its cells."""
    return bool(getattr(source, "read_quickly", False))


class SparseSource(Source, Protocol):
    """A table that has its cells in sparse form: its attribute `sparse` is True.

    Its dense `chunks` are made of the sparse ones.
    """

    def sparse_chunks(self) -> Iterator[SparseChunk]:
        """Read the table from its start, with the memory of the cells that are not zero.

        Raises
        ------
        InputError
            As `chunks`.
        """
        ...


def is_sparse(source: Source) -> TypeGuard[SparseSource]:
    """Whether a table has its cells in sparse form."""
    return bool(getattr(source, "sparse", False))
