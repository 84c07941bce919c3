"""What a table of cells other than real numbers is: how it is checked, what its shards hold, and its prior.

Such tables are sparse (CSR): a cell that is not stored is zero, one that is missing is stored as NaN; of responses, a
cell that is not stored is missing. Their shards hold arrays of their own; shards of real numbers hold all cells, or
only those that are not zero (:mod:`disnplbm.data.sparse_numbers`).
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.families.base import Family, SparseCells
from disnplbm.notes import Hint

#: What is known of all cells of a table, as plain values.
Facts = dict[str, Any]

#: Arrays of a shard, by their names.
Arrays = dict[str, NDArray[Any]]

#: What to do with a table whose cells are of another kind.
REMEDY = ("; take another kind of cells, for example ", Hint("cells", "gaussian"))


class Factors(NamedTuple):
    """What rows and columns contribute to the exposure of a cell, which is the product of both."""

    rows: NDArray[np.float64]
    columns: NDArray[np.float64]

    def to_plain(self) -> dict[str, str]:
        """As JSON has it."""
        return {axis: pack_numbers(factors) for axis, factors in self._asdict().items()}

    @classmethod
    def from_plain(cls, given: dict[str, str]) -> Factors:
        """Read what :meth:`to_plain` wrote."""
        return cls(**{axis: unpack_numbers(packed) for axis, packed in given.items()})

    @property
    def digest(self) -> str:
        """Tells these factors from others; 32 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_plain()).encode()).hexdigest()[:32]


#: What counts are compared with: "margins", "none", or what is given.
Exposure = str | Factors


class CellType(ABC):
    """A type of cells. A subclass is a few functions; ``cell_types.py`` registers it in one line."""

    #: What its cells are, in words: "counts".
    noun: str

    #: Whether a cell that is not stored is missing; else it is zero.
    absent_is_missing = False

    #: What to do instead, where new rows and missing cells are asked for that draws cannot judge as a table.
    instead: Sequence[str | Hint] = ()

    @abstractmethod
    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        """Which of some stored cells, none missing, cannot be, and what cells there may be."""

    @abstractmethod
    def describe(self, parts: Sequence[csr_array], exposure: Exposure) -> tuple[Facts, list[Arrays]]:
        """What is known of all cells, and what the shards hold.

        Parameters
        ----------
        parts : sequence of csr_array of shape (items, others)
            The shards' cells.
        exposure : {"margins", "none"} or Factors
            Of counts; the factors are of the parts' rows, all in order, and of their columns.

        Raises
        ------
        InputError
            The table as a whole is not one of such cells.
        """

    @abstractmethod
    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> SparseCells:
        """The cells of a shard from what it holds."""

    @abstractmethod
    def family(self, facts: Facts, power: float) -> Family:
        """The family, under the prior for such a table."""

    def check(self, rows: csr_array, first: int, column_names: Sequence[str]) -> None:
        """Refuse rows with a cell that cannot be.

        Parameters
        ----------
        rows : csr_array of shape (c, p)
        first : int
            Index of the first one in the table.

        Raises
        ------
        InputError
            It names the cell.
        """
        self._check_stored(rows, first, column_names, self.refuse, REMEDY)

    def _check_stored(
        self,
        rows: csr_array,
        first: int,
        column_names: Sequence[str],
        refuse: Callable[[NDArray[np.float64]], tuple[NDArray[np.bool_], str]],
        remedy: Sequence[str | Hint],
    ) -> None:
        """Refuse rows with a stored cell that a function like :meth:`refuse` refuses."""
        there = np.flatnonzero(~np.isnan(rows.data))
        wrong, allowed = refuse(rows.data[there])
        if wrong.any():
            at = there[np.flatnonzero(wrong)[0]]
            row = int(np.searchsorted(rows.indptr, at, side="right")) - 1
            raise refusal(self.noun, first + row, column_names[rows.indices[at]], rows.data[at], allowed, remedy)


def refusal(noun: str, row: int, column: str, value: float, allowed: str, remedy: Sequence[str | Hint]) -> InputError:
    """What to say of a cell that is none of its type.

    Parameters
    ----------
    row : int
        Index of its row in the table.
    allowed : str
        What cells there may be.
    remedy : sequence of str and Hint
        What to do.
    """
    return InputError(
        f"row {row + 1}, column {column}: {value:g} is not one of the {noun}, which are {allowed}", *remedy
    )


def pack_numbers(numbers: NDArray[Any]) -> str:
    """An array as a text for JSON: a million whole numbers take a few megabytes."""
    body = io.BytesIO()
    np.save(body, numbers, allow_pickle=False)
    return base64.b64encode(body.getvalue()).decode()


def unpack_numbers(text: str) -> NDArray[Any]:
    """What :func:`pack_numbers` was given."""
    found: NDArray[Any] = np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False)
    return found


def pack_arrays(arrays: Arrays) -> bytes:
    """Arrays as an archive that ``numpy.load`` reads, always the same bytes for the same arrays."""
    body = io.BytesIO()
    np.savez(body, **arrays)  # type: ignore[arg-type]
    return body.getvalue()


def unpack_arrays(body: bytes | memoryview) -> Arrays:
    """What :func:`pack_arrays` was given."""
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        return dict(archive)


def csr_arrays(part: csr_array, values: NDArray[Any]) -> Arrays:
    """What a shard holds of its cells: where each row begins, columns, values."""
    ends, indices = part.indptr.astype(np.int64, copy=False), part.indices.astype(np.int32, copy=False)
    return {"indptr": ends, "indices": indices, "values": values}


def sums_of(parts: Iterable[csr_array], axis: int) -> Iterator[NDArray[np.float64]]:
    """Sums of each shard's cells along an axis, without missing ones."""
    for part in parts:
        yield np.asarray(csr_array((np.nan_to_num(part.data), part.indices, part.indptr), part.shape).sum(axis=axis))
