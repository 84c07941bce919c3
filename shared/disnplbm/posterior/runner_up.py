"""The second answer, where the posterior has two.

Two of the draws are taken as medoids: the best draw, and the one that, named beside it, lowers the mean loss to the
nearer of the two most. (Draws are compared with draws: each carries its own noise, which makes it further from all
others than the consensus is.) The draws nearer to the medoid that is further from the consensus C form the second
group, and its consensus is the second answer R. Every draw is then compared with C and R themselves: how much nearer
it is to R than to C, a number x. R is reported if

- at least :data:`LEAST_SHARE` of the draws, and two of them, are nearer to R (x > 0),
- the x of these and the x of the others are two heaps: their means are further apart than :data:`LEAST_GAP` times the
  sum of their standard deviations (1.3 for a normal distribution cut in the middle, 1.7 for a uniform one), and
- at least :data:`LEAST_MOVED` of the items are placed differently.

Around a single answer every draw is off in its own way, and a group's consensus is C again. Doubts about single items
are told by their confidence, not by a second partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, pstdev

import numpy as np
from numpy.typing import NDArray

from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Labels
from disnplbm.parts import join_labels
from disnplbm.posterior.losses import Loss, shares_of
from disnplbm.posterior.partition_sample import PartitionSample
from disnplbm.posterior.refinement import settled
from disnplbm.posterior.screening import LEAST_ITEMS, best_draws, pair_losses

#: Smallest share of draws nearer to a second answer, gap between the two heaps, and share of items placed differently.
LEAST_SHARE, LEAST_GAP, LEAST_MOVED = 0.1, 2.0, 0.05

#: Labels that the search for the second medoid may look at, about.
MEDOID_WORK = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class RunnerUp:
    """A second answer.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Canonical.
    share : float
        Share of the draws that are nearer to it than to the consensus.
    distance : float
        Loss between it and the consensus (nats for "vi").
    moved : float
        Share of the items placed differently: see :func:`share_moved`.
    """

    labels: Labels
    share: float
    distance: float
    moved: float


def runner_up(sample: PartitionSample, types: Labels, labels: Labels, loss: Loss) -> RunnerUp | None:
    """The second answer beside a consensus; None where the draws gather around one.

    Parameters
    ----------
    sample : PartitionSample
    types : ndarray of int32, shape (n,)
        Type of each item.
    labels : ndarray of int32, shape (T,)
        Consensus of the types.
    loss : Loss
    """
    group = _second_group(sample, labels, loss)
    if not len(group):
        return None
    near = sample.of_draws(group)
    second = settled(near, near.labels[best_draws(near, loss, 1)[0]].astype(np.int32), loss)
    nearer = sample.distances(labels, loss) - sample.distances(second, loss)
    moved = share_moved(labels, second, sample.weights)
    if not _two_heaps(nearer.tolist()) or moved < LEAST_MOVED:
        return None
    distance = float(_alone(second, sample.weights).distances(labels, loss)[0] * loss.unit)
    return RunnerUp(canonical_labels(second[types]), float((nearer > 0).mean()), distance, moved)


def join_runners_up(labels: Sequence[Labels], second: Sequence[RunnerUp | None], loss: str) -> RunnerUp | None:
    """The second answer of the parts that have one, beside the first answer of the others; None where none has.

    Parameters
    ----------
    labels : sequence of ndarray of int32
        The first answer of each part.
    second : sequence of RunnerUp or None
        Its second answer.
    loss : {"vi", "binder"}

    Returns
    -------
    RunnerUp or None
        Of all items. Its share of the draws is the largest one of a part.
    """
    lengths = [len(part) for part in labels]
    parts = list(zip(second, lengths, shares_of(lengths, loss), strict=True))
    there = [(one, length, share) for one, length, share in parts if one is not None]
    if not there:
        return None
    return RunnerUp(
        join_labels([first if one is None else one.labels for first, one in zip(labels, second, strict=True)]),
        max(one.share for one, _, _ in there),
        float(sum(one.distance * share for one, _, share in there)),
        float(sum(one.moved * (length / sum(lengths)) for one, length, _ in there)),
    )


def share_moved(a: Labels, b: Labels, weights: NDArray[np.int64]) -> float:
    """Share of the items placed differently.

    Each cluster of one partition is matched to the one of the other that holds most of it; counted are the items
    outside. Both partitions take the part of the one in turn, and the larger share is given: splitting a cluster into
    halves moves one half.
    """
    table = _alone(a, weights).table(b, int(b.max()) + 1)
    kept = min(int(table.max(axis=0).sum()), int(table.max(axis=1).sum()))
    return 1.0 - kept / int(weights.sum())


def _second_group(sample: PartitionSample, labels: Labels, loss: Loss) -> NDArray[np.int64]:
    """The draws nearer to the medoid that is further from the consensus, judged on some of the items."""
    candidates = sample.distinct()
    n_items = max(MEDOID_WORK // (len(candidates) * sample.n_draws), LEAST_ITEMS)
    if n_items < len(sample.weights):
        types, weights = sample.spread(n_items)
        sample = sample.of_types(types, weights)
        labels = np.unique(labels[types], return_inverse=True)[1].astype(np.int32)
    between = pair_losses(sample, candidates, loss)
    first = int(between.sum(axis=1).argmin())
    second = int(np.maximum(between[first] - between, 0).sum(axis=1).argmax())
    to_consensus = sample.distances(labels, loss)[candidates]
    nearer = between[first] - between[second]
    return np.flatnonzero(nearer > 0 if to_consensus[second] >= to_consensus[first] else nearer <= 0)


def _two_heaps(nearer: list[int]) -> bool:
    """Whether enough of the numbers are positive, and far enough from the others; exact, whatever the order."""
    above, others = [x for x in nearer if x > 0], [x for x in nearer if x <= 0]
    if len(above) < max(2.0, LEAST_SHARE * len(nearer)) or not others:
        return False
    return mean(above) - mean(others) > LEAST_GAP * (pstdev(above) + pstdev(others))


def _alone(labels: Labels, weights: NDArray[np.int64]) -> PartitionSample:
    return PartitionSample.of(labels[None].astype(np.uint32), weights)
