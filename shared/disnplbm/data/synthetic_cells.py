"""Cells of synthetic tables that are no real numbers: counts, 0/1 and categories, of known blocks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

#: What `generate` makes besides real numbers, and which of them are written in sparse form.
KINDS = ("counts", "binary", "categorical")
SPARSE = ("counts", "binary")

#: Mean of the cells of a sparse table, unless another one is asked for.
MEAN = 0.1

#: Values of a categorical cell.
CATEGORIES = 4

#: Spread of the blocks' rates, as the standard deviation of their logarithms; a share of ones is at most this.
_SPREAD, _MOST = 1.0, 0.95

#: How near the mean of shares comes to what is asked for, as a share of it.
_NEAR = 1e-6

#: Draws of the blocks, of which the one with the clearest clusters is taken.
_TRIES = 100

#: Sizes of rows and of columns of counts: gamma distributed with a mean of 1 and these shapes.
_ROW_SHAPE, _COLUMN_SHAPE = 4.0, 2.0

#: Draws the cells of some rows.
Draw = Callable[[slice], NDArray[np.float64]]


def plant(
    kind: str,
    row_labels: NDArray[np.int64],
    column_labels: NDArray[np.int64],
    mean: float,
    generator: np.random.Generator,
) -> Draw:
    """Draw the blocks of a table, with clusters that differ well, and make what draws its cells.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    mean : float
        Of all cells, of counts and of 0/1. Rows and columns of counts differ in how much is counted in all.
    """
    shape = int(row_labels.max()) + 1, int(column_labels.max()) + 1
    if kind == "categorical":
        drawn = _draw_apart(lambda: generator.dirichlet(np.full(CATEGORIES, 0.5), size=shape), np.asarray)
        shares = drawn.cumsum(axis=-1)

        def draw_categories(rows: slice) -> NDArray[np.float64]:
            below = shares[np.ix_(row_labels[rows], column_labels)][..., :-1]
            return np.asarray((generator.random(below.shape[:2])[..., None] > below).sum(axis=-1), dtype=np.float64)

        return draw_categories
    looks = _without_totals if kind == "counts" else np.asarray
    rates = np.exp(_draw_apart(lambda: _SPREAD * generator.standard_normal(shape), looks))
    members = np.outer(np.bincount(row_labels), np.bincount(column_labels))
    rates *= mean / np.average(rates, weights=members)
    if kind == "binary":
        of_blocks = _shares_of(rates, mean, members)

        def draw_ones(rows: slice) -> NDArray[np.float64]:
            shares = of_blocks[np.ix_(row_labels[rows], column_labels)]
            return (generator.random(shares.shape) < shares).astype(np.float64)

        return draw_ones
    of_rows = generator.gamma(_ROW_SHAPE, 1.0 / _ROW_SHAPE, size=(len(row_labels), 1))
    of_columns = generator.gamma(_COLUMN_SHAPE, 1.0 / _COLUMN_SHAPE, size=len(column_labels))

    def draw_counts(rows: slice) -> NDArray[np.float64]:
        expected = rates[np.ix_(row_labels[rows], column_labels)] * of_rows[rows] * of_columns
        return generator.poisson(expected).astype(np.float64)

    return draw_counts


def _shares_of(rates: NDArray[np.float64], mean: float, cells: NDArray[np.int64]) -> NDArray[np.float64]:
    """Shares of ones as the rates are, each at most :data:`_MOST`, with a mean over all cells."""
    if mean > 0.5:
        # Few zeros are as few ones, the other way round.
        return 1.0 - _shares_of(rates * ((1.0 - mean) / mean), 1.0 - mean, cells)
    shares = np.minimum(rates, _MOST)
    while (found := float(np.average(shares, weights=cells))) < mean * (1.0 - _NEAR):
        shares = np.minimum(shares * (mean / found), _MOST)
    return shares


def _draw_apart(draw: Callable[[], NDArray[np.float64]], looks: Callable[[Any], Any]) -> NDArray[np.float64]:
    """Of several draws of blocks, shape (K, L, ...), the one whose most alike clusters look least alike."""
    tries = [draw() for _ in range(_TRIES)]
    return max(tries, key=lambda blocks: _least_distance(looks(blocks)))


def _least_distance(blocks: NDArray[np.float64]) -> float:
    """Distance of the two row clusters, or column clusters, that are most alike, for each block that they have."""
    sides = (side.reshape(len(side), -1) for side in (blocks, blocks.swapaxes(0, 1)))
    return min((float(pdist(side).min()) / np.sqrt(side.shape[1]) for side in sides if len(side) > 1), default=0.0)


def _without_totals(logs: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is left of logarithms of rates beside the totals of rows and columns."""
    return np.asarray(logs - logs.mean(axis=0) - logs.mean(axis=1, keepdims=True) + logs.mean())
