"""How close partitions are to known classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def contingency(
    truth: Sequence[object] | NDArray[np.generic], labels: Sequence[object] | NDArray[np.generic]
) -> NDArray[np.float64]:
    """Counts of each pair of class and label, shape (number of classes, number of labels)."""
    _, a = np.unique(np.asarray(truth), return_inverse=True)
    _, b = np.unique(np.asarray(labels), return_inverse=True)
    table = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
    np.add.at(table, (a, b), 1.0)
    return table


def partition_scores(
    truth: Sequence[object] | NDArray[np.generic], labels: Sequence[object] | NDArray[np.generic]
) -> tuple[float, float]:
    """Adjusted Rand index and normalised mutual information (arithmetic mean) of two partitions."""
    table = contingency(truth, labels)
    # Rows as the only axis: the index of the cells of one column.
    return block_ari(table, np.ones((1, 1))), _normalised_information(table)


def _normalised_information(table: NDArray[np.float64]) -> float:
    """Mutual information over the mean of the two entropies; 1 if both partitions are a single cluster."""

    def entropy(counts: NDArray[np.float64]) -> float:
        shares = counts[counts > 0] / table.sum()
        return float(-(shares * np.log(shares)).sum())

    truth, labels = entropy(table.sum(axis=1)), entropy(table.sum(axis=0))
    if truth + labels == 0.0:
        return 1.0
    return min(max(2.0 * (truth + labels - entropy(table)) / (truth + labels), 0.0), 1.0)


def block_ari(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> float:
    """Adjusted Rand index of two partitions of the cells into blocks.

    The contingency table of the cells is the outer product of the tables of rows and columns, so its sums of squares
    are products, and the cells need not be listed.

    Parameters
    ----------
    rows, columns : ndarray of shape (classes, labels)
        Contingency tables.
    """

    def squares(axis: int | None) -> float:
        if axis is None:
            return float((rows**2).sum() * (columns**2).sum())
        return float((rows.sum(axis=axis) ** 2).sum() * (columns.sum(axis=axis) ** 2).sum())

    return adjusted_rand(float(rows.sum() * columns.sum()), squares(None), squares(1), squares(0))


def adjusted_rand(items: float, both: float, truth: float, labels: float) -> float:
    """Adjusted Rand index of two partitions.

    Parameters
    ----------
    items : float
        How many there are.
    both, truth, labels : float
        Sums of the squares of the contingency table's counts, of its sums over labels, and of its sums over classes.
    """
    both, truth, labels = ((squares - items) / 2 for squares in (both, truth, labels))
    pairs = items * (items - 1) / 2
    expected = truth * labels / pairs if pairs > 0 else 0.0
    largest = (truth + labels) / 2
    return 1.0 if largest == expected else (both - expected) / (largest - expected)
