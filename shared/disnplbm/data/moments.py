"""Mean and covariance of all observed cells, merged chunk by chunk without loss of digits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.bounds import MOST_NUMBERS_FULL

#: Numbers taken in at a time.
STRETCH_NUMBERS = 2**17

#: Smallest eigenvalue of the correlation matrix below which components count as collinear.
COLLINEAR = 1e-9


class Moments:
    """Running mean and scatter of d-vectors (pairwise update of Chan, Golub and LeVeque 1983).

    Everything is counted from the first vector seen, so that numbers far from zero keep their digits. Sums are NumPy's
    own (pairwise) and not BLAS products, whose rounding depends on its number of threads.

    Attributes
    ----------
    count : int
        Vectors seen.
    scatter : ndarray, shape (d, d), or (d,)
        Sum of (x - mean)(x - mean)^T; of cells that are too many numbers for a full covariance, its diagonal.
    varies : ndarray of bool, shape (d,)
        Whether two vectors differed, by however little.
    """

    def __init__(self, dimension: int) -> None:
        self.count = 0
        self._full = dimension <= MOST_NUMBERS_FULL
        self.scatter = np.zeros((dimension, dimension) if self._full else dimension)
        self._origin = np.zeros(dimension)
        self._mean = np.zeros(dimension)
        self.varies = np.zeros(dimension, dtype=np.bool_)

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in cells (c, p, d); those with NaN are missing and left out."""
        # A few rows at a time, which stay in the processor's cache.
        step = max(1, STRETCH_NUMBERS // (values.shape[1] * values.shape[2]))
        for start in range(0, len(values), step):
            self._add(values[start : start + step])

    def _add(self, values: NDArray[np.float64]) -> None:
        d = len(self._mean)
        missing = np.isnan(values[:, :, 0])
        components = [values[:, :, k].ravel() if not missing.any() else values[:, :, k][~missing] for k in range(d)]
        n = len(components[0])
        if n == 0:
            return
        if self.count == 0:
            self._origin = np.array([component[0] for component in components])
        # Squares of huge numbers overflow to infinity, which `prepare` refuses.
        with np.errstate(over="ignore", invalid="ignore"):
            components = [component - origin for component, origin in zip(components, self._origin, strict=True)]
            self.varies |= [bool(component.any()) for component in components]
            mean = np.array([component.mean() for component in components])
            for component, m in zip(components, mean, strict=True):
                component -= m
            scatter = np.empty_like(self.scatter)
            for k in range(d):
                if not self._full:
                    scatter[k] = np.sum(components[k] * components[k])
                    continue
                for m in range(k + 1):
                    scatter[k, m] = scatter[m, k] = np.sum(components[k] * components[m])
            total = self.count + n
            delta = mean - self._mean
            products = np.outer(delta, delta) if self._full else delta * delta
            self._mean = self._mean + delta * (n / total)
            self.scatter = self.scatter + scatter + products * (self.count * (n / total))
            self.count = total

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean vector, shape (d,); zero when there are no vectors."""
        return self._origin + self._mean

    @property
    def covariance(self) -> NDArray[np.float64]:
        """Scatter divided by the number of vectors; zero when there are none."""
        return self.scatter / max(self.count, 1)


def collinear(covariance: NDArray[np.float64]) -> bool:
    """Whether, by their covariance of shape (d, d), one component is a linear combination of the others.

    Variances alone, shape (d,), do not tell: the answer is no.
    """
    if covariance.ndim == 1:
        return False
    spread = np.sqrt(np.diagonal(covariance))
    seen = spread > 0
    if seen.sum() < 2:
        return False
    correlation = covariance[np.ix_(seen, seen)] / np.outer(spread[seen], spread[seen])
    return bool(np.linalg.eigvalsh(correlation)[0] < COLLINEAR)
