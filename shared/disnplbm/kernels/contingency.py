r"""Counts of items that two partitions share, one pass over the labels each, and the greedy moves that need them.

A sample is an (S, n) array of labels of any unsigned type, one partition a row; its clusters are numbered through, and
partition s begins at number ``starts[s]``. The *table* (M, K) holds the weight that each of these M clusters shares
with each of the K clusters of one partition. ``phi`` (see :mod:`disnplbm.posterior.losses`) gives the integers whose
sums are the losses, so that no sum here depends on its order.
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.compiler import inlined, kernel


@kernel
def column_hashes(labels):  # type: ignore[no-untyped-def]
    """A 64-bit hash of the labels of each item, shape (n,); equal columns have equal hashes."""
    hashes = np.zeros(labels.shape[1], dtype=np.uint64)
    for s in range(labels.shape[0]):
        row = labels[s]
        for i in range(row.size):
            mixed = (hashes[i] ^ (np.uint64(row[i]) + np.uint64(1))) * np.uint64(0x9E3779B97F4A7C15)
            hashes[i] = mixed ^ (mixed >> np.uint64(32))
    return hashes


@kernel
def find_differing(labels, representative):  # type: ignore[no-untyped-def]
    """Find the items whose labels differ anywhere from their representative's, shape (n,)."""
    result = np.zeros(labels.shape[1], dtype=np.bool_)
    for s in range(labels.shape[0]):
        row = labels[s]
        for i in range(row.size):
            result[i] |= row[i] != row[representative[i]]
    return result


@kernel
def number_by_appearance(labels, bound):  # type: ignore[no-untyped-def]
    """Renumber the labels of each partition, in place, in the order of their first items; the numbers of clusters."""
    clusters = np.zeros(labels.shape[0], dtype=np.int64)
    names = np.empty(bound, dtype=np.int64)
    for s in range(labels.shape[0]):
        row = labels[s]
        names[:] = -1
        for i in range(row.size):
            if names[row[i]] < 0:
                names[row[i]] = clusters[s]
                clusters[s] += 1
            row[i] = names[row[i]]
    return clusters


@inlined
def _group_items(labels, n_clusters):  # type: ignore[no-untyped-def]
    """Sort items by their labels, and find where each label begins, shape (K + 1,): a counting sort."""
    begins = np.zeros(n_clusters + 1, dtype=np.int64)
    for i in range(labels.size):
        begins[labels[i] + 1] += 1
    for k in range(n_clusters):
        begins[k + 1] += begins[k]
    order, free = np.empty(labels.size, dtype=np.int32), begins.copy()
    for i in range(labels.size):
        order[free[labels[i]]] = i
        free[labels[i]] += 1
    return order, begins


@kernel
def sum_overlaps(draws, bound, partitions, n_clusters, weights, phi):  # type: ignore[no-untyped-def]
    """Sum phi over the cells of the contingency table of each of C partitions with each of S draws, shape (C, S).

    A table larger than the number of items is never made: item by item within a cluster of the partition, one counter
    for each cluster of the draw suffices.
    """
    sums = np.zeros((partitions.shape[0], draws.shape[0]), dtype=np.int64)
    counts = np.zeros(max(bound, weights.size), dtype=np.int64)
    for c in range(partitions.shape[0]):
        if n_clusters[c] * bound <= weights.size:
            first = partitions[c].astype(np.int64) * bound
            for s in range(draws.shape[0]):
                row = draws[s]
                for i in range(row.size):
                    counts[first[i] + row[i]] += weights[i]
                for cell in range(n_clusters[c] * bound):
                    sums[c, s] += phi[counts[cell]]
                    counts[cell] = 0
            continue
        order, begins = _group_items(partitions[c], n_clusters[c])
        for s in range(draws.shape[0]):
            row = draws[s]
            for k in range(n_clusters[c]):
                for i in order[begins[k] : begins[k + 1]]:
                    counts[row[i]] += weights[i]
                for i in order[begins[k] : begins[k + 1]]:
                    # A cell is met once for each of its items: emptied the first time, and phi(0) = 0.
                    sums[c, s] += phi[counts[row[i]]]
                    counts[row[i]] = 0
    return sums


@kernel
def sum_mates(draws, bound, labels, n_clusters, weights):  # type: ignore[no-untyped-def]
    """Sum over the draws the weight in both an item's cluster and its drawn one (itself too), shape (n,)."""
    sums = np.zeros(labels.size, dtype=np.int64)
    counts = np.zeros(max(bound, weights.size), dtype=np.int64)
    if n_clusters * bound <= weights.size:
        first = labels.astype(np.int64) * bound
        for s in range(draws.shape[0]):
            row = draws[s]
            for i in range(row.size):
                counts[first[i] + row[i]] += weights[i]
            for i in range(row.size):
                sums[i] += counts[first[i] + row[i]]
            counts[: n_clusters * bound] = 0
        return sums
    order, begins = _group_items(labels, n_clusters)
    for s in range(draws.shape[0]):
        row = draws[s]
        for k in range(n_clusters):
            for i in order[begins[k] : begins[k + 1]]:
                counts[row[i]] += weights[i]
            for i in order[begins[k] : begins[k + 1]]:
                sums[i] += counts[row[i]]
            for i in order[begins[k] : begins[k + 1]]:
                counts[row[i]] = 0
    return sums


@kernel
def count_shared_pairs(draws, bound, labels, n_clusters):  # type: ignore[no-untyped-def]
    """Count, over the draws, the ordered pairs of an item of a and one of b in one drawn cluster, shape (K, K)."""
    sums = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    counts = np.zeros(n_clusters, dtype=np.int64)
    met = np.empty(n_clusters, dtype=np.int64)
    for s in range(draws.shape[0]):
        order, begins = _group_items(draws[s], bound)
        for m in range(bound):
            number = 0
            for position in range(begins[m], begins[m + 1]):
                k = labels[order[position]]
                if counts[k] == 0:
                    met[number] = k
                    number += 1
                counts[k] += 1
            for x in range(number):
                for y in range(number):
                    sums[met[x], met[y]] += counts[met[x]] * counts[met[y]]
            for x in range(number):
                counts[met[x]] = 0
    return sums


@kernel
def count_agreements(columns, result):  # type: ignore[no-untyped-def]
    """Count the draws in which two items share a cluster, into ``result`` (n, n); ``columns`` is (n, S)."""
    for i in range(columns.shape[0]):
        for j in range(i + 1):
            number = 0
            for s in range(columns.shape[1]):
                number += columns[i, s] == columns[j, s]
            result[i, j] = number
            result[j, i] = number


@kernel
def tabulate(draws, starts, labels, weights, table):  # type: ignore[no-untyped-def]
    """Add every item's weight to the table (M, K) of the draws' clusters and the clusters of ``labels``."""
    for s in range(draws.shape[0]):
        row, first = draws[s], starts[s]
        for i in range(labels.size):
            table[first + row[i], labels[i]] += weights[i]


@kernel
def reassign(columns, starts, weights, labels, table, sizes, phi):  # type: ignore[no-untyped-def]
    """Move each item in turn to the cluster, or to an empty one, that lowers the loss most; the number that moved.

    Parameters
    ----------
    columns : ndarray of unsigned integers, shape (V, S)
        Drawn labels of the V items that may move.
    starts : ndarray of int64, shape (S + 1,)
    weights : ndarray of int64, shape (V,)
    labels : ndarray of int32, shape (V,)
        Changed in place, as ``table`` (M, K) and ``sizes`` (K,) are. An empty cluster stands for a new one.
    """
    n_draws = columns.shape[1]
    moved, used = 0, 0
    shared, cost = np.empty(sizes.size, dtype=np.int64), np.empty(sizes.size, dtype=np.int64)
    for k in range(sizes.size):
        if sizes[k] > 0:
            used = k + 1
    for v in range(weights.size):
        weight, current = weights[v], labels[v]
        candidates = min(used + 1, sizes.size)
        shared[:] = 0
        for s in range(n_draws):
            row = table[starts[s] + columns[v, s]]
            row[current] -= weight
            for k in range(candidates):
                shared[k] += phi[row[k] + weight] - phi[row[k]]
        sizes[current] -= weight
        best = current
        for k in range(candidates):
            cost[k] = n_draws * (phi[sizes[k] + weight] - phi[sizes[k]]) - 2 * shared[k]
        for k in range(candidates):
            if cost[k] < cost[best]:
                best = k
        for s in range(n_draws):
            table[starts[s] + columns[v, s], best] += weight
        sizes[best] += weight
        labels[v] = best
        moved += best != current
        used = max(used, best + 1)
    return moved


@inlined
def _gain_of_merge(phi, x, y):  # type: ignore[no-untyped-def]
    return phi[x + y] - phi[x] - phi[y]


@inlined
def _update_changes(a, table, sizes, n_draws, phi, changes):  # type: ignore[no-untyped-def]
    """Write the change of the loss when cluster a merges with each other one into row and column a of ``changes``."""
    for b in range(sizes.size):
        changes[a, b] = n_draws * _gain_of_merge(phi, sizes[a], sizes[b])
    for m in range(table.shape[0]):
        if table[m, a] > 0:
            for b in range(sizes.size):
                if table[m, b] > 0:
                    changes[a, b] -= 2 * _gain_of_merge(phi, table[m, a], table[m, b])
    changes[:, a] = changes[a]


@kernel
def merge_clusters(table, sizes, n_draws, phi):  # type: ignore[no-untyped-def]
    """Merge the two clusters that lowers the loss most, until none does; where each cluster went, shape (K,).

    ``table`` (M, K) and ``sizes`` (K,) are changed in place.
    """
    n_clusters = sizes.size
    target = np.arange(n_clusters)
    changes = np.zeros((n_clusters, n_clusters), dtype=np.int64)
    for a in range(n_clusters):
        _update_changes(a, table, sizes, n_draws, phi, changes)
    while True:
        best, into, gone = 0, -1, -1
        for a in range(n_clusters):
            for b in range(a + 1, n_clusters):
                if sizes[a] > 0 and sizes[b] > 0 and changes[a, b] < best:
                    best, into, gone = changes[a, b], a, b
        if into < 0:
            return target
        table[:, into] += table[:, gone]
        table[:, gone] = 0
        sizes[into] += sizes[gone]
        sizes[gone] = 0
        for k in range(n_clusters):
            if target[k] == gone:
                target[k] = into
        _update_changes(into, table, sizes, n_draws, phi, changes)
