"""Clusters of rows that a column and a row had no part in, so that the column can be asked about them.

A fit puts rows together that happen to be alike in a column, and the column then seems to set them apart, even where
the table is noise. So rows and columns are dealt into folds. Each row goes to the cluster that fits it best by the
columns outside of a fold, and a cluster then consists of the rows outside of its own fold. Its cells in the fold then
tell nothing of where it went, unless the clusters do differ there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Choices, Family, Statistics
from disnplbm.kernels.choice import logs
from disnplbm.model.statistics import Labels
from disnplbm.sampler.shard import Shard

#: Folds that the columns are dealt into, and the rows too.
FOLDS = 5


def deal_folds(length: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The fold of each row or column: all folds alike in size, and dealt at random."""
    return np.asarray(generator.permutation(np.arange(length) % min(FOLDS, length)))


def cells_held_out(
    shard: Shard, labels: Labels, columns: Labels, generator: np.random.Generator, family: Family, own: Family
) -> Statistics:
    """Statistics of every column in clusters of rows that were found without it, shape (K, p).

    Parameters
    ----------
    shard : Shard
        All rows.
    labels : ndarray of int32, shape (n,)
        Clusters of the rows; a row of label -1 takes no part.
    columns : ndarray of int32, shape (p,)
        Clusters of the columns.
    family : Family
        That the rows are compared by.
    own : Family
        Of the cells.
    """
    number = int(labels.max()) + 1
    of_rows, of_columns = deal_folds(len(labels), generator), deal_folds(len(columns), generator)
    cells = shard.only_part.cells.by_cluster(
        np.where(labels < 0, -1, labels + number * of_rows).astype(np.int32), number * FOLDS
    )
    result: Statistics = own.empty((number, len(columns)))
    for fold in range(int(of_columns.max()) + 1):
        out = of_columns == fold
        found = _labels_without(shard, cells, labels, of_rows, columns, out, family)
        result[:, out] = shard.only_part.cells.by_cluster(found, number)[:, out]
    shard.drop_cache()
    return result


def _labels_without(
    shard: Shard,
    cells: Statistics,
    labels: Labels,
    folds: NDArray[np.int64],
    columns: Labels,
    out: NDArray[np.bool_],
    family: Family,
) -> Labels:
    """The cluster of each row by the columns that are not left out, and by the rows of the other folds.

    Parameters
    ----------
    cells : Statistics of shape (F K, p)
        Of every column in the clusters of each fold of rows.
    folds : ndarray of int64, shape (n,)
    out : ndarray of bool, shape (p,)
        These columns stand in a group of their own, of which no cluster knows anything.
    """
    number, groups = int(labels.max()) + 1, int(columns.max()) + 2
    grouped = np.where(out, np.int32(groups - 1), columns).astype(np.int32)
    blocks = family.aggregate(cells, grouped, groups, axis=1)
    blocks[:, groups - 1 :] = blocks.empty_like((blocks.shape[0], 1))
    fold_of_block = np.arange(blocks.shape[0]) // number
    choices = []
    for fold in range(int(folds.max()) + 1):
        others = np.flatnonzero(fold_of_block != fold)
        merged = family.aggregate(blocks[others], (others % number).astype(np.int32), number, axis=0)
        sizes = np.bincount(labels[(labels >= 0) & (folds != fold)], minlength=number)
        choices.append(Choices(family.mean_coefficients(merged), logs(sizes), np.ones(number)))
    result = np.empty_like(labels)
    for rows, items in shard.only_part.items(family, grouped, groups):
        here, own = result[rows], folds[rows]
        for fold, choice in enumerate(choices):
            np.copyto(here, family.likeliest(items, choice), where=own == fold)
    result[labels < 0] = -1
    return result
