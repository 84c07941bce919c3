r"""Pair moves: whole clusters merge and split.

Choose items i and j uniformly, i != j. In different clusters a and b: propose to merge them. In one cluster: propose
to split it, i and j apart, every other member on i's side with probability v, v ~ U(0, 1). Integrated over v, the
probability of a split into sizes (n_a, n_b) is Gamma(n_a) Gamma(n_b) / Gamma(n_a + n_b): it cancels the same factor of
the Chinese restaurant process, and what is left is

    log A_merge = sum_g [ LM(a and b) - LM(a) - LM(b) ] - log alpha          log A_split = - that of the two halves

so that the move leaves the posterior unchanged. A merge needs the blocks alone; a split needs the items.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.blocks import Hyper
from disnplbm.kernels.choice import accept, logs
from disnplbm.kernels.marginal import log_marginals
from disnplbm.model.statistics import Floats, Labels, Statistics, merge

#: Block statistics, shape (2, G), of the two sides of a split: the argument gives each item's side, or -1.
Halves = Callable[[Labels], Statistics]


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """A partition as pair moves see it; a cluster that lost its members keeps its number.

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
    blocks : Statistics of shape (K, G)
    into : ndarray of int32, shape (K0,)
        Where each of the clusters at the start is now.
    """

    sizes: NDArray[np.int64]
    blocks: Statistics
    into: Labels


def merge_moves(
    sizes: NDArray[np.int64],
    blocks: Statistics,
    hyper: Hyper,
    concentration: float,
    generator: np.random.Generator,
    tries: int,
) -> Partition:
    """Merges alone, from block statistics: what a master can do at any number of shards.

    Nothing here splits, so there is no balance to keep by choosing items: two clusters are chosen uniformly, which
    finds the partner of a small stray cluster soon (choosing by rows takes n / size times as long).

    Parameters
    ----------
    sizes : ndarray of int64, shape (K,)
    blocks : Statistics of shape (K, G)
    hyper : Hyper
    concentration : float
    generator : numpy.random.Generator
    tries : int
    """
    sizes, blocks = sizes.copy(), blocks.copy()
    into = np.arange(len(sizes), dtype=np.int32)
    occupied = np.flatnonzero(sizes)
    marginals = log_marginals(blocks, hyper).sum(axis=1)
    for _ in range(tries):
        (i, j), uniform = _two_items(generator, len(occupied)), generator.random()
        if i != j:
            a, b = occupied[i], occupied[j]
            if _try_merge(a, b, sizes, blocks, marginals, hyper, concentration, uniform, into):
                occupied = np.flatnonzero(sizes)
    return Partition(sizes, blocks, into)


def pair_moves(
    labels: Labels,
    blocks: Statistics,
    halves: Halves,
    hyper: Hyper,
    concentration: float,
    generator: np.random.Generator,
    tries: int,
) -> Labels:
    """Merges and splits; leaves the posterior of the partition unchanged.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
    blocks : Statistics of shape (K, G)
    halves : callable
        Gives the statistics of the two sides of a proposed split.
    hyper, concentration, generator, tries
        As in :func:`merge_moves`.

    Returns
    -------
    ndarray of int32, shape (n,)
        New labels; numbers without members may be among 0..max.
    """
    labels = labels.copy()
    sizes = np.bincount(labels, minlength=len(blocks.count)).astype(np.int64)
    blocks = blocks.copy()
    marginals = log_marginals(blocks, hyper).sum(axis=1)
    for _ in range(tries):
        (i, j), uniform = _two_items(generator, len(labels)), generator.random()
        a, b = labels[i], labels[j]
        if a != b:
            into = np.arange(len(sizes), dtype=np.int32)
            if _try_merge(a, b, sizes, blocks, marginals, hyper, concentration, uniform, into):
                labels[labels == b] = a
            continue
        members = np.flatnonzero(labels == a)
        to_j = generator.random(len(members)) >= generator.random()
        side = np.full(len(labels), -1, dtype=np.int32)
        side[members] = to_j
        side[i], side[j] = 0, 1
        proposed = halves(side)
        parts = log_marginals(proposed, hyper).sum(axis=1)
        if accept(float(parts.sum() - marginals[a] + logs([concentration])[0]), uniform):
            new = len(sizes)
            labels[side == 1] = new
            moved = int((side == 1).sum())
            sizes = np.append(sizes, moved)
            sizes[a] -= moved
            blocks = Statistics(
                np.append(blocks.count, proposed.count[1:], axis=0),
                np.append(blocks.mean, proposed.mean[1:], axis=0),
                np.append(blocks.scatter, proposed.scatter[1:], axis=0),
            )
            _put(blocks, a, proposed[0])
            marginals = np.append(marginals, parts[1])
            marginals[a] = parts[0]
    return labels


def _two_items(generator: np.random.Generator, n: int) -> tuple[int, int]:
    """Two different items of n, in order of choice; the same one twice if n = 1."""
    i = int(generator.integers(n))
    j = int(generator.integers(max(n - 1, 1)))
    return i, j + (j >= i and n > 1)


def _try_merge(
    a: int,
    b: int,
    sizes: NDArray[np.int64],
    blocks: Statistics,
    marginals: Floats,
    hyper: Hyper,
    concentration: float,
    uniform: float,
    into: Labels,
) -> bool:
    """Merge cluster b into a, in place, if the proposal is accepted."""
    both = merge(blocks[a], blocks[b])
    joint = log_marginals(both, hyper).sum()
    if not accept(float(joint - marginals[a] - marginals[b] - logs([concentration])[0]), uniform):
        return False
    _put(blocks, a, both)
    _put(blocks, b, Statistics.empty(both.shape, both.dimension))
    sizes[a], sizes[b] = sizes[a] + sizes[b], 0
    marginals[a], marginals[b] = joint, 0.0
    into[into == b] = a
    return True


def _put(blocks: Statistics, k: int, row: Statistics) -> None:
    blocks.count[k], blocks.mean[k], blocks.scatter[k] = row.count, row.mean, row.scatter
