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


@inlined
def _find_positive(row, found):  # type: ignore[no-untyped-def]
    """Write the places of the positive numbers of a row into ``found``; how many there are."""
    number = 0
    for k in range(row.size):
        if row[k] > 0:
            found[number] = k
            number += 1
    return number


@inlined
def _list_sharing(table, most):  # type: ignore[no-untyped-def]
    """List the clusters that each drawn one shares items with: its part of ``sharing`` begins at ``begins`` (M,)."""
    begins = np.zeros(most.size, dtype=np.int64)
    begins[1:] = np.cumsum(most)[:-1]
    sharing, lengths = np.empty(most.sum(), dtype=np.int32), np.empty(most.size, dtype=np.int64)
    for m in range(most.size):
        lengths[m] = _find_positive(table[m], sharing[begins[m] :])
    return sharing, begins, lengths


@inlined
def _move_weight(m, origin, goal, weight, table, sharing, begins, lengths):  # type: ignore[no-untyped-def]
    """Move weight of drawn cluster m from one cluster to another, and keep its list of clusters in step."""
    row = table[m]
    row[origin] -= weight
    if row[origin] == 0:
        for place in range(begins[m], begins[m] + lengths[m]):
            if sharing[place] == origin:
                lengths[m] -= 1
                sharing[place] = sharing[begins[m] + lengths[m]]
                break
    if row[goal] == 0:
        sharing[begins[m] + lengths[m]] = goal
        lengths[m] += 1
    row[goal] += weight


@kernel
def reassign(columns, starts, most, weights, labels, table, sizes, phi):  # type: ignore[no-untyped-def]
    """Move each item in turn to the cluster, or to an empty one, that lowers the loss most; the number that moved.

    A cluster that shares no item with any of the item's drawn clusters costs more than an empty one, and is not looked
    at unless no cluster is empty.

    Parameters
    ----------
    columns : ndarray of unsigned integers, shape (V, S)
        Drawn labels of the V items that may move.
    starts : ndarray of int64, shape (S + 1,)
    most : ndarray of int64, shape (M,)
        Most clusters that each drawn cluster can share items with: no fewer than the lesser of its items and K.
    weights : ndarray of int64, shape (V,)
    labels : ndarray of int32, shape (V,)
        Changed in place, as ``table`` (M, K) and ``sizes`` (K,) are. An empty cluster stands for a new one.
    """
    n_draws, n_clusters = columns.shape[1], sizes.size
    sharing, begins, lengths = _list_sharing(table, most)
    moved, used = 0, 0
    shared, met_by = np.empty(n_clusters, dtype=np.int64), np.full(n_clusters, -1)
    candidates = np.empty(n_clusters, dtype=np.int64)
    for k in range(n_clusters):
        if sizes[k] > 0:
            used = k + 1
    for v in range(weights.size):
        weight, current = weights[v], labels[v]
        sizes[current] -= weight
        candidates[0], met_by[current], shared[current], number = current, v, 0, 1
        empty = -1
        for k in range(min(used + 1, n_clusters)):
            if sizes[k] == 0:
                empty = k
                break
        if empty < 0:
            for k in range(n_clusters):
                if met_by[k] != v:
                    candidates[number], met_by[k], shared[k] = k, v, 0
                    number += 1
        elif met_by[empty] != v:
            candidates[number], met_by[empty], shared[empty] = empty, v, 0
            number += 1
        for s in range(n_draws):
            m = starts[s] + columns[v, s]
            row = table[m]
            for place in range(begins[m], begins[m] + lengths[m]):
                k = sharing[place]
                if met_by[k] != v:
                    candidates[number], met_by[k], shared[k] = k, v, 0
                    number += 1
                together = row[k] - weight if k == current else row[k]
                shared[k] += phi[together + weight] - phi[together] - phi[weight]
        best, least = current, np.int64(0)
        for place in range(number):
            k = candidates[place]
            cost = n_draws * (phi[sizes[k] + weight] - phi[sizes[k]]) - 2 * shared[k]
            if place == 0 or cost < least or (cost == least and best != current and k < best):
                best, least = k, cost
        sizes[best] += weight
        if best != current:
            for s in range(n_draws):
                m = starts[s] + columns[v, s]
                _move_weight(m, current, best, weight, table, sharing, begins, lengths)
            labels[v] = best
            moved += 1
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


@inlined
def _tabulate_changes(table, sizes, n_draws, phi):  # type: ignore[no-untyped-def]
    """The change of the loss when cluster a merges with cluster b, shape (K, K)."""
    n_clusters = sizes.size
    changes = np.empty((n_clusters, n_clusters), dtype=np.int64)
    for a in range(n_clusters):
        for b in range(n_clusters):
            changes[a, b] = n_draws * _gain_of_merge(phi, sizes[a], sizes[b])
    sharing = np.empty(n_clusters, dtype=np.int64)
    for m in range(table.shape[0]):
        row = table[m]
        number = _find_positive(row, sharing)
        for i in range(number):
            for j in range(i):
                changes[sharing[i], sharing[j]] -= 2 * _gain_of_merge(phi, row[sharing[i]], row[sharing[j]])
    for a in range(n_clusters):
        changes[:a, a] = changes[a, :a]
    return changes


@kernel
def merge_clusters(table, sizes, n_draws, phi):  # type: ignore[no-untyped-def]
    """Merge the two clusters that lowers the loss most, until none does; where each cluster went, shape (K,).

    ``table`` (M, K) and ``sizes`` (K,) are changed in place.
    """
    n_clusters = sizes.size
    target = np.arange(n_clusters)
    changes = _tabulate_changes(table, sizes, n_draws, phi)
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
