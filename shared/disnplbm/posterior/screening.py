"""The draws that come nearest to all draws.

Comparing every draw with every other one on every item costs n S^2. Instead the different partitions among the draws
compete: all of them on a few items, the better quarter on four times as many, and so on; only the last few are
compared on all items. A draw can lose an early round by the choice of items: the first rounds rank by an estimate,
the last by the exact loss.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.posterior.losses import Integers, Loss
from disnplbm.posterior.partition_sample import PartitionSample

#: Labels that one round looks at, and the fewest items a comparison rests on.
ROUND_WORK, LEAST_ITEMS = 100_000_000, 256


def pair_losses(sample: PartitionSample, candidates: NDArray[np.int64], loss: Loss) -> Integers:
    """Loss between each of C draws and every draw, in units of the loss, shape (C, S)."""
    terms = sample.draw_terms(loss)
    shared = sample.sum_overlaps(sample.labels[candidates], sample.clusters[candidates], loss)
    return terms[candidates][:, None] + terms - 2 * shared


def best_draws(sample: PartitionSample, loss: Loss, keep: int, work: int = ROUND_WORK) -> NDArray[np.int64]:
    """The draws of smallest expected loss, best first, one of each partition.

    Parameters
    ----------
    keep : int
        At most so many.
    work : int
        Labels that a round may look at, about.

    Returns
    -------
    ndarray of int64, shape (at most keep,)
    """
    candidates = sample.distinct()
    while True:
        n_items = max(work // (len(candidates) * sample.n_draws), LEAST_ITEMS)
        last = len(candidates) <= keep or n_items >= len(sample.weights)
        part = sample if last else sample.of_types(*sample.spread(n_items))
        expected = pair_losses(part, candidates, loss).sum(axis=1)
        best_first = candidates[np.argsort(expected, kind="stable")]
        if last:
            return best_first[:keep]
        candidates = best_first[: max(keep, len(candidates) // 4)]
