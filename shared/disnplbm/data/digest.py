"""The digest of a table's cells, whatever format and chunks they came in."""

from __future__ import annotations

import hashlib

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

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
