"""How far apart the draws of two chains are, beside the draws of one."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import PartitionSample
from disnplbm.posterior.screening import LEAST_ITEMS, pair_losses

#: Draws of each chain that are compared, and labels that all comparisons may look at, about.
COMPARED_DRAWS, COMPARISON_WORK = 24, 50_000_000


def separation(sample: PartitionSample, chain: NDArray[np.int64], loss: str) -> float:
    """How separate the two chains are whose draws differ most, from 0 (as alike as draws of one chain) to 1.

    That is 1 - within / between: the mean distance of two draws of one chain, from its first half and its second, over
    the mean distance of two draws of different chains. Both are estimated from some of the draws, and of the items.

    Parameters
    ----------
    chain : ndarray of int64, shape (S,)
        The chain of each draw.
    loss : {"vi", "binder"}
        The distance.

    Returns
    -------
    float
        0 for a single chain.
    """
    positions = [_spread(np.flatnonzero(chain == one)) for one in np.unique(chain)]
    if len(positions) == 1:
        return 0.0
    some = sample.of_draws(np.concatenate(positions))
    n_items = max(COMPARISON_WORK // some.n_draws**2, LEAST_ITEMS)
    if n_items < len(some.weights):
        some = some.of_types(*some.spread(n_items))
    between = pair_losses(some, np.arange(some.n_draws), loss_of(loss, some.n_items, some.n_draws)).astype(np.float64)
    ends = np.cumsum([0, *map(len, positions)])
    parts = [np.arange(first, stop) for first, stop in pairwise(ends)]
    within = [_mean(between, part[: len(part) // 2], part[len(part) // 2 :]) for part in parts]
    largest = 0.0
    for a, b in combinations(range(len(parts)), 2):
        apart = _mean(between, parts[a], parts[b])
        if apart > 0:
            largest = max(largest, 1.0 - (within[a] + within[b]) / (2 * apart))
    return largest


def _spread(draws: NDArray[np.intp]) -> NDArray[np.intp]:
    """Some of a chain's draws, evenly spread."""
    number = min(len(draws), COMPARED_DRAWS)
    return draws[np.arange(number) * len(draws) // number]


def _mean(distances: NDArray[np.float64], some: NDArray[np.intp], others: NDArray[np.intp]) -> float:
    return float(distances[np.ix_(some, others)].mean()) if len(some) and len(others) else 0.0
