"""Which part of a matrix is looked at, and how its rows and columns share the pixels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError

Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Span:
    """Positions [first, stop) of an axis, shown in so many pixels.

    Parameters
    ----------
    pixels : int
        No more than positions.
    """

    first: int
    stop: int
    pixels: int

    @classmethod
    def of(cls, axis: str, items: int, first: int, stop: int | None, pixels: int) -> Span:
        """A part of an axis of so many items; InputError if it is none."""
        stop = items if stop is None else stop
        if not 0 <= first < stop <= items:
            raise InputError(
                f"{axis} {first} to {stop} are no part of the {items} {axis}: choose 0 <= from < to <= {items}"
            )
        return cls(first, stop, min(pixels, stop - first))

    @property
    def length(self) -> int:
        """How many positions."""
        return self.stop - self.first

    def positions(self, most: int) -> Indices:
        """All positions; or about so many of them, as many of each pixel, at least one, at even distances."""
        if most >= self.length:
            return np.arange(self.first, self.stop)
        edges = self._edges()
        sizes = np.diff(edges)
        count = max(1, min(most // self.pixels, int(sizes.min())))
        # The middles of as many equal parts.
        within = (2 * np.arange(count, dtype=np.int64) + 1) * sizes[:, None] // (2 * count)
        return np.asarray((edges[:-1, None] + within).reshape(-1))

    def starts(self, positions: Indices) -> Indices:
        """Where in ascending positions the first one of each pixel is."""
        return np.searchsorted(positions, self._edges()[:-1]).astype(np.int64)

    def sizes(self, positions: Indices) -> Indices:
        """How many of ascending positions each pixel has."""
        return np.diff(np.append(self.starts(positions), len(positions)))

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Means over all positions of each pixel, of what the positions of the whole axis have."""
        edges = self._edges()
        return mean_between(values, edges[:-1], edges[1:])

    def _edges(self) -> Indices:
        """The first position of each pixel, and the end."""
        return self.first + -(-np.arange(self.pixels + 1, dtype=np.int64) * self.length // self.pixels)


def mean_between(values: NDArray[np.float64], start: Indices, stop: Indices) -> NDArray[np.float64]:
    """Means of stretches of values, of which none is empty."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return np.asarray((sums[stop] - sums[start]) / (stop - start))


def means(
    values: NDArray[np.float64], rows: Indices, columns: Indices
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of the observed cells of each pixel, and the share of missing ones.

    Parameters
    ----------
    values : ndarray of shape (a, b)
        NaN is missing.
    rows, columns : ndarray of int64
        Where each pixel's cells begin; none is empty.

    Returns
    -------
    mean, missing : ndarray of shape (row pixels, column pixels)
        The mean is NaN where no cell is observed.
    """
    absent = np.isnan(values)
    some = bool(absent.any())

    def summed(cells: NDArray[np.float64]) -> NDArray[np.float64]:
        by_row = np.add.reduceat(cells, rows, axis=0)
        return np.asarray(np.add.reduceat(by_row, columns, axis=1))

    sizes = np.outer(
        np.diff(np.append(rows, values.shape[0])).astype(float), np.diff(np.append(columns, values.shape[1]))
    )
    missing = summed(absent.astype(np.float64)) if some else np.zeros(sizes.shape)
    mean = np.full(sizes.shape, np.nan)
    observed = sizes - missing
    np.divide(summed(np.where(absent, 0.0, values) if some else values), observed, out=mean, where=observed > 0)
    return mean, missing / sizes
