r"""Moves that lower the expected loss of a partition and never raise it.

Up to terms of the draws alone, S times the expected loss is a sum over the partition's own clusters k,

    sum_k [ S phi(n_k) - 2 sum_m phi(n_mk) ],        m: all clusters of all draws,

so that a move needs the clusters it touches alone. Each move below takes labels and gives labels:

- ``reassigned``: each type of items goes to the cluster, or to a new one, that lowers the loss most;
- ``merged``: the two clusters whose merger lowers it most become one;
- ``merged_to``: the same until few enough are left, even where that raises it, alone of all moves;
- ``split``: a cluster is replaced by a draw's partition of its members, merged as far as that helps.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.kernels.contingency import merge_clusters, reassign
from disnplbm.model.statistics import Labels
from disnplbm.posterior.confidence import confidence
from disnplbm.posterior.losses import Loss
from disnplbm.posterior.partition_sample import PartitionSample, cluster_sizes
from disnplbm.posterior.screening import ROUND_WORK, best_draws

#: Cells of contingency tables that the sweeps of one call may look at, and empty clusters kept ready for them.
SWEEP_WORK, SPARE_CLUSTERS = 400_000_000, 8

#: Largest table of counts (4 bytes a cell). Draws of so many clusters that it does not fit are not refined.
LARGEST_TABLE = 2**27

#: The best split of each cluster that was looked at, by its members.
Tried = dict[bytes, Labels]

#: Draws tried when a cluster is split; most rounds of all moves, and what splits must gain for another.
SPLIT_DRAWS, MOST_ROUNDS, LEAST_GAIN = 3, 20, 1e-4


def objective(sample: PartitionSample, labels: Labels, loss: Loss) -> int:
    """S times the expected loss less the terms of the draws alone, in units of the loss."""
    sizes = cluster_sizes(labels, sample.weights)
    shared = sample.sum_overlaps(labels[None], np.array([len(sizes)]), loss)
    return int(sample.n_draws * loss.phi[sizes].sum() - 2 * shared.sum())


def refined(sample: PartitionSample, labels: Labels, loss: Loss, tried: Tried | None = None) -> Labels:
    """All moves in turn, until splits lower the expected loss by no more than :data:`LEAST_GAIN` of it.

    Parameters
    ----------
    labels : ndarray of int32, shape (T,)
        0..K-1 without holes, as in all moves.
    tried : dict, optional
        Splits tried before, of this sample and this loss. Most clusters stay as they are from round to round, and from
        start to start: none is split twice.

    Returns
    -------
    ndarray of int32, shape (T,)
        Labels without holes; the first clusters need not be the largest.
    """
    of_draws, tried = int(sample.draw_terms(loss).sum()), {} if tried is None else tried
    for _ in range(MOST_ROUNDS):
        before = settled(sample, labels, loss)
        labels = split(sample, before, loss, tried)
        value = objective(sample, labels, loss)
        if objective(sample, before, loss) - value <= LEAST_GAIN * (value + of_draws):
            break
    return labels


def settled(sample: PartitionSample, labels: Labels, loss: Loss) -> Labels:
    """Merged, reassigned and merged again; as it was where the table of counts would not fit."""
    if _is_too_large(sample, labels):
        return labels
    return merged(sample, reassigned(sample, merged(sample, labels, loss), loss), loss)


def settled_within(sample: PartitionSample, labels: Labels, loss: Loss, fewest: int, most: int) -> Labels:
    """Reassigned and merged, each move only where the number of clusters stays within ``fewest`` and ``most``."""
    if _is_too_large(sample, labels):
        return labels
    for move in (reassigned, merged, reassigned):
        moved = move(sample, labels, loss)
        if fewest <= int(moved.max()) + 1 <= most:
            labels = moved
    return labels


def reassigned(sample: PartitionSample, labels: Labels, loss: Loss) -> Labels:
    """Sweeps over the types, the least certain first, until none moves.

    Where all types are too many for :data:`SWEEP_WORK`, the most certain stay where they are.
    """
    n_clusters = int(labels.max()) + 1
    table = sample.table(labels, n_clusters + SPARE_CLUSTERS)
    sizes = np.concatenate((cluster_sizes(labels, sample.weights), np.zeros(SPARE_CLUSTERS, dtype=np.int64)))
    a_type = sample.n_draws * (n_clusters + 1)
    order = np.argsort(confidence(sample, labels), kind="stable")[: max(SWEEP_WORK // a_type, 1)]
    columns = np.ascontiguousarray(sample.labels.T[order])
    weights, some = sample.weights[order], labels[order]
    most = np.minimum(sample.types_of_clusters, len(sizes))
    for _ in range(max(SWEEP_WORK // (a_type * len(order)), 1)):
        if not reassign(columns, sample.starts, most, weights, some, table, sizes, loss.phi):
            break
    labels = labels.copy()
    labels[order] = some
    return _without_holes(labels)


def merged(sample: PartitionSample, labels: Labels, loss: Loss) -> Labels:
    """Merge the two clusters that lower the loss most, until no two do."""
    sizes = cluster_sizes(labels, sample.weights)
    target = merge_clusters(sample.table(labels, len(sizes)), sizes, sample.n_draws, loss.phi)
    return _without_holes(target[labels])


def merged_to(sample: PartitionSample, labels: Labels, loss: Loss, most: int) -> Labels:
    """Merge the two clusters that raise the loss least, until no more than ``most`` are left.

    Labels as they are where all pairs of clusters would take more than :data:`SWEEP_WORK`.
    """
    sizes = cluster_sizes(labels, sample.weights)
    if len(sizes) ** 2 * int(sample.clusters.sum()) > SWEEP_WORK:
        return labels
    table, phi = np.asarray(sample.table(labels, len(sizes)), dtype=np.int64), loss.phi
    labels = labels.copy()

    def raised(k: int) -> NDArray[np.int64]:
        """How much merging each cluster with this one raises the loss, less what is the same for all pairs."""
        # With itself a cluster may be more than all there are; that entry is replaced.
        shared = phi[np.minimum(table + table[:, [k]], len(phi) - 1)] - phi[table] - phi[table[:, [k]]]
        united = phi[np.minimum(sizes + sizes[k], len(phi) - 1)]
        change = sample.n_draws * (united - phi[sizes] - phi[sizes[k]]) - 2 * shared.sum(axis=0)
        change[k] = np.iinfo(np.int64).max
        return np.asarray(change)

    changes = np.stack([raised(k) for k in range(len(sizes))])
    while len(sizes) > most:
        a, b = sorted(np.unravel_index(int(changes.argmin()), changes.shape))
        labels = np.where(labels == b, a, labels)
        labels -= labels > b
        sizes[a] += sizes[b]
        table[:, a] += table[:, b]
        sizes, table = np.delete(sizes, b), np.delete(table, b, axis=1)
        changes = np.delete(np.delete(changes, b, axis=0), b, axis=1)
        changes[a] = changes[:, a] = raised(int(a))
    return labels.astype(np.int32)


def split(sample: PartitionSample, labels: Labels, loss: Loss, tried: Tried) -> Labels:
    """Replace clusters by draws' partitions of their members where that lowers the loss."""
    labels, next_label = labels.copy(), int(labels.max()) + 1
    for k in range(next_label):
        members = np.flatnonzero(labels == k)
        key = members.tobytes()
        if key not in tried:
            tried[key] = _best_split(sample, members, loss)
        best = tried[key]
        labels[members] = np.where(best == 0, k, next_label + best - 1)
        next_label += int(best.max())
    return labels


def _best_split(sample: PartitionSample, members: NDArray[np.int64], loss: Loss) -> Labels:
    """The best of one cluster and the partitions of its members by the few draws that do best on them."""
    part = sample.of_types(members, sample.weights[members])
    best = np.zeros(len(members), dtype=np.int32)
    if part.clusters.max() == 1:
        return best
    least = objective(part, best, loss)
    for draw in best_draws(part, loss, SPLIT_DRAWS, ROUND_WORK * len(members) // (4 * len(sample.weights))):
        proposed = part.labels[draw].astype(np.int32)
        if int(part.clusters.sum()) * int(part.clusters[draw]) <= LARGEST_TABLE:
            proposed = merged(part, proposed, loss)
        if (value := objective(part, proposed, loss)) < least:
            best, least = proposed, value
    return best


def _is_too_large(sample: PartitionSample, labels: Labels) -> bool:
    return int(sample.clusters.sum()) * (int(labels.max()) + 1 + SPARE_CLUSTERS) > LARGEST_TABLE


def _without_holes(labels: Labels) -> Labels:
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)
