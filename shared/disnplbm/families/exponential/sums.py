"""Sums of sets of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.compiler import kernel
from disnplbm.model.statistics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of an array of sets of cells. The sums of two sets add up to the sums of their union.

    Parameters
    ----------
    values : ndarray of shape (..., S)
    """

    values: Floats

    names: ClassVar[tuple[str, ...]] = ("sums",)

    @classmethod
    def of_arrays(cls, values: Floats) -> Sums:
        """Sums whose :attr:`arrays` these are; ValueError if they cannot be."""
        if values.dtype != np.float64 or values.ndim < 2:
            raise ValueError(f"sums of an array of {values.dtype} and shape {values.shape}")
        return cls(values)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of sets."""
        return self.values.shape[:-1]

    @property
    def arrays(self) -> tuple[Floats]:
        """The sums."""
        return (self.values,)

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of the sums of the sets at one place of the first axis."""
        return self.values.shape[1:]

    @property
    def n_bytes(self) -> int:
        """In memory."""
        return self.values.nbytes

    @property
    def T(self) -> Sums:
        """The sets of shape (a, b) as (b, a): a view."""
        return Sums(np.swapaxes(self.values, 0, 1))

    @property
    def contiguous(self) -> Floats:
        """The values with the sums of each set, and the sets of each row, side by side in memory."""
        if self.is_transposed:
            return transposed(np.swapaxes(self.values, 0, 1))
        return np.ascontiguousarray(self.values)

    @property
    def is_transposed(self) -> bool:
        """Whether the sets lie column by column in memory, as in a transposed array."""
        swapped = self.values.ndim == 3 and np.swapaxes(self.values, 0, 1).flags.c_contiguous
        return bool(swapped and not self.values.flags.c_contiguous)

    def __getitem__(self, index: Any) -> Sums:
        """The sets at a NumPy index over the leading axes."""
        return Sums(self.values[index])

    def __setitem__(self, index: Any, sets: Sums) -> None:
        """Put other sets at a NumPy index over the leading axes."""
        self.values[index] = sets.values

    def put(self, index: NDArray[np.intp], sets: Sums) -> Sums:
        """These sums, with other ones at some places of the first axis."""
        self[index] = sets
        return self

    def empty_like(self, shape: tuple[int, ...]) -> Sums:
        """Sums of empty sets, an array of the given shape."""
        return Sums(np.zeros((*shape, self.values.shape[-1])))

    def extended(self, number: int) -> Sums:
        """The same sets and that many empty ones behind them, along the first axis."""
        return Sums(np.concatenate([self.values, np.zeros((number, *self.values.shape[1:]))]))

    def copy(self) -> Sums:
        """An independent copy."""
        return Sums(self.values.copy())


#: Sides of the squares that are transposed at a time, so that both ends stay in the cache.
_SQUARE = 16


@kernel
def _transpose(values, result):  # type: ignore[no-untyped-def]
    rows, columns, sums = values.shape
    for first in range(0, rows, _SQUARE):
        for start in range(0, columns, _SQUARE):
            for j in range(start, min(start + _SQUARE, columns)):
                for i in range(first, min(first + _SQUARE, rows)):
                    for s in range(sums):
                        result[j, i, s] = values[i, j, s]


def transposed(values: Floats) -> Floats:
    """Sums of shape (a, b, S) as (b, a, S), contiguous."""
    rows, columns, sums = values.shape
    result = np.empty((columns, rows, sums))
    _transpose(values, result)
    return result
