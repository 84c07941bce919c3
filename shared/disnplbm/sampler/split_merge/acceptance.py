r"""How a split of a cluster in two, or a merge of two in one, is proposed and judged: of rows and of columns alike.

A try has two anchors, items i and j of one shard. i is drawn uniformly from the shard's items; then a coin decides for
a split, with j drawn from the shard's other items of i's cluster, or for a merge, with j drawn from its items of other
clusters. Let C be the cluster to split, or the union of the two to merge. In a split the other items of C are put on a
side one by one, independently, by a rule that depends on C, i and j alone:

- *guided*: with the log odds that the family launches (:meth:`disnplbm.families.base.FamilyOf.launch`); q = product of
  the probabilities of their sides;
- *by chance*: with probability v, v ~ U(0, 1), integrated over v:  q = Gamma(n_1) Gamma(n_2) / Gamma(n_C).

With n^e the items of the shard, n^e_C and n^e_1 those in C and on i's side, the acceptance ratios are

    log A_split = log p(z split) - log p(z) + sum_l [ LM_1 + LM_2 - LM_C ] - log q + log(n^e_C - 1) - log(n^e - n^e_1)
    log A_merge = - log A_split, with q evaluated at the present split.

A coin that shows split with another chance s than 1/2 adds log(1 - s) - log s to log A_split.

docs/split-merge.md derives them, and shows why several tries at once, on clusters that are all different, are exact.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.choice import log_gammas, logs
from disnplbm.kernels.partition_prior import PartitionPrior, log_split
from disnplbm.model.statistics import Labels
from disnplbm.sampler.cluster_blocks import ClusterBlocks


class Coins(NamedTuple):
    """Chances that decide what a try does."""

    split: float  # to split, rather than merge
    guided: float  # that the data guide the sides


FAIR = Coins(0.5, 0.5)


def choose_anchors(
    labels: Labels, coins: Coins, generator: np.random.Generator
) -> tuple[int, tuple[int, bool, float] | None]:
    """Choose anchor i, and j, whether the data guide the sides, and a uniform to spare; None where there is no j."""
    pick, split, place, guided, offset = generator.random(5)
    i = int(pick * len(labels))
    alike = labels == labels[i]
    candidates = np.flatnonzero(alike if split < coins.split else ~alike)
    candidates = candidates[candidates != i]
    if len(candidates) == 0:
        return i, None
    return i, (int(candidates[int(place * len(candidates))]), bool(guided < coins.guided), float(offset))


def log_selection(on_first: int, on_second: int, everyone: int, coins: Coins) -> float:
    """Log ratio of the chances to choose j: in the merge of the two sides against in the split of their union."""
    of_union, of_others = logs([on_first + on_second - 1, everyone - on_first])
    return float(of_union - of_others) + math.log((1.0 - coins.split) / coins.split)


def log_ratio_of_split(
    halves: ClusterBlocks,
    sizes: NDArray[np.int64],
    occupied: int,
    log_correction: float,
    partition_prior: PartitionPrior,
    *,
    guided: bool,
) -> float:
    """log A_split of two sides.

    Parameters
    ----------
    halves : ClusterBlocks
        Of the two sides.
    sizes : ndarray of int, shape (2,)
    occupied : int
        Clusters there are with the two sides in one.
    log_correction : float
        -log q of the guided sides, and the log ratio of the anchors' choice.
    """
    apart, together = halves.log_marginal(), halves.log_marginal_together(0, 1)
    first, second = float(sizes[0]), float(sizes[1])
    log_ratio = log_split(first, second, occupied, partition_prior) + apart - together + log_correction
    if not guided:
        of_first, of_second, of_both = log_gammas([first, second, first + second])
        log_ratio -= float(of_first + of_second - of_both)
    return log_ratio
