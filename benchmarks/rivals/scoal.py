"""Plain SCOAL: simultaneous co-clustering and linear regression with K and L given (Deodhar and Ghosh, 2010).

Blocks have a least-squares regression each. In turn, every row goes to the row cluster under whose regressions its seen
cells have the least squared error, every column likewise, and the regressions are fitted anew, until the squared error
falls no more. The best of several random starts is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: A trace of ridge, so that a block of few cells has a regression too.
RIDGE = 1e-3

_ROUNDS = 100


@dataclass(frozen=True)
class Scoal:
    """Row and column clusters, and the coefficients of each block."""

    row_labels: NDArray[np.int64]  # (n,)
    column_labels: NDArray[np.int64]  # (p,)
    slopes: Floats  # (K, L, q)
    error: float  # squared, over the seen cells

    def predict(self, u: Floats) -> Floats:
        """Responses at covariates of shape (n, p, q)."""
        return np.asarray((self.slopes[self.row_labels][:, self.column_labels] * u).sum(axis=-1))


def scoal(u: Floats, y: Floats, k: int, length: int, *, restarts: int = 10, seed: int = 0) -> Scoal:
    """Co-cluster responses, shape (n, p) and NaN where missing, with covariates of shape (n, p, q), the first one 1."""
    generator = np.random.default_rng(seed)
    return min((_descend(u, y, k, length, generator) for _ in range(restarts)), key=lambda found: found.error)


def _descend(u: Floats, y: Floats, k: int, length: int, generator: np.random.Generator) -> Scoal:
    rows, columns = generator.integers(k, size=len(y)), generator.integers(length, size=y.shape[1])
    best = np.inf
    for _ in range(_ROUNDS):
        slopes = _regress(u, y, rows, columns, k, length)
        # (n, K): what the seen cells of a row miss under each cluster of rows.
        rows = np.stack([_missed(u, y, slopes[r][columns], axis=1) for r in range(k)], axis=1).argmin(axis=1)
        slopes = _regress(u, y, rows, columns, k, length)
        of_columns = [_missed(u, y, slopes[:, c][rows][:, None], axis=0) for c in range(length)]
        columns = np.stack(of_columns, axis=1).argmin(axis=1)
        slopes = _regress(u, y, rows, columns, k, length)
        error = float(np.nansum((y - (slopes[rows][:, columns] * u).sum(axis=-1)) ** 2))
        if error >= best * (1.0 - 1e-9):
            break
        best = error
    return Scoal(rows, columns, slopes, error)


def _regress(u: Floats, y: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64], k: int, length: int) -> Floats:
    slopes, q = np.empty((k, length, u.shape[-1])), u.shape[-1]
    for r, c in np.ndindex(k, length):
        here = ~np.isnan(y) & np.outer(rows == r, columns == c)
        a, b = u[here], y[here]
        slopes[r, c] = np.linalg.solve(a.T @ a + RIDGE * np.eye(q), a.T @ b)
    return slopes


def _missed(u: Floats, y: Floats, slopes: Floats, axis: int) -> Floats:
    return np.asarray(np.nansum((y - (slopes * u).sum(axis=-1)) ** 2, axis=axis))
