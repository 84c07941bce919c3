"""Columns brought to mean 0 (center), and to standard deviation 1 as well (standardize)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.transforms.step import Cells, LinearStep, Progress, Table, constant_columns


@dataclass(frozen=True, eq=False)
class Center(LinearStep):
    """Subtracts from each column its mean.

    Attributes
    ----------
    center : ndarray, shape (p, d)
        Means of the observed cells; of a constant column the value itself, so that it becomes 0 exactly.
    """

    center: Cells
    kind: ClassVar[str] = "center"

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Find the means."""
        found = _column_moments(table)
        warned = constant_columns(table, found.constant & (found.count > 0), "constant: set to 0 by center")
        return cls(np.where(found.constant & (found.count > 0), found.low, found.mean)), warned

    def apply(self, values: Cells) -> Cells:
        """Subtract the means."""
        return np.asarray(values - self.center)

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Add the means."""
        return np.asarray(values + self.center)

    def slope(self, source: Cells) -> Cells:
        """The scale stays."""
        return np.ones_like(self.center)


@dataclass(frozen=True, eq=False)
class Standardize(LinearStep):
    """Brings each column to mean 0 and standard deviation 1.

    Attributes
    ----------
    center, scale : ndarray, shape (p, d)
        Mean and standard deviation (divisor: number of observed cells); scale 0 marks a constant column, which
        becomes 0.
    """

    center: Cells
    scale: Cells
    kind: ClassVar[str] = "standardize"

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Find means and standard deviations."""
        found = _column_moments(table)
        # Of a spread that underflows nothing is left to divide by.
        constant = found.constant | (found.scale == 0.0)
        warned = constant_columns(table, constant & (found.count > 0), "constant: set to 0 by standardize")
        return cls(found.mean, found.scale), warned

    def apply(self, values: Cells) -> Cells:
        """Subtract the means and divide by the standard deviations."""
        out = values - self.center
        out /= np.where(self.scale > 0, self.scale, 1.0)
        # Rounding of the mean would leave crumbs in a constant column.
        out[:, self.scale == 0] *= 0.0
        out += 0.0
        return out

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Multiply by the standard deviations and add the means."""
        return np.asarray(values * self.scale + self.center)

    def slope(self, source: Cells) -> Cells:
        """The standard deviations."""
        return self.scale


@dataclass(frozen=True, eq=False)
class _Moments:
    """Of each column, shape (p, d): observed cells, smallest value, mean, standard deviation (0 if constant)."""

    count: Cells
    low: Cells
    mean: Cells
    scale: Cells
    constant: NDArray[np.bool_]


def _column_moments(table: Table) -> _Moments:
    """Means and standard deviations of the columns, merged chunk by chunk (Chan, Golub and LeVeque 1983).

    Means are counted from the first one seen, so that numbers far from zero keep their digits.
    """
    shape = (table.p, table.dimension)
    low, high = np.full(shape, np.inf), np.full(shape, -np.inf)
    for _, values in table.arrays():
        low = np.minimum(low, np.fmin.reduce(values, axis=0, initial=np.inf))
        high = np.maximum(high, np.fmax.reduce(values, axis=0, initial=-np.inf))
    unit = power_of_two_above(np.maximum(np.abs(low), np.abs(high)))
    count, origin, mean, squares = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for _, raw in table.arrays():
        values = raw / unit
        seen = ~np.isnan(values)
        n = seen.sum(axis=0, dtype=np.float64)
        here = np.maximum(n, 1.0)
        origin = np.where((count == 0) & (n > 0), np.where(seen, values, 0.0).sum(axis=0) / here, origin)
        shifted = np.where(seen, values - origin, 0.0)
        m = shifted.sum(axis=0) / here
        s = (np.where(seen, shifted - m, 0.0) ** 2).sum(axis=0)
        total = np.maximum(count + n, 1.0)
        delta = m - mean
        mean += delta * n / total
        squares += s + delta**2 * count * n / total
        count += n
    constant = low >= high
    scale = np.where(constant, 0.0, np.sqrt(squares / np.maximum(count, 1.0)) * unit)
    return _Moments(count, low, (origin + mean) * unit, scale, constant)


def power_of_two_above(largest: Cells) -> Cells:
    """Powers of two to divide by: they change no digit, and keep squares of huge and of tiny numbers in range."""
    usable = np.isfinite(largest) & (largest > 0)
    return np.asarray(np.exp2(np.clip(np.floor(np.log2(np.where(usable, largest, 1.0))) + 2, -1021, 1023)))
