"""How well each row fits its cluster: how much more probable it is there than in the next best one."""

from __future__ import annotations

import numpy as np

from disnplbm.families.base import Family, Statistics
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.shard import Shard


def margins(shard: Shard, labels: Labels, columns: Labels, blocks: Statistics, family: Family) -> Floats:
    """Log probability of a row's cells in its own cluster less that in the best of the others, shape (n,).

    NaN for a row of label -1, and where there is one cluster alone.

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
        Of the clusters of rows, in the clusters of the columns.
    """
    result = np.full(len(labels), np.nan)
    number = blocks.shape[0]
    if number < 2:
        return result
    marginals = family.log_marginals(blocks).sum(axis=1)
    for stretch in shard.stretches:
        own = labels[stretch]
        rows = shard.only_part.cells.by_group(stretch, columns, blocks.shape[1])
        gains = np.stack(
            [family.log_marginals(family.merge(rows, blocks[k])).sum(axis=1) - marginals[k] for k in range(number)],
            axis=1,
        )
        there = np.flatnonzero(own >= 0)
        mine = gains[there, own[there]]
        gains[there, own[there]] = -np.inf
        best = np.full(len(own), np.nan)
        best[there] = mine - gains[there].max(axis=1)
        result[stretch] = best
    return result
