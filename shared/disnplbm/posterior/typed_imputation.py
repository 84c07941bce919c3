r"""Missing cells of counts, 0/1 and categories, and the density of cells that were held out.

Given a draw, a cell of block (z_i, w_j) follows its family under the posterior of the block's parameter:

    counts       mean e E[theta], variance e E[theta] + e^2 Var[theta], e the exposure of the cell
    categories   each with the posterior mean of its share

Over draws these are mixed; the variance is the mean of the variances plus the variance of the means. With a likelihood
power r the block knows its cells r times; the cell itself is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.predicting import CellMoments, predicting_type
from disnplbm.kernels.predictive import LogMean
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Draws

#: Numbers of missing cells that are held at a time.
NUMBERS_AT_ONCE = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class TypedImputation:
    """What the draws say of missing cells, in order of row and column.

    Parameters
    ----------
    row, column : ndarray of int, shape (M,)
    value : ndarray of shape (M,)
        To put into the cell: of counts and 0/1 the posterior mean, of categories the likeliest one.
    figures : dict of ndarray of shape (M,)
        What is told of the cell: "mean" and "sd"; of categories, the "probability" of the value.
    """

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    value: Floats
    figures: dict[str, Floats]

    def __len__(self) -> int:
        return len(self.row)


def find_missing(table: csr_array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the missing cells of a sparse table, in order of both."""
    at = np.flatnonzero(np.isnan(table.data))
    rows = np.searchsorted(table.indptr, at, side="right") - 1
    columns = table.indices[at].astype(np.int64)
    order = np.lexsort((columns, rows))
    return rows[order].astype(np.int64), columns[order]


def impute_typed(draws: Draws, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> TypedImputation:
    """What the draws say of cells at some places of the fitted table, shape (M,) each, as if they were missing."""
    cell_type, facts, family = predicting_type(draws.meta.cells), draws.meta.facts, _family(draws)
    nowhere = np.empty(0, dtype=np.int64)
    figures = cell_type.moments(family, family.empty((0,)), nowhere, nowhere, facts).means.shape[1]
    step = max(1, NUMBERS_AT_ONCE // figures)
    value, told = np.empty(len(rows)), dict[str, Floats]()
    for start in range(0, max(len(rows), 1), step):
        part = slice(start, start + step)
        i, j = rows[part], columns[part]
        mean, between, within = (np.zeros((len(i), figures)) for _ in range(3))
        for number, draw in enumerate(draws, start=1):
            blocks = Sums(draw.blocks.values[draw.row_labels[i], draw.column_labels[j]])
            found = cell_type.moments(family, blocks, i, j, facts)
            difference = found.means - mean
            mean += difference / number
            between += difference * (found.means - mean)
            within += found.variances
        mixed = CellMoments(mean, (within + between) / len(draws))
        value[part], of_part = cell_type.fill(mixed, facts)
        for name, numbers in of_part.items():
            told.setdefault(name, np.empty(len(rows)))[part] = numbers
    return TypedImputation(rows, columns, value, told)


def typed_cell_log_density(
    draws: Draws, rows: NDArray[np.int64], columns: NDArray[np.int64], values: ArrayLike
) -> Floats:
    """Log of the mean over draws of the probability of each given cell at its place, by itself.

    Parameters
    ----------
    rows, columns : ndarray of int, shape (M,)
    values : array-like of shape (M,) or (M, 1)
        None missing.

    Raises
    ------
    InputError
        A value is missing or none of the fitted kind, or there is another number of them.
    """
    cells = np.asarray(values, dtype=np.float64)
    cells = cells[:, 0] if cells.ndim == 2 and cells.shape[1] == 1 else cells
    if cells.shape != rows.shape:
        raise InputError(f"the cells have shape {cells.shape}; expected {rows.shape}")
    if not np.isfinite(cells).all():
        raise InputError("a cell to be scored is missing or infinite; leave it out")
    cell_type, facts = predicting_type(draws.meta.cells), draws.meta.facts
    wrong, allowed = cell_type.refuse_new(cells, facts)
    if wrong.any():
        raise InputError(f"{cells[wrong][0]:g} is not one of the {cell_type.noun}, which are {allowed}; leave it out")
    items, constants = cell_type.single_cells(rows, columns, cells, facts)
    family = _family(draws).tempered(1.0)
    mean = LogMean(len(cells))
    for draw in draws:
        blocks = Sums(draws.power * draw.blocks.values[draw.row_labels[rows], draw.column_labels[columns]])
        mean.add_logs(family.log_marginals(family.merge(blocks, items)) - family.log_marginals(blocks))
    return np.asarray(mean.result(len(draws)) + constants)


def _family(draws: Draws) -> ExponentialFamily:
    return cast(ExponentialFamily, draws.meta.family)
