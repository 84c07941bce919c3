"""Rows and columns of a cut, each in the cluster that fits it best.

A cut keeps clusters whole, so a row that its fine cluster held against the odds stays on the wrong side. A sweep looks
at every row, and then at every column, and puts it in the cluster where its log density is largest, the parameters of
each block at their posterior mean and the weight of a cluster its share of the members. The number of clusters stays.
The outcome is no level of the tree any more: whoever shows it keeps the cut beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.families.base import Choices, Family, Statistics
from disnplbm.kernels.choice import logs
from disnplbm.model.statistics import Labels
from disnplbm.sampler.shard import Shard

#: Sweeps at most; they stop when nothing moves.
SWEEPS = 10


@dataclass(frozen=True, slots=True, eq=False)
class Refined:
    """A refined level.

    Parameters
    ----------
    rows, columns : ndarray of int32, shapes (n,) and (p,)
        Branch of each, numbered as in the cuts. A branch may have lost all of its members.
    sweeps : int
        That were made.
    settled : bool
        Whether the last one moved nothing.
    """

    rows: Labels
    columns: Labels
    sweeps: int
    settled: bool


def refine(shards: Sequence[Shard], rows: Labels, columns: Labels, family: Family, sweeps: int = SWEEPS) -> Refined:
    """Put every row, then every column, in the cluster that fits it best, until none moves.

    Parameters
    ----------
    shards : sequence of Shard
        All shards of the data.
    rows, columns : ndarray of int32, shapes (n,) and (p,)
        Labels of the cuts; what was set aside, with -1, takes part in the first sweep.
    """
    rows, columns = np.array(rows, dtype=np.int32), np.array(columns, dtype=np.int32)
    n_rows, n_columns = int(rows.max()) + 1, int(columns.max()) + 1
    cells, complete = _cells_of(shards, rows, n_rows, family), shards[0].only_part.cells.complete
    if (columns < 0).any():
        columns = _best_columns(cells, columns, n_columns, family, complete=complete)
    for made in range(1, sweeps + 1):
        new_rows = _best_rows(shards, cells, rows, columns, n_columns, family)
        cells = _cells_of(shards, new_rows, n_rows, family)
        new_columns = _best_columns(cells, columns, n_columns, family, complete=complete)
        settled = np.array_equal(new_rows, rows) and np.array_equal(new_columns, columns)
        rows, columns = new_rows, new_columns
        if settled:
            return Refined(rows, columns, made, settled=True)
    return Refined(rows, columns, sweeps, settled=False)


def _cells_of(shards: Sequence[Shard], rows: Labels, n_clusters: int, family: Family) -> Statistics:
    """Statistics of every column in every row cluster, shape (K, p)."""
    total: Statistics | None = None
    for shard in shards:
        here = shard.only_part.cells.by_cluster(
            np.ascontiguousarray(rows[slice_of(shard.index, shard.n_shards)]), n_clusters
        )
        total = here if total is None else family.merge(total, here)
    assert total is not None
    return total


def _best_rows(
    shards: Sequence[Shard], cells: Statistics, rows: Labels, columns: Labels, n_columns: int, family: Family
) -> Labels:
    choices = _choices(family.aggregate(cells, columns, n_columns, axis=1), rows, family)
    result = np.empty_like(rows)
    for shard in shards:
        here = np.empty(shard.n_rows, dtype=np.int32)
        for stretch, items in shard.only_part.items(family, columns, n_columns):
            here[stretch] = family.likeliest(items, choices)
        result[slice_of(shard.index, shard.n_shards)] = here
    return result


def _best_columns(cells: Statistics, columns: Labels, n_columns: int, family: Family, *, complete: bool) -> Labels:
    items, there = cells.T, columns >= 0
    blocks = family.aggregate(items[there], columns[there], n_columns, axis=0)
    return family.likeliest(family.items(items, alike=complete), _choices(blocks, columns, family))


def _choices(blocks: Statistics, labels: Labels, family: Family) -> Choices:
    sizes = np.bincount(labels[labels >= 0], minlength=blocks.shape[0])
    return Choices(family.mean_coefficients(blocks), logs(sizes), np.ones(len(sizes)))
