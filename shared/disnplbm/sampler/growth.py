"""How many clusters a sweep may open.

From a random start, every cluster is a mixture at first, and data that the model does not fit (sparse counts taken as
normal numbers, say) would rather have one cluster for every other row than stay in it: each of several shards opens
hundreds in the first sweep, the join has thousands to draw, and later iterations close them one by one. Time and memory
of an iteration are in proportion to the number of blocks, K L, so that this number gets a bound, :data:`MOST_BLOCKS`:
a sweep opens at most half of what is left up to it. What has more blocks already keeps them.

Only sweeps of several shards side by side are bounded: these are approximate as they are. Where the sweep is exact
(with one shard, or a part of one while the others rest), it opens what it draws; so it does under a limit of its own, a
symmetric Dirichlet.
"""

from __future__ import annotations

import math

from disnplbm.kernels.partition_prior import PartitionPrior

#: Blocks up to which sweeps of several shards open clusters.
MOST_BLOCKS = 10_000


def limit_openings(partition_prior: PartitionPrior, clusters: int, others: int, *, sweeps: int = 1) -> PartitionPrior:
    """Limit the prior of the partition for one sweep, so that no cluster is opened beyond what there is room for.

    Parameters
    ----------
    clusters : int
        That the sweep begins with.
    others : int
        Clusters of the other axis.
    sweeps : int
        Sweeps side by side that share the room.
    """
    if partition_prior.pseudo_count > 0.0:
        return partition_prior
    room = max(MOST_BLOCKS // others - clusters, 0)
    return partition_prior._replace(limit=min(partition_prior.limit, float(clusters + math.ceil(room / (2 * sweeps)))))
