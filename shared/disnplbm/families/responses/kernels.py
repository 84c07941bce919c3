r"""Regressions of blocks, from packed sums.

The sums of a set of cells are those of v v' with v = (u, y): the lower triangle, row by row. So N stands first, then
the rest of A = sum u u', then B = sum u y, and C = sum y^2 last. With the prior's part added, M = L D L' with L of unit
diagonal (no root is taken). The last row of L holds the m of :mod:`disnplbm.model.regression` times the rows of L
above, the last number of D is 2 s, and the others have the product |Lambda|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from disnplbm.families.exponential.kernels import log_marginal
from disnplbm.kernels.compiler import OPTIONS, inlined, kernel
from disnplbm.kernels.special import log, log_gamma
from disnplbm.model.statistics import Floats

_LOG_2_PI = 1.8378770664093453


class ResponsePrior(NamedTuple):
    """Prior of the regression in a block, as the kernels read it."""

    sums: Floats  # (S,) Lambda0, Lambda0 b0, and b0' Lambda0 b0 + 2 s0, packed as the sums of cells are
    shape: float  # a0
    scale: float  # s0
    log_constant: float  # so that the log marginal of no cell is 0
    power: float


@inlined
def _start_of(i):  # type: ignore[no-untyped-def]
    """Place of the first number of a row of a packed triangle."""
    return i * (i + 1) // 2


@inlined
def _factor(prior, sums, factors, order):  # type: ignore[no-untyped-def]
    """Write L, and D on its diagonal, of the prior's sums and a set's; v has so many numbers."""
    for i in range(order):
        row = _start_of(i)
        pivot = prior.sums[row + i] + prior.power * sums[row + i]
        for j in range(i):
            above = _start_of(j)
            rest = prior.sums[row + j] + prior.power * sums[row + j]
            for t in range(j):
                rest -= factors[row + t] * factors[above + t]
            # L D, until the row is done.
            factors[row + j] = rest
        for j in range(i):
            scaled = factors[row + j] / factors[_start_of(j) + j]
            pivot -= scaled * factors[row + j]
            factors[row + j] = scaled
        factors[row + i] = pivot
    # No rounding takes away what the prior gives.
    factors[_start_of(order) - 1] = max(factors[_start_of(order) - 1], 2.0 * prior.scale)


@inlined
def _order_of(n_sums):  # type: ignore[no-untyped-def]
    """How many numbers v has that has so many sums."""
    order = 0
    while _start_of(order) < n_sums:
        order += 1
    return order


@overload(log_marginal, jit_options={**OPTIONS, "forceinline": True})
def _compile_log_marginal(prior, sums):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(prior, "instance_class", None) is not ResponsePrior:
        return None

    def of_regression(prior, sums):  # type: ignore[no-untyped-def]
        order, factors = _order_of(sums.size), np.empty(sums.size)
        _factor(prior, sums, factors, order)
        log_determinant = 0.0
        for i in range(order - 1):
            log_determinant += log(factors[_start_of(i) + i])
        number = prior.power * sums[0]
        shape, scale = prior.shape + 0.5 * number, 0.5 * factors[sums.size - 1]
        of_scale = log_gamma(shape) - shape * log(scale)
        return of_scale - 0.5 * (log_determinant + number * _LOG_2_PI) - prior.log_constant

    return of_regression


@kernel
def _regressions(prior, sums, gammas, normals, slopes, precisions):  # type: ignore[no-untyped-def]
    order = normals.shape[1] + 1
    factors, last = np.empty(sums.shape[1]), _start_of(order - 1)
    for m in range(sums.shape[0]):
        _factor(prior, sums[m], factors, order)
        precisions[m] = gammas[m] / (0.5 * factors[sums.shape[1] - 1])
        for i in range(order - 2, -1, -1):
            # The factor of the precision is L, transposed: the last of the coefficients is known first.
            value = factors[last + i] + normals[m, i] / np.sqrt(precisions[m] * factors[_start_of(i) + i])
            for j in range(i + 1, order - 1):
                value -= factors[_start_of(j) + i] * slopes[m, j]
            slopes[m, i] = value


class Regressions(NamedTuple):
    """Parameters of the regressions of some blocks."""

    slopes: Floats  # (..., q) of the covariates, the intercept first
    precisions: Floats  # (...) 1 / s2


def regressions(prior: ResponsePrior, sums: Floats, gammas: Floats, normals: Floats) -> Regressions:
    """Regressions from the posterior of blocks, by variates of theirs.

    Parameters
    ----------
    sums : ndarray of shape (..., S)
    gammas : ndarray of shape (...)
        Standard gamma variates of the posterior's shapes; these shapes themselves give the mean of 1 / s2.
    normals : ndarray of shape (..., q)
        Standard normal variates; zeros give the mean of the slopes.
    """
    slopes, precisions = np.empty(normals.shape), np.empty(gammas.shape)
    flat = np.ascontiguousarray(sums).reshape(-1, sums.shape[-1])
    q = normals.shape[-1]
    given = np.ascontiguousarray(gammas).reshape(-1), np.ascontiguousarray(normals).reshape(-1, q)
    _regressions(prior, flat, *given, slopes.reshape(-1, q), precisions.reshape(-1))
    return Regressions(slopes, precisions)


@kernel
def _spreads(prior, sums, covariates, result):  # type: ignore[no-untyped-def]
    order = covariates.shape[1] + 1
    factors, solved = np.empty(sums.shape[1]), np.empty(order)
    for m in range(sums.shape[0]):
        _factor(prior, sums[m], factors, order)
        total = 0.0
        for i in range(order - 1):
            value = covariates[m, i]
            for j in range(i):
                value -= factors[_start_of(i) + j] * solved[j]
            solved[i] = value
            total += value * value / factors[_start_of(i) + i]
        result[m] = total


def spreads(prior: ResponsePrior, sums: Floats, covariates: Floats) -> Floats:
    """The u' Lambda^-1 u of covariates u of shape (M, q) under the posterior of blocks, of sums of shape (M, S)."""
    result = np.empty(len(covariates))
    _spreads(prior, np.ascontiguousarray(sums), np.ascontiguousarray(covariates), result)
    return result


@kernel
def sum_cells(  # type: ignore[no-untyped-def]
    rows, row_labels, indptr, indices, responses, of_items, of_others, of_cells, others_first, column_labels, sums
):
    """Add the cells of some rows up, by labels of rows and of columns; a label of -1 is passed over.

    Parameters
    ----------
    rows : ndarray of int, shape (R,)
    row_labels : ndarray of int32, shape (R,)
    of_items, of_others, of_cells : ndarray of shapes (n, a), (p, b), (N, c)
        Covariates besides the intercept, in this order.
    others_first : bool
        Whether the covariates of columns come before the covariates of rows instead.
    column_labels : ndarray of int32, shape (p,)
    sums : ndarray of shape (K, G, S)
        Added to.
    """
    n_items, n_others, n_cells = of_items.shape[1], of_others.shape[1], of_cells.shape[1]
    at_items, at_others = 1 + (n_others if others_first else 0), 1 + (0 if others_first else n_items)
    at_cells, order = 1 + n_items + n_others, n_items + n_others + n_cells + 2
    v = np.empty(order)
    v[0] = 1.0
    for r in range(rows.size):
        i, k = rows[r], row_labels[r]
        if k < 0:
            continue
        for c in range(n_items):
            v[at_items + c] = of_items[i, c]
        for t in range(indptr[i], indptr[i + 1]):
            g = column_labels[indices[t]]
            if g < 0:
                continue
            for c in range(n_others):
                v[at_others + c] = of_others[indices[t], c]
            for c in range(n_cells):
                v[at_cells + c] = of_cells[t, c]
            v[order - 1] = responses[t]
            place = 0
            for a in range(order):
                for b in range(a + 1):
                    sums[k, g, place] += v[a] * v[b]
                    place += 1
