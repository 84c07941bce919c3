r"""Merges of whole row clusters across shards, weighed by how much their rows overlap.

With several shards nobody holds all rows, so a split as a whole cannot be proposed and an exact pair move is out of
reach. What can be had is the acceptance ratio of a merge against the split that the data would guide: the one that
sends each row of the two clusters a and b to its side by its own probability. With n_C = n_a + n_b,

    log A = logGamma(n_C) - logGamma(n_a) - logGamma(n_b) - log alpha + sum_l [ LM(a and b) - LM(a) - LM(b) ] + log q

    log q = sum over the rows i of a and b of  log P(row i is where it is | it is in a or b).

A row's probabilities are at hand when it is swept, so log q costs next to nothing: each iteration pairs the clusters
at random, every shard adds up its rows' terms (the *overlap*, -log q, one number a cluster), and the master decides.
The split itself is never made, so the move leans towards fewer clusters. It is kept to where it is needed: clusters of
fewer than :data:`SMALLEST` rows empty by themselves, row by row, within a few sweeps, and are left alone.

Without log q a merge is all but certain (the partition's prior alone favours it by thousands); with the chance split
of :mod:`disnplbm.sampler.pair_moves` it is all but impossible for two clusters of 50,000 rows, however alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.kernels.choice import accept
from disnplbm.kernels.partition_prior import PartitionPrior, log_split
from disnplbm.model.statistics import Floats, Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.naming import locate_errors, noun_of
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.state import Broadcast

#: Rows that both clusters must have for a merge to be tried.
SMALLEST = 20

#: Iterations before the first merge. Clusters of a random start are mixtures at first, and a merge that nothing undoes
#: should judge what the sweeps made of them (case A16: of 20 clusters, 12 to 18 with merges at once, 19 or 20 so).
SETTLING = 20


class Pairs(NamedTuple):
    """The record of a broadcast: who may be merged with whom after the sweep."""

    partners: Labels  # (K,) the partner of each global cluster, or -1; (0,) in an iteration without merges

    @classmethod
    def none(cls) -> Pairs:
        """No merges."""
        return cls(np.zeros(0, dtype=np.int32))

    @classmethod
    def of(cls, broadcast: Broadcast) -> Pairs:
        """The pairs of a broadcast; RunError if it has another record."""
        # States of earlier versions have empty parts behind it, which were of another sampler.
        if not broadcast.record or not isinstance(broadcast.record[0], np.ndarray):
            raise RunError("a broadcast is damaged: its record has no partners")
        return cls(broadcast.record[0])


def draw_pairs(n_clusters: int, parameters: Parameters, iteration: int) -> Labels:
    """Draw partners at random, shape (n_clusters,); -1 for the odd one out."""
    order = random_generator(parameters.seed, parameters.chain, iteration, Role.PARTNERS).permutation(n_clusters)
    result = np.full(n_clusters, -1, dtype=np.int32)
    even = n_clusters // 2 * 2
    result[order[0:even:2]], result[order[1:even:2]] = order[1:even:2], order[0:even:2]
    return result


def merge_rows(
    joined: Joined,
    partners: Labels,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    iteration: int,
) -> Joined:
    """Merge pairs of row clusters, each with its own chance.

    Parameters
    ----------
    partners : ndarray of int32
        Of each cluster with a global id; empty in an iteration without merges.
    partition_prior : PartitionPrior
        Of the rows.
    """
    if not len(partners):
        return joined
    blocks = joined.blocks()
    into = decide_merges(joined.sizes, joined.overlap, blocks, partners, parameters, partition_prior, iteration)
    return joined.merged(into)


def decide_merges(
    sizes: NDArray[np.int64],
    overlap: Floats,
    blocks: ClusterBlocks,
    pairs: Labels,
    parameters: Parameters,
    partition_prior: PartitionPrior,
    iteration: int,
) -> Labels:
    """Decide on the merges of an iteration's pairs.

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
        Global clusters after the join; those that had an id stand first.
    overlap : ndarray of shape (K,)
    blocks : ClusterBlocks
        Of the same clusters.
    pairs : ndarray of int32
        Partner of each cluster that had an id.
    partition_prior : PartitionPrior
        Of the rows.

    Returns
    -------
    ndarray of int32, shape (K,)
        Where each cluster goes.
    """
    into = np.arange(len(sizes), dtype=np.int32)
    occupied = int(np.count_nonzero(sizes))
    uniforms = random_generator(parameters.seed, parameters.chain, iteration, Role.ROW_PAIRS).random(len(pairs))
    for a, b in enumerate(pairs):
        if b < a or min(sizes[a], sizes[b]) < SMALLEST:
            continue
        apart, together = blocks[[a, b]].log_marginal(), blocks.log_marginal_together(a, b)
        log_ratio = (
            together - apart - log_split(sizes[a], sizes[b], occupied - 1, partition_prior) - overlap[a] - overlap[b]
        )
        with locate_errors(a, f"{noun_of(parameters)} cluster"):
            accepted = accept(float(log_ratio), float(uniforms[a]))
        if accepted:
            into[b] = a
            occupied -= 1
    return into
