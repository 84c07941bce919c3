"""A sample of a table that streams by: rows and columns by a hash of their place, however the table is cut."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

MOST_ROWS = 2048
MOST_COLUMNS = 512
"""A sample has at most so many: all of a smaller table. Cells of several numbers count for as many columns."""


class Sample:
    """Keeps the rows whose hashed index is least, in their order; any periodic order of the table does no harm.

    Parameters
    ----------
    columns, dimension : int
        Of the table.

    Attributes
    ----------
    columns : ndarray of int
        Which columns of the table the sample has.
    cells : ndarray of shape (m, q, d)
        The sampled cells.
    """

    def __init__(self, columns: int, dimension: int) -> None:
        places = np.arange(columns, dtype=np.uint64)
        self.columns: NDArray[np.intp] = np.sort(
            np.argsort(mix(places), kind="stable")[: max(1, MOST_COLUMNS // dimension)]
        )
        self.cells = np.empty((0, len(self.columns), dimension))
        self._hashes = np.empty(0, dtype=np.uint64)
        self._seen = 0

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in rows (c, p, d)."""
        self._add(len(values), lambda fresh: values[fresh][:, self.columns])

    def add_sparse(self, rows: csr_array) -> None:
        """Take in sparse rows (c, p) of a table of one number a cell."""
        self._add(rows.shape[0], lambda fresh: rows[fresh][:, self.columns].toarray()[..., None])

    def _add(self, number: int, take: Callable[[NDArray[np.intp]], NDArray[np.float64]]) -> None:
        hashes = mix(np.arange(self._seen, self._seen + number, dtype=np.uint64))
        self._seen += number
        room = np.iinfo(np.uint64).max if len(self._hashes) < MOST_ROWS else self._hashes.max()
        fresh = np.flatnonzero(hashes <= room)
        fresh = np.sort(fresh[np.argsort(hashes[fresh])[:MOST_ROWS]])
        if not len(fresh):
            return
        hashes = np.concatenate([self._hashes, hashes[fresh]])
        cells = np.concatenate([self.cells, take(fresh)])
        kept = np.sort(np.argsort(hashes)[:MOST_ROWS])
        self._hashes, self.cells = hashes[kept], cells[kept]

    def save(self, path: Path) -> None:
        """Write the cells, and which columns they are of."""
        with path.open("wb") as file:
            np.savez(file, columns=self.columns, cells=self.cells)

    @classmethod
    def load(cls, path: Path) -> Sample:
        """Read back what `save` wrote; no more rows can be added."""
        with np.load(path, allow_pickle=False) as stored:
            columns, cells = stored["columns"], stored["cells"]
        sample = cls(0, cells.shape[2])
        sample.columns, sample.cells = columns, cells
        return sample


def mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele, Lea and Flood 2014): a hash of each word, and no two alike."""
    out = words + np.uint64(0x9E3779B97F4A7C15)
    out ^= out >> np.uint64(30)
    out *= np.uint64(0xBF58476D1CE4E5B9)
    out ^= out >> np.uint64(27)
    out *= np.uint64(0x94D049BB133111EB)
    out ^= out >> np.uint64(31)
    return out
