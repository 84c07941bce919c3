"""Who may merge with whom in the approach."""

from __future__ import annotations

import numpy as np

from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.collapsed.merges import draw_pairs
from disnplbm.sampler.parameters import Parameters

#: Clusters up to which all their pairs are compared.
COMPARED_UP_TO = 300


def partners_of(blocks: ClusterBlocks, parameters: Parameters, iteration: int) -> Labels:
    """Pairs at random, but for every other iteration, in which clusters meet that would gain most by a merge.

    Ten clusters and a spurious one have 55 pairs, of which chance meets the right one too seldom before the approach is
    over.
    """
    n_clusters = len(blocks)
    if iteration % 2 == 0 and 1 < n_clusters <= COMPARED_UP_TO:
        return _likely_pairs(blocks)
    return draw_pairs(n_clusters, parameters, iteration)


def _likely_pairs(blocks: ClusterBlocks) -> Labels:
    """Partners by the gain in log marginal of their merge, the best pair first."""
    first, second = np.triu_indices(len(blocks), 1)
    single = blocks.log_marginals()
    gain = blocks[first].merge(blocks[second]).log_marginals() - single[first] - single[second]
    result = np.full(len(blocks), -1, dtype=np.int32)
    for pair in np.argsort(-gain, kind="stable"):
        a, b = first[pair], second[pair]
        if result[a] < 0 and result[b] < 0:
            result[a], result[b] = b, a
    return result
