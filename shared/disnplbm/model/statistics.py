r"""Sufficient statistics of sets of cells, and how sets are merged and taken apart.

A set of N cells in R^d is summed up by its count N, its mean T and its scatter S = sum (x - T)(x - T)^T. Means and
scatters, unlike sums of squares, keep their digits when the data lie far from zero.

Merging (Chan, Golub and LeVeque 1983):

    N = Na + Nb      T = (Na Ta + Nb Tb) / N      S = Sa + Sb + Na Nb / N (Ta - Tb)(Ta - Tb)^T

Removing is the inverse. A set may be empty; its mean and scatter are then zero.

Where the numbers of a cell are taken to be independent (a *diagonal* covariance), only the diagonal of S is kept, and a
set is taken as d *parts*, one for each number: sets of cells in R^1, which share a count. With a full covariance a set
has one part, itself. Everything that weighs sets weighs their parts and adds up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Statistics:
    """Counts, means and scatters of an array of sets of cells.

    Parameters
    ----------
    count : ndarray of shape (...,)
        Number of observed cells of each set.
    mean : ndarray of shape (..., d)
        Mean of each set; zero where the set is empty.
    scatter : ndarray of shape (..., d, d), or (..., d)
        Sum of outer products of deviations from the mean, or the diagonal of it alone.
    """

    count: Floats
    mean: Floats
    scatter: Floats

    @classmethod
    def empty(cls, shape: tuple[int, ...], dimension: int, *, diagonal: bool = False) -> Statistics:
        """Statistics of empty sets, an array of the given shape."""
        of_scatter = (dimension,) if diagonal else (dimension, dimension)
        return cls(np.zeros(shape), np.zeros((*shape, dimension)), np.zeros((*shape, *of_scatter)))

    names: ClassVar[tuple[str, ...]] = ("count", "mean", "scatter")

    @classmethod
    def of_arrays(cls, count: Floats, mean: Floats, scatter: Floats) -> Statistics:
        """Statistics whose :attr:`arrays` these are; ValueError if they do not fit each other."""
        d = mean.shape[-1]
        of_scatter = (d,) if scatter.ndim == mean.ndim else (d, d)
        found = [(part.dtype, part.shape) for part in (count, mean, scatter)]
        if found != [(np.dtype(np.float64), count.shape + rest) for rest in ((), (d,), of_scatter)]:
            raise ValueError(f"statistics of arrays of {found}")
        return cls(count, mean, scatter)

    def empty_like(self, shape: tuple[int, ...]) -> Statistics:
        """Statistics of empty sets of such cells, an array of the given shape."""
        return Statistics.empty(shape, self.dimension, diagonal=self.diagonal)

    @property
    def dimension(self) -> int:
        """Dimension d of a cell."""
        return int(self.mean.shape[-1])

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array of sets."""
        return self.count.shape

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats]:
        """Counts, means and scatters."""
        return self.count, self.mean, self.scatter

    @property
    def row_shape(self) -> tuple[int, ...]:
        """Shape of the scatters of the sets at one place of the first axis."""
        return self.scatter.shape[1:]

    @property
    def n_bytes(self) -> int:
        """In memory."""
        return sum(array.nbytes for array in self.arrays)

    @property
    def diagonal(self) -> bool:
        """Whether only the diagonals of the scatters are kept."""
        return self.scatter.ndim == self.mean.ndim

    @property
    def squares(self) -> Floats:
        """Diagonals of the scatters, shape (..., d)."""
        return self.scatter if self.diagonal else np.diagonal(self.scatter, axis1=-2, axis2=-1)

    @property
    def parts(self) -> Statistics:
        """The parts of each set: where diagonal, shape (..., d) of one number each, else (..., 1) of d numbers."""
        if not self.diagonal:
            return Statistics(self.count[..., None], self.mean[..., None, :], self.scatter[..., None, :, :])
        count = np.broadcast_to(self.count[..., None], self.mean.shape)
        return Statistics(count, self.mean[..., None], self.scatter[..., None, None])

    @property
    def unfolded(self) -> Statistics:
        """Sets of shape (..., G), with their parts side by side: shape (..., G d) where diagonal, else the sets."""
        if not self.diagonal:
            return self
        count = np.repeat(self.count, self.dimension, axis=-1)
        shape = count.shape
        return Statistics(count, self.mean.reshape(*shape, 1), self.scatter.reshape(*shape, 1, 1))

    def folded(self, dimension: int) -> Statistics:
        """The inverse of :attr:`unfolded` for diagonal sets of that many numbers."""
        shape = (*self.shape[:-1], -1, dimension)
        count = np.ascontiguousarray(self.count.reshape(shape)[..., 0])
        return Statistics(count, self.mean.reshape(shape), self.scatter.reshape(shape))

    def __getitem__(self, index: Any) -> Statistics:
        """The sets at a NumPy index over the leading axes."""
        return Statistics(np.asarray(self.count[index]), self.mean[index], self.scatter[index])

    def __setitem__(self, index: Any, sets: Statistics) -> None:
        """Put other sets at a NumPy index over the leading axes."""
        self.count[index], self.mean[index], self.scatter[index] = sets.count, sets.mean, sets.scatter

    def put(self, index: NDArray[np.intp], sets: Statistics) -> Statistics:
        """These statistics, with other sets at some places of the first axis."""
        self[index] = sets
        return self

    @property
    def T(self) -> Statistics:
        """The sets of shape (a, b) as (b, a), contiguous."""
        return Statistics(
            np.ascontiguousarray(self.count.T),
            np.ascontiguousarray(np.swapaxes(self.mean, 0, 1)),
            np.ascontiguousarray(np.swapaxes(self.scatter, 0, 1)),
        )

    def extended(self, number: int) -> Statistics:
        """The same sets and that many empty ones behind them, along the first axis."""
        result = self.empty_like((self.shape[0] + number, *self.shape[1:]))
        result[: self.shape[0]] = self
        return result

    def copy(self) -> Statistics:
        """An independent copy."""
        return Statistics(self.count.copy(), self.mean.copy(), self.scatter.copy())


def outer(vector: Floats) -> Floats:
    """Outer product of each vector with itself, shape (..., d) to (..., d, d)."""
    return np.asarray(vector[..., :, None] * vector[..., None, :])


def unfolded_labels(labels: Labels, dimension: int) -> Labels:
    """Labels of shape (p,) for parts that stand side by side, shape (p d,): part a of group g is group g d + a."""
    return np.asarray(labels[:, None] * dimension + np.arange(dimension), dtype=np.int32).reshape(-1)


def _products(difference: Floats, sets: Statistics) -> Floats:
    """Products of deviations, shape (..., d), in the form of the sets' scatters."""
    return difference * difference if sets.diagonal else outer(difference)


def _for_scatter(factor: NDArray[Any], sets: Statistics) -> NDArray[Any]:
    """A factor for each set, shape (...,), with the axes of the sets' scatters."""
    return factor[..., None] if sets.diagonal else factor[..., None, None]


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    return np.divide(numerator, denominator, out=np.zeros_like(denominator), where=denominator > 0)


def merge(a: Statistics, b: Statistics) -> Statistics:
    """Statistics of the union of disjoint sets, element by element."""
    count = a.count + b.count
    share = _ratio(b.count, count)
    difference = b.mean - a.mean
    mean = a.mean + share[..., None] * difference
    scatter = a.scatter + b.scatter + _for_scatter(a.count * share, a) * _products(difference, a)
    return Statistics(count, mean, scatter)


def remove(whole: Statistics, part: Statistics) -> Statistics:
    """Statistics of what is left of a set when a subset is taken out, element by element.

    The diagonal of the scatter never goes negative, and a set that becomes empty is exactly empty.
    """
    count = whole.count - part.count
    left = count > 0
    share = _ratio(part.count, count)
    difference = part.mean - whole.mean
    mean = np.where(left[..., None], whole.mean - share[..., None] * difference, 0.0)
    scatter = whole.scatter - part.scatter - _for_scatter(whole.count * share, whole) * _products(difference, whole)
    scatter = np.where(_for_scatter(left, whole), scatter, 0.0)
    diagonal = scatter if whole.diagonal else np.einsum("...ii->...i", scatter)
    np.maximum(diagonal, 0.0, out=diagonal)
    return Statistics(np.where(left, count, 0.0), mean, scatter)


def summarise(values: Floats, *, diagonal: bool = False) -> Statistics:
    """Statistics of one set of cells.

    Parameters
    ----------
    values : ndarray of shape (m, d)
        Cells; one with a NaN component is missing and carries no information.
    diagonal : bool
        Whether only the diagonal of the scatter is kept.
    """
    dimension = values.shape[-1]
    seen = values[~np.isnan(values).any(axis=-1)]
    if len(seen) == 0:
        return Statistics.empty((), dimension, diagonal=diagonal)
    mean = seen.mean(axis=0)
    deviations = seen - mean
    scatter = (deviations**2).sum(axis=0) if diagonal else deviations.T @ deviations
    return Statistics(np.array(float(len(seen))), mean, scatter)


def aggregate(statistics: Statistics, labels: Labels, n_clusters: int, axis: int) -> Statistics:
    """Merge the sets of one axis that share a label.

    Parameters
    ----------
    statistics : Statistics of shape (a, b)
    labels : ndarray of int, length a (axis 0) or b (axis 1)
    n_clusters : int
        Number of labels; a label without members yields an empty set.
    axis : {0, 1}

    Returns
    -------
    Statistics of shape (n_clusters, b) or (a, n_clusters)
    """
    other = statistics.shape[1 - axis]
    shape = (n_clusters, other) if axis == 0 else (other, n_clusters)
    result = statistics.empty_like(shape)
    for item, label in enumerate(labels):
        source, target = ((item,), (label,)) if axis == 0 else ((slice(None), item), (slice(None), label))
        result[target] = merge(result[target], statistics[source])
    return result


def cells_by_group(values: Floats, groups: Labels, n_groups: int, *, diagonal: bool = False) -> Statistics:
    """Statistics of each item's cells in each group of the other axis: the twin of the kernel of the same name.

    Parameters
    ----------
    values : ndarray of shape (n, p, d)
    groups : ndarray of int, length p
        Label of each column.

    Returns
    -------
    Statistics of shape (n, n_groups)
    """
    n, _, dimension = values.shape
    result = Statistics.empty((n, n_groups), dimension, diagonal=diagonal)
    for i in range(n):
        for group in range(n_groups):
            result[i, group] = summarise(values[i, groups == group], diagonal=diagonal)
    return result


def cells_by_cluster(values: Floats, labels: Labels, n_clusters: int, *, diagonal: bool = False) -> Statistics:
    """Statistics of every column's cells in every row cluster: the twin of the kernel of the same name.

    Parameters
    ----------
    values : ndarray of shape (n, p, d)
    labels : ndarray of int, length n

    Returns
    -------
    Statistics of shape (n_clusters, p)
    """
    return cells_by_group(np.swapaxes(values, 0, 1), labels, n_clusters, diagonal=diagonal).T
