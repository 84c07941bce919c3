"""Sums of sets of cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.model.statistics import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of an array of sets of cells. The sums of two sets add up to the sums of their union.

    Parameters
    ----------
    values : ndarray of shape (..., S)
    """

    values: Floats

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of sets."""
        return self.values.shape[:-1]

    @property
    def arrays(self) -> tuple[Floats]:
        """The sums."""
        return (self.values,)

    @property
    def T(self) -> Sums:
        """The sets of shape (a, b) as (b, a), contiguous."""
        return Sums(np.ascontiguousarray(np.swapaxes(self.values, 0, 1)))

    def __getitem__(self, index: Any) -> Sums:
        """The sets at a NumPy index over the leading axes."""
        return Sums(self.values[index])

    def __setitem__(self, index: Any, sets: Sums) -> None:
        """Put other sets at a NumPy index over the leading axes."""
        self.values[index] = sets.values

    def empty_like(self, shape: tuple[int, ...]) -> Sums:
        """Sums of empty sets, an array of the given shape."""
        return Sums(np.zeros((*shape, self.values.shape[-1])))

    def extended(self, number: int) -> Sums:
        """The same sets and that many empty ones behind them, along the first axis."""
        return Sums(np.concatenate([self.values, np.zeros((number, *self.values.shape[1:]))]))

    def copy(self) -> Sums:
        """An independent copy."""
        return Sums(self.values.copy())
