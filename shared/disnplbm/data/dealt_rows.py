"""Cells of a sparse table dealt out to its shards, in two passes over its rows: nothing is held twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.data.sharding import Sharding
from disnplbm.dealing import slice_of

#: Gives first row and cells of each stretch of a table's rows, from the first one on, as often as it is asked.
Chunks = Callable[[], Iterable[tuple[int, csr_array]]]


class StoredCells:
    """How many cells each row and each column of a table has, and in which type all of them fit.

    Parameters
    ----------
    rows, columns : int
    """

    def __init__(self, rows: int, columns: int) -> None:
        self.of_rows, self.of_columns = np.zeros(rows, dtype=np.int64), np.zeros(columns, dtype=np.int64)
        self.kind: np.dtype[Any] = np.dtype(np.uint8)

    @property
    def number(self) -> int:
        """Of the whole table."""
        return int(self.of_rows.sum())

    def add(self, first: int, rows: csr_array, kind: type[np.number[Any]]) -> None:
        """Take in rows, from the given one on, whose cells fit in a type."""
        self.of_rows[first : first + rows.shape[0]] = np.diff(rows.indptr)
        self.of_columns += np.bincount(rows.indices, minlength=rows.shape[1])
        self.kind = np.result_type(self.kind, kind)


def deal_rows(chunks: Iterable[tuple[int, csr_array]], stored: StoredCells, sharding: Sharding) -> list[csr_array]:
    """Deal the cells of a table out to its shards, items by others.

    Parameters
    ----------
    chunks : iterable
        First row and cells of each stretch of rows.
    stored : StoredCells
        Of the same rows.
    """
    by_rows = sharding.axis == "rows"
    lengths = stored.of_rows if by_rows else stored.of_columns
    shards = [_Shard(lengths[slice_of(e, sharding.n_shards)], stored.kind) for e in range(sharding.n_shards)]
    for first, rows in chunks:
        items = rows if by_rows else rows.T.tocsr()
        for e, shard in enumerate(shards):
            shard.add(items[slice_of(e, sharding.n_shards, first if by_rows else 0)], None if by_rows else first)
    return [shard.rows(sharding.n_others) for shard in shards]


class _Shard:
    """The cells of some items, which are filled in."""

    def __init__(self, lengths: NDArray[np.int64], kind: np.dtype[Any]) -> None:
        self._ends = np.append(0, np.cumsum(lengths))
        self._values = np.empty(self._ends[-1], dtype=kind)
        self._indices = np.empty(self._ends[-1], dtype=np.int32)
        self._place, self._filled = self._ends[:-1].copy(), 0

    def add(self, items: csr_array, first: int | None) -> None:
        """Fill in the next items; or all items, of other ones from the given one on."""
        if first is None:
            places: Any = slice(self._filled, self._filled + items.nnz)
            self._filled += items.nnz
        else:
            lengths = np.diff(items.indptr)
            places = np.repeat(self._place - items.indptr[:-1], lengths) + np.arange(items.nnz)
            self._place += lengths
        self._values[places], self._indices[places] = items.data, items.indices + np.int32(first or 0)

    def rows(self, others: int) -> csr_array:
        """All items."""
        # SciPy wants one type of both, and would copy the larger one.
        ends = self._ends.astype(np.int32) if self._ends[-1] <= np.iinfo(np.int32).max else self._ends
        return csr_array((self._values, self._indices, ends), (len(ends) - 1, others))
