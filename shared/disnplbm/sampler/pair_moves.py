r"""Pair moves: whole clusters merge and split.

Choose items i and j uniformly, i != j. In different clusters a and b: propose to merge them. In one cluster: propose
to split it, i and j apart, every other member on i's side with probability v, v ~ U(0, 1). Integrated over v, the
probability of a split into sizes (n_a, n_b) is Gamma(n_a) Gamma(n_b) / Gamma(n_a + n_b): it cancels the same factor of
the Chinese restaurant process, and what is left is

    log A_merge = sum_g [ LM(a and b) - LM(a) - LM(b) ] - log alpha      log A_split = - log A_merge of the two halves

(under another prior than the Chinese restaurant process, the ratio of its probabilities stands for log alpha), so that
the move leaves the posterior unchanged. A split needs the items: rows take part with one shard only.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disnplbm.kernels.choice import accept, log_gammas
from disnplbm.kernels.partition_prior import PartitionPrior, log_split
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.naming import locate_errors

#: Blocks of the two sides of a split: the argument gives each item's side, or -1.
Halves = Callable[[Labels], ClusterBlocks]


def move_pairs(
    labels: Labels,
    blocks: ClusterBlocks,
    halves: Halves,
    partition_prior: PartitionPrior,
    generator: np.random.Generator,
    tries: int,
) -> Labels:
    """Merge and split clusters; this leaves the posterior of the partition unchanged.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
    blocks : ClusterBlocks
        Of the K clusters.
    halves : callable
        Gives the blocks of the two sides of a proposed split.
    partition_prior : PartitionPrior
        Prior of the partition.

    Returns
    -------
    ndarray of int32, shape (n,)
        New labels; numbers without members may be among 0..max.
    """
    labels, blocks = labels.copy(), blocks.copy()
    marginals = blocks.log_marginals()
    sizes = np.bincount(labels, minlength=len(marginals))
    for _ in range(tries):
        (i, j), uniform = _draw_two_items(generator, len(labels)), generator.random()
        a, b = labels[i], labels[j]
        if a != b:
            joint = blocks.log_marginal_together(a, b)
            gained = _log_gain(sizes[a], sizes[b], int(np.count_nonzero(sizes)) - 1, partition_prior)
            with locate_errors(i):
                accepted = accept(float(joint - marginals[a] - marginals[b] - gained), uniform)
            if accepted:
                labels[labels == b] = a
                sizes[a], sizes[b] = sizes[a] + sizes[b], 0
                blocks.take_in(a, b)
                marginals[a], marginals[b] = joint, 0.0
            continue
        members = np.flatnonzero(labels == a)
        to_j = generator.random(len(members)) >= generator.random()
        side = np.full(len(labels), -1, dtype=np.int32)
        side[members] = to_j
        side[i], side[j] = 0, 1
        proposed = halves(side)
        parts = proposed.log_marginals()
        halved = np.bincount(side[members])
        gained = _log_gain(halved[0], halved[1], int(np.count_nonzero(sizes)), partition_prior)
        with locate_errors(i):
            accepted = accept(float(parts.sum() - marginals[a] + gained), uniform)
        if accepted:
            labels[side == 1] = len(marginals)
            sizes[a], sizes = halved[0], np.append(sizes, halved[1])
            blocks = blocks.extended(1)
            blocks[a], blocks[-1] = proposed[0], proposed[1]
            marginals = np.append(marginals, parts[1])
            marginals[a] = parts[0]
    return labels


def _log_gain(a: int, b: int, occupied: int, partition_prior: PartitionPrior) -> float:
    """Log ratio of the prior of a partition to that with two clusters merged, less the log chance of their sides."""
    of_a, of_b, of_both = log_gammas([a, b, a + b])
    return log_split(a, b, occupied, partition_prior) - float(of_a + of_b - of_both)


def _draw_two_items(generator: np.random.Generator, n: int) -> tuple[int, int]:
    """Draw two different items of n, in order of choice; the same one twice if n = 1."""
    i = int(generator.integers(n))
    j = int(generator.integers(max(n - 1, 1)))
    return i, j + (j >= i and n > 1)
