"""Cells that are not there: their posterior mean and spread, and the density of cells that were held out.

Given a draw, a cell of a block, or each part of it, follows Student's t (:mod:`disnplbm.families.gaussian.unseen`).
Over draws these are mixed; the variance is the mean of the variances plus the variance of the means. If a draw puts a
cell into a block that has no variance, its sd is NaN.

All this is for real numbers; for missing cells of other kinds see :mod:`disnplbm.posterior.typed_imputation`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.cell_types import DENSE
from disnplbm.errors import InputError
from disnplbm.kernels.predictive import LogMean
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.typed_imputation import typed_cell_log_density

#: Cells whose moments are gathered at a time.
CELLS_AT_ONCE = 2**16


@dataclass(frozen=True, slots=True, eq=False)
class Imputation:
    """A table with one record for each component of each missing cell, in order of row, column and component.

    Parameters
    ----------
    row, column, component : ndarray of int, shape (M,)
    mean, sd : ndarray of shape (M,)
        In the units of the (transformed) data; NaN where they do not exist.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    component: NDArray[np.int64]
    mean: Floats
    sd: Floats

    def __len__(self) -> int:
        return len(self.row)

    def records(self) -> Iterator[tuple[int, int, int, float, float]]:
        """The table's records as plain numbers, some thousands made at a time."""
        arrays = (self.row, self.column, self.component, self.mean, self.sd)
        for start in range(0, len(self), CELLS_AT_ONCE):
            yield from zip(*(array[start : start + CELLS_AT_ONCE].tolist() for array in arrays), strict=True)


def impute(draws: Draws, values: ArrayLike) -> Imputation:
    """Posterior mean and standard deviation of every missing cell of the fitted table.

    Parameters
    ----------
    values : array-like of shape (n, p, d)
        The fitted table. A cell with a NaN component is missing as a whole: what is left of it was not modelled.

    Raises
    ------
    InputError
        The shape does not fit the draws, or there are none.
    """
    table = np.asarray(values)
    expected = (draws.n_rows, draws.n_columns, draws.dimension)
    if table.shape != expected:
        raise InputError(f"the table has shape {table.shape}; expected {expected}, like the fitted data")
    rows, columns = np.nonzero(np.isnan(table).any(axis=-1))
    return impute_cells(draws, rows, columns)


def impute_cells(draws: Draws, rows: ArrayLike, columns: ArrayLike) -> Imputation:
    """Posterior mean and standard deviation of cells at the given places, shape (M,) each, as if they were missing."""
    i, j = _places(draws, rows, columns)
    d, size = draws.dimension, len(i)
    mean, between, within = np.zeros((size, d)), np.zeros((size, d)), np.zeros((size, d))
    for number, draw in enumerate(draws, start=1):
        centres, variances = draws.meta.numbers.cell_moments(draw.blocks)
        for start in range(0, size, CELLS_AT_ONCE):
            part = slice(start, start + CELLS_AT_ONCE)
            block = draw.row_labels[i[part]], draw.column_labels[j[part]]
            difference = centres[block] - mean[part]
            mean[part] += difference / number
            between[part] += difference * (centres[block] - mean[part])
            within[part] += variances[block]
    sd = np.sqrt((within + between) / len(draws))
    scale, centre = draws.frame.scale, draws.frame.centre
    return Imputation(
        np.repeat(i, d),
        np.repeat(j, d),
        np.tile(np.arange(d), size),
        (mean * scale + centre).ravel(),
        (sd * scale).ravel(),
    )


def cell_log_density(draws: Draws, rows: ArrayLike, columns: ArrayLike, values: ArrayLike) -> Floats:
    """Log of the mean over draws of the density of each given cell at its place, by itself.

    For cells that were held out (missing while the draws were made) this is their posterior predictive density.

    Parameters
    ----------
    rows, columns : array-like of int, shape (M,)
    values : array-like of shape (M, d)
        In the units of the (transformed) data, none missing.

    Returns
    -------
    ndarray of shape (M,)
        In the units of the (transformed) data.

    Raises
    ------
    InputError
        A place lies outside the fitted table, a value is missing, or there are no draws.
    """
    i, j = _places(draws, rows, columns)
    if draws.meta.cells != DENSE:
        return typed_cell_log_density(draws, i, j, values)
    cells = np.asarray(values, dtype=np.float64)
    if cells.shape != (len(i), draws.dimension):
        raise InputError(f"the cells have shape {cells.shape}; expected {(len(i), draws.dimension)}")
    if not np.isfinite(cells).all():
        raise InputError("a cell to be scored is missing or infinite; leave it out")
    framed = np.ascontiguousarray(draws.frame.enter(cells)).reshape(len(i), draws.prior.copies, -1)
    result = LogMean(len(i))
    for draw in draws:
        tables = draws.meta.numbers.density_tables(draw.blocks)
        result.add_cells(framed, draw.row_labels[i], draw.column_labels[j], tables)
    return np.asarray(result.result(len(draws)) + draws.frame.log_jacobian(1.0))


def _places(draws: Draws, rows: ArrayLike, columns: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if len(draws) == 0:
        raise InputError("there are no draws to predict from; fit again with ", Hint("draws"))
    i, j = np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
    if i.ndim != 1 or i.shape != j.shape:
        raise InputError(f"rows and columns of cells have shapes {i.shape} and {j.shape}; expected (M,) and (M,)")
    for name, places, length in (("row", i, draws.n_rows), ("column", j, draws.n_columns)):
        outside = (places < 0) | (places >= length)
        if outside.any():
            raise InputError(f"{name} {places[outside][0]} of a cell lies outside the fitted table of {length} {name}s")
    return i, j
