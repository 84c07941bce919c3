"""The digest of a table's cells, whatever format and chunks they came in."""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.odd_columns import TableSummary
from disnplbm.data.table import Chunk, Source, SparseChunk, is_sparse
from disnplbm.data.words import digest_of_words, words_of
from disnplbm.objects.arrays import array_bytes


class DenseDigest:
    """Of all cells, and then of their shape."""

    def __init__(self) -> None:
        self._cells = hashlib.sha256()

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in the next rows, (c, p, d)."""
        self._cells.update(array_bytes(values))

    def finish(self, n: int, p: int, d: int) -> str:
        """Return the digest."""
        digest = self._cells.copy()
        digest.update(f"{n} x {p} x {d}".encode())
        return digest.hexdigest()


class SparseDigest:
    """Of how many cells each row stores, in which columns, and which values: three digests, and then one of these.

    Zeros are not visited, so that it takes the time of what is stored. Therefore it is not the digest of the same table
    stored dense.
    """

    def __init__(self) -> None:
        self._lengths, self._columns, self._values = (hashlib.sha256() for _ in range(3))

    def add(self, rows: sp.csr_array) -> None:
        """Take in the next rows, as a `SparseChunk` has them."""
        self._lengths.update(array_bytes(np.diff(rows.indptr).astype(np.int32)))
        self._columns.update(array_bytes(rows.indices.astype(np.int32, copy=False)))
        self._values.update(array_bytes(rows.data))

    def finish(self, n: int, p: int) -> str:
        """Return the digest."""
        parts = [part.hexdigest() for part in (self._lengths, self._columns, self._values)]
        return hashlib.sha256(f"sparse {n} x {p}: {' '.join(parts)}".encode()).hexdigest()


class DigestedSummary(TableSummary):
    """What is odd about a table, and the digest of its cells, found while it streams by."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._dense, self._sparse = DenseDigest(), SparseDigest() if is_sparse(source) else None

    def add(self, chunk: Chunk) -> None:
        """Take in the next rows."""
        self._dense.add(chunk.values)
        super().add(chunk)

    def add_sparse(self, chunk: SparseChunk) -> None:
        """Take in the next rows of a table that stores no zeros."""
        assert self._sparse is not None
        self._sparse.add(chunk.values)
        super().add_sparse(chunk)

    def digest(self) -> str:
        """Return the digest of all rows; of a table of words, the words count too."""
        p, d = self.low.shape
        found = self._dense.finish(self.rows, p, d) if self._sparse is None else self._sparse.finish(self.rows, p)
        return digest_of_words(found, words_of(self._source) or ())
