"""Two classical co-clusterings of tables of counts, told the number of clusters.

- *Information* (Dhillon, Mallela and Modha 2003): the partitions whose table of blocks keeps most of the mutual
  information of rows and columns.
- *Modularity* (Ailem, Role and Nadif 2015): as many column clusters as row clusters, and in the blocks on the diagonal
  as much more than independence says as possible.

Both place all rows given the columns, then all columns given the rows, until nothing is gained; of several random
starts the best is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from disnplbm.model.statistics import Floats, Labels

STARTS, MOST_SWEEPS, LEAST_GAIN = 10, 100, 1e-9


@dataclass(frozen=True, eq=False)
class CoClustering:
    """Labels of both axes, and what was maximised."""

    rows: Labels
    columns: Labels
    objective: float


def by_information(counts: csr_array, number: int, seed: int) -> CoClustering:
    """Rows and columns in ``number`` clusters each, of the largest mutual information between the two."""
    shares = csr_array(counts / counts.sum())

    def weigh(sums: Floats, blocks: Floats) -> Floats:
        expected = blocks.sum(axis=1, keepdims=True) * blocks.sum(axis=0)
        lift = np.divide(blocks, expected, out=np.zeros_like(blocks), where=expected > 0)
        # What a cluster has never seen weighs against it, and rules it out for none.
        return np.asarray(sums @ np.log(np.maximum(lift, 1e-10)).T)

    def information(blocks: Floats) -> float:
        expected = blocks.sum(axis=1, keepdims=True) * blocks.sum(axis=0)
        there = blocks > 0
        return float((blocks[there] * np.log(blocks[there] / expected[there])).sum())

    return _best_of_starts(shares, number, seed, weigh, information)


def by_modularity(counts: csr_array, number: int, seed: int) -> CoClustering:
    """Rows and columns in ``number`` pairs of clusters, of the largest modularity."""
    shares = csr_array(counts / counts.sum())

    def weigh(sums: Floats, blocks: Floats) -> Floats:
        return sums - sums.sum(axis=1, keepdims=True) * blocks.sum(axis=0)

    def modularity(blocks: Floats) -> float:
        return float((np.diag(blocks) - blocks.sum(axis=1) * blocks.sum(axis=0)).sum())

    return _best_of_starts(shares, number, seed, weigh, modularity)


def _best_of_starts(
    shares: csr_array,
    number: int,
    seed: int,
    weigh: Callable[[Floats, Floats], Floats],
    objective: Callable[[Floats], float],
) -> CoClustering:
    """Climb from random starts; the best end.

    Parameters
    ----------
    weigh : callable
        How well each item fits each cluster, from the item's sums in the clusters of the other axis and from the table
        of blocks, whose first axis is the item's.
    objective : callable
        Of the table of blocks.
    """
    generator, by_column = np.random.default_rng(seed), csc_array(shares)
    ends = [_climb(shares, by_column, number, generator, weigh, objective) for _ in range(STARTS)]
    return max(ends, key=lambda end: end.objective)


def _climb(
    shares: csr_array,
    by_column: csc_array,
    number: int,
    generator: np.random.Generator,
    weigh: Callable[[Floats, Floats], Floats],
    objective: Callable[[Floats], float],
) -> CoClustering:
    n, p = shares.shape
    rows, columns = generator.integers(number, size=n), generator.integers(number, size=p)
    reached = -np.inf
    for _ in range(MOST_SWEEPS):
        of_rows = shares @ _indicators(columns, number)
        rows = weigh(of_rows, _indicators(rows, number).T @ of_rows).argmax(axis=1)
        of_columns = by_column.T @ _indicators(rows, number)
        columns = weigh(of_columns, _indicators(columns, number).T @ of_columns).argmax(axis=1)
        before, reached = reached, objective(_indicators(rows, number).T @ (shares @ _indicators(columns, number)))
        if reached - before < LEAST_GAIN:
            break
    return CoClustering(rows.astype(np.int32), columns.astype(np.int32), reached)


def _indicators(labels: NDArray[np.integer], number: int) -> Floats:
    return np.asarray(labels[:, None] == np.arange(number), dtype=np.float64)
