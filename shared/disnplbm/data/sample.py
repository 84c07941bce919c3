"""A sample of a table that streams by: rows and columns at even distances, the same however the table is cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_ROWS = 512
MOST_COLUMNS = 512
"""A sample has at most so many; between half of the rows and all of them are used."""


class Sample:
    """Keeps every 2^k-th row; k grows with the table.

    Parameters
    ----------
    columns, dimension : int
        Of the table.

    Attributes
    ----------
    columns : ndarray of int
        Which columns of the table the sample has.
    """

    def __init__(self, columns: int, dimension: int) -> None:
        self.columns: NDArray[np.int64] = np.arange(min(columns, MOST_COLUMNS)) * columns // min(columns, MOST_COLUMNS)
        self._kept = np.empty((0, len(self.columns), dimension))
        self._step, self._seen = 1, 0

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in rows (c, p, d)."""
        for start in range(0, len(values), MOST_ROWS):
            self._add(values[start : start + MOST_ROWS])

    def _add(self, values: NDArray[np.float64]) -> None:
        part = values[-self._seen % self._step :: self._step][:, self.columns]
        self._seen += len(values)
        self._kept = np.concatenate([self._kept, part]) if len(part) else self._kept
        while len(self._kept) > MOST_ROWS:
            self._kept, self._step = self._kept[::2], 2 * self._step

    @property
    def cells(self) -> NDArray[np.float64]:
        """The sampled cells, shape (m, q, d)."""
        return self._kept
