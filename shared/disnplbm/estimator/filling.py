"""Sparse tables with their missing cells filled in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.errors import InputError
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import impute_cells
from disnplbm.posterior.typed_imputation import TypedImputation, find_missing, impute_typed


def fill_sparse(draws: Draws, rows: csr_array, order: NDArray[np.intp] | slice, *, sparse: bool) -> tuple[Any, Any]:
    """Fill in the missing cells of the fitted table.

    Parameters
    ----------
    rows : csr_array of shape (n, p)
        NaN where missing.
    order : ndarray of int, or slice
        Where the fitted rows stand among them.
    sparse : bool
        Whether the outcome is sparse too.

    Returns
    -------
    filled, sure : ndarray or csr_array of shape (n, p)
        The table, of words if these were fitted, and the standard deviation of each cell that was missing; of a
        category, its probability. The latter is 0 elsewhere.
    """
    if rows.shape[0] != draws.n_rows:
        raise InputError(f"X has {rows.shape[0]} rows; expected {draws.n_rows}, like the fitted table")
    found = _impute(draws, *find_missing(csr_array(rows[order])))
    place = np.arange(draws.n_rows)[order][found.row], found.column
    told = found.figures["sd" if "sd" in found.figures else "probability"]
    sure = csr_array((told, place), rows.shape)
    there = csr_array((np.nan_to_num(rows.data), rows.indices, rows.indptr), rows.shape)
    filled = csr_array(there + csr_array((found.value, place), rows.shape))
    if (words := draws.meta.facts.get("words")) is not None:
        return np.array(words, dtype=object)[filled.toarray().astype(np.intp)], sure.toarray()
    return (filled, sure) if sparse else (filled.toarray(), sure.toarray())


def _impute(draws: Draws, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> TypedImputation:
    """What the draws say of missing cells; of real numbers, after the transform."""
    if draws.meta.cells != DENSE:
        return impute_typed(draws, rows, columns)
    found = impute_cells(draws, rows, columns)
    return TypedImputation(found.row, found.column, found.mean, {"mean": found.mean, "sd": found.sd})
