r"""One partition that stands for all draws: the one of least expected loss.

The expected loss of a partition is its mean loss to the draws (:mod:`disnplbm.posterior.losses`), a Monte Carlo
estimate of that under the posterior. The search for the least one (Wade and Ghahramani 2018; Rastelli and Friel 2018;
Dahl, Johnson and Mueller 2022) starts from the best of the draws and goes on by moves of types of items and of whole
clusters that never raise it (:mod:`disnplbm.posterior.refinement`). It is a local search from several starts: on small
sets of items it finds the minimum over all partitions nearly always, in general it promises to be no worse than the
best draw it screened. Every step is deterministic, and its cost is linear in the number of items.

The number of clusters lies within the range of the draws. Where the best partition lies outside, the best draws are
improved once more as far as they stay inside, and it is merged until it is inside; partitions outside do not count.
(Of noisy draws around one answer, all of 4 clusters, the partition of least variation of information is a single
cluster.) What none of these moves improves is a draw as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import join_labels, slices_of
from disnplbm.posterior.confidence import confidence
from disnplbm.posterior.losses import LabelArray, Loss, loss_of, shares_of
from disnplbm.posterior.partition_sample import PartitionSample, checked_labels, checked_partition, collapse
from disnplbm.posterior.refinement import Tried, merged_to, objective, refined, settled_within
from disnplbm.posterior.runner_up import RunnerUp, join_runners_up, runner_up
from disnplbm.posterior.screening import best_draws

#: Most draws that the search starts from, and the labels of all their refinements together, about.
MOST_STARTS, START_WORK = 32, 10_000_000

#: Draws that the last round of screening compares on all items.
FINALISTS = 8


PartitionKind = Literal["consensus", "draw", "given"]


@dataclass(frozen=True, slots=True, eq=False)
class Consensus:
    """A point summary of draws of a partition.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Canonical: 0 is the largest cluster, ties by the smallest index of a member.
    expected_loss : float
        Mean loss to the draws: nats for "vi", share of pairs for "binder".
    kind : {"consensus", "draw", "given"}
        Found by the search; or the best of the draws as it is, since what the search found has more clusters, or
        fewer, than any draw; or given.
    confidence : ndarray of shape (n,)
        Probability that the item is together with a random other member of its cluster, or alone as here: see
        :func:`disnplbm.posterior.confidence.confidence`.
    runner_up : RunnerUp or None
        The second answer, where the draws have two.
    """

    labels: Labels
    expected_loss: float
    loss: str
    kind: PartitionKind
    confidence: Floats
    runner_up: RunnerUp | None


def consensus(labels: ArrayLike, loss: str = "vi") -> Consensus:
    """The partition of least expected loss.

    Parameters
    ----------
    labels : array-like of int, shape (S, n)
        Labels of n items in each of S draws, from 0 on; of an unsigned type that is as small as they allow, no copy is
        made.
    loss : {"vi", "binder"}
        Variation of information, or Binder's loss with equal costs.

    Raises
    ------
    InputError
        The labels are no labels of draws, or there is no such loss.
    """
    sample, types = collapse(checked_labels(labels))
    table = loss_of(loss, sample.n_items, sample.n_draws)
    best, kind = _search(sample, table)
    return Consensus(
        canonical_labels(best[types]),
        float(sample.distances(best, table).sum() * table.unit / sample.n_draws),
        loss,
        kind,
        confidence(sample, best)[types],
        runner_up(sample, types, best, table),
    )


def consensus_of_parts(labels: ArrayLike, lengths: Sequence[int], loss: str = "vi") -> Consensus:
    """The partition of least expected loss among those that have no cluster with items of two parts.

    It is found in each part by itself. The drawn partitions have no such cluster either, so the expected loss is a sum
    over the parts: the variation of information of each counts by its share of the items, Binder's loss by its share of
    the pairs.

    Parameters
    ----------
    labels : array-like of int, shape (S, n)
        As :func:`consensus` takes them.
    lengths : sequence of int
        Items of each part, which stand side by side.
    loss : {"vi", "binder"}
    """
    drawn = checked_labels(labels)
    found = [consensus(drawn[:, where], loss) for where in slices_of(lengths)]
    shares = shares_of(lengths, loss)
    expected = sum(part.expected_loss * share for part, share in zip(found, shares, strict=True))
    kinds = {part.kind for part in found}
    return Consensus(
        join_labels([part.labels for part in found]),
        float(expected),
        loss,
        found[0].kind if len(kinds) == 1 else "consensus",
        np.concatenate([part.confidence for part in found]),
        join_runners_up([part.labels for part in found], [part.runner_up for part in found], loss),
    )


def expected_loss(draws: ArrayLike, labels: LabelArray, loss: str = "vi") -> float:
    """Mean loss between a partition and the draws.

    Parameters
    ----------
    draws : array-like of int, shape (S, n)
    labels : ndarray of int, shape (n,)
    loss : {"vi", "binder"}

    Raises
    ------
    InputError
        The draws are no labels of draws, or the partition has another number of items, or there is no such loss.
    """
    checked = checked_labels(draws)
    n_draws, n_items = checked.shape
    labels = checked_partition(labels, n_items)
    sample = PartitionSample.of(checked.copy(), np.ones(n_items, dtype=np.int64))
    table = loss_of(loss, n_items, n_draws)
    return float(sample.distances(labels, table).sum() * table.unit / n_draws)


def _search(sample: PartitionSample, loss: Loss) -> tuple[Labels, PartitionKind]:
    """The best partition of the types that refining the best draws gives, of as many clusters as the draws have."""
    n_starts = min(max(START_WORK // sample.labels.size, 1), MOST_STARTS)
    draws = best_draws(sample, loss, max(n_starts, FINALISTS))
    tried: Tried = {}
    results = [refined(sample, sample.labels[draw].astype(np.int32), loss, tried) for draw in draws[:n_starts]]
    fewest, most = int(sample.clusters.min()), int(sample.clusters.max())
    best = _least(sample, results, loss)
    if fewest <= int(best.max()) + 1 <= most:
        return best, "consensus"
    starts = [sample.labels[draw].astype(np.int32) for draw in draws[:n_starts]]
    inside = [result for result in results if fewest <= int(result.max()) + 1 <= most]
    inside += [settled_within(sample, start, loss, fewest, most) for start in starts]
    if int(best.max()) + 1 > most:
        fewer = settled_within(sample, merged_to(sample, best, loss, most), loss, fewest, most)
        inside += [fewer] if int(fewer.max()) + 1 <= most else []
    best = _least(sample, inside, loss)
    return best, "draw" if any(np.array_equal(best, start) for start in starts) else "consensus"


def _least(sample: PartitionSample, partitions: list[Labels], loss: Loss) -> Labels:
    return min(partitions, key=lambda labels: objective(sample, labels, loss))
