"""Sufficient statistics of the cells, one streaming pass each: the fast form of :mod:`disnplbm.model.statistics`.

Cells of one component (d = 1) take loops over plain vectors, which vectorise; several components take the general
loops. Where only the diagonals of scatters are kept, a cell is taken as its parts, cells of one component. A cell whose
first component is NaN is missing. Sums run in index order, so the bits depend on the data alone.
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import Items, complete
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.model.statistics import Floats, Labels, Statistics, unfolded_labels


@inlined
def _add_cell(count, mean, scatter, cell):  # type: ignore[no-untyped-def]
    """Add one cell to a set whose count already includes it (Welford)."""
    share = (count - 1.0) / count
    for a in range(cell.size):
        for b in range(a + 1):
            scatter[a, b] += share * (cell[a] - mean[a]) * (cell[b] - mean[b])
    for a in range(cell.size):
        mean[a] += (cell[a] - mean[a]) / count


@inlined
def _mirror(scatter):  # type: ignore[no-untyped-def]
    """Copy the lower triangle to the upper one."""
    for a in range(scatter.shape[0]):
        for b in range(a):
            scatter[b, a] = scatter[a, b]


@inlined
def _sum_of_powers(row, begin, end, centre, squared):  # type: ignore[no-untyped-def]
    """Sum of (x - centre), or of its square, over row[begin:end]; four sums side by side hide an addition's latency."""
    s0 = s1 = s2 = s3 = 0.0
    whole = end - (end - begin) % 4
    for j in range(begin, whole, 4):
        x0, x1, x2, x3 = row[j] - centre, row[j + 1] - centre, row[j + 2] - centre, row[j + 3] - centre
        s0 += x0 * x0 if squared else x0
        s1 += x1 * x1 if squared else x1
        s2 += x2 * x2 if squared else x2
        s3 += x3 * x3 if squared else x3
    for j in range(whole, end):
        x0 = row[j] - centre
        s0 += x0 * x0 if squared else x0
    return (s0 + s1) + (s2 + s3)


@kernel
def _cells_by_group_1(values, order, start, count, mean, scatter):  # type: ignore[no-untyped-def]
    n, p = values.shape
    row = np.empty(p + 1)
    for i in range(n):
        end = 0
        for g in range(start.size - 1):
            begin = end
            for position in range(start[g], start[g + 1]):
                x = values[i, order[position]]
                row[end] = x
                end += 1 if x == x else 0
            number = float(end - begin)
            centre = _sum_of_powers(row, begin, end, 0.0, False) / max(number, 1.0)
            count[i, g], mean[i, g] = number, centre
            scatter[i, g] = _sum_of_powers(row, begin, end, centre, True)


@kernel
def _cells_by_group_d(values, groups, count, mean, scatter):  # type: ignore[no-untyped-def]
    n, p, _ = values.shape
    for i in range(n):
        for j in range(p):
            if values[i, j, 0] == values[i, j, 0]:
                g = groups[j]
                count[i, g] += 1.0
                _add_cell(count[i, g], mean[i, g], scatter[i, g], values[i, j])
        for g in range(count.shape[1]):
            _mirror(scatter[i, g])


@kernel
def _cells_by_cluster_1(values, labels, complete, count, mean, scatter):  # type: ignore[no-untyped-def]
    n, p = values.shape
    for i in range(n):
        k = labels[i]
        if k < 0:
            continue
        row, mean_k, scatter_k, count_k = values[i], mean[k], scatter[k], count[k]
        if complete:
            size = count_k[0] + 1.0
            inverse = 1.0 / size
            for j in range(p):
                difference = row[j] - mean_k[j]
                mean_k[j] += difference * inverse
                scatter_k[j] += difference * (row[j] - mean_k[j])
                count_k[j] = size
        else:
            for j in range(p):
                if row[j] == row[j]:
                    count_k[j] += 1.0
                    difference = row[j] - mean_k[j]
                    mean_k[j] += difference / count_k[j]
                    scatter_k[j] += difference * (row[j] - mean_k[j])


@kernel
def _cells_by_cluster_d(values, labels, count, mean, scatter):  # type: ignore[no-untyped-def]
    n, p, _ = values.shape
    for i in range(n):
        k = labels[i]
        if k < 0:
            continue
        for j in range(p):
            if values[i, j, 0] == values[i, j, 0]:
                count[k, j] += 1.0
                _add_cell(count[k, j], mean[k, j], scatter[k, j], values[i, j])
    for k in range(count.shape[0]):
        for j in range(p):
            _mirror(scatter[k, j])


@inlined
def _merge(count, mean, scatter, target, added, other_mean, other_scatter, source):  # type: ignore[no-untyped-def]
    """Merge ``added`` cells, the set ``source`` of other sets, into the set ``target``."""
    if added == 0.0:
        return
    total = count[target] + added
    share = added / total
    for a in range(mean.shape[-1]):
        for b in range(mean.shape[-1]):
            scatter[target][a, b] += other_scatter[source][a, b] + (
                count[target]
                * share
                * (other_mean[source][a] - mean[target][a])
                * (other_mean[source][b] - mean[target][b])
            )
    for a in range(mean.shape[-1]):
        mean[target][a] += share * (other_mean[source][a] - mean[target][a])
    count[target] = total


@inlined
def merge_one(count, mean, scatter, k, g, added, other_mean, other_scatter):  # type: ignore[no-untyped-def]
    """The same for cells of one component, into the set (k, g); without a branch, so that loops around it vectorise."""
    before, difference = count[k, g], other_mean - mean[k, g]
    # An empty set adds nothing, to an empty one neither.
    share = added / max(before + added, 1.0)
    scatter[k, g] += other_scatter + before * share * difference * difference
    mean[k, g] += share * difference
    count[k, g] = before + added


@kernel
def _aggregate(axis, labels, count, mean, scatter, to_count, to_mean, to_scatter):  # type: ignore[no-untyped-def]
    for x in range(count.shape[0]):
        for y in range(count.shape[1]):
            target = (labels[x], y) if axis == 0 else (x, labels[y])
            _merge(to_count, to_mean, to_scatter, target, count[x, y], mean, scatter, (x, y))


@kernel
def _aggregate_1(axis, labels, count, mean, scatter, to_count, to_mean, to_scatter):  # type: ignore[no-untyped-def]
    for x in range(count.shape[0]):
        k = labels[x] if axis == 0 else x
        for y in range(count.shape[1]):
            g = y if axis == 0 else labels[y]
            merge_one(to_count, to_mean, to_scatter, k, g, count[x, y], mean[x, y], scatter[x, y])


@kernel
def _add_items(labels, items, to_count, to_mean, to_scatter):  # type: ignore[no-untyped-def]
    for i in range(labels.size):
        row = 0 if complete(items) else i
        for g in range(items.mean.shape[1]):
            added = items.counts[row, g]
            _merge(to_count, to_mean, to_scatter, (labels[i], g), added, items.mean, items.scatter, (i, g))


@kernel
def _add_items_1(labels, items, to_count, to_mean, to_scatter):  # type: ignore[no-untyped-def]
    for i in range(labels.size):
        row = 0 if complete(items) else i
        for g in range(items.mean.shape[1]):
            added, mean, scatter = items.counts[row, g], items.mean[i, g, 0], items.scatter[i, g, 0, 0]
            merge_one(to_count, to_mean, to_scatter, labels[i], g, added, mean, scatter)


def add_items(items: Items, labels: Labels, blocks: Statistics) -> None:
    """Merge every item's cells into the blocks of its cluster.

    Parameters
    ----------
    items : Items
        n of them, in G groups.
    labels : ndarray of int32, shape (n,)
    blocks : Statistics of shape (K, G)
        Changed in place.
    """
    if blocks.diagonal:
        parts = blocks.unfolded
        _add_items_1(labels, items, *plain(parts))
        blocks[...] = parts.folded(blocks.dimension)
    elif blocks.dimension == 1:
        _add_items_1(labels, items, *plain(blocks))
    else:
        _add_items(labels, items, blocks.count, blocks.mean, blocks.scatter)


def cells_by_group(values: Floats, groups: Labels, n_groups: int, *, diagonal: bool = False) -> Statistics:
    """Statistics of each item's cells in each group of the other axis.

    Parameters
    ----------
    values : ndarray of shape (n, p, d), C-contiguous
    groups : ndarray of int32, length p
    diagonal : bool
        Whether only the diagonals of scatters are kept.

    Returns
    -------
    Statistics of shape (n, n_groups)
    """
    n, _, d = values.shape
    if diagonal:
        return cells_by_group(values.reshape(n, -1, 1), unfolded_labels(groups, d), n_groups * d).folded(d)
    result = Statistics.empty((n, n_groups), d)
    if d == 1:
        order = np.argsort(groups, kind="stable")
        start = np.searchsorted(groups[order], np.arange(n_groups + 1))
        _cells_by_group_1(values[..., 0], order, start, *plain(result))
    else:
        _cells_by_group_d(values, groups, result.count, result.mean, result.scatter)
    return result


def cells_by_cluster(
    values: Floats,
    labels: Labels,
    n_clusters: int,
    *,
    complete: bool,
    diagonal: bool = False,
    into: Statistics | None = None,
) -> Statistics:
    """Statistics of every column's cells in every cluster of items.

    Parameters
    ----------
    values : ndarray of shape (n, p, d), C-contiguous
    labels : ndarray of int32, length n
        Cluster of each item; one with label -1 is passed over.
    complete : bool
        That no cell is missing.
    diagonal : bool
        Whether only the diagonals of scatters are kept.
    into : Statistics of shape (n_clusters, p), optional
        Sets to add to, in place, instead of to empty ones; not diagonal. Items added in several calls give the bits of
        one call.

    Returns
    -------
    Statistics of shape (n_clusters, p)
    """
    n, p, d = values.shape
    if diagonal:
        return cells_by_cluster(values.reshape(n, -1, 1), labels, n_clusters, complete=complete).folded(d)
    result = Statistics.empty((n_clusters, p), d) if into is None else into
    if d == 1:
        _cells_by_cluster_1(values[..., 0], labels, complete, *plain(result))
    else:
        _cells_by_cluster_d(values, labels, result.count, result.mean, result.scatter)
    return result


def aggregate(
    statistics: Statistics, labels: Labels, n_clusters: int, axis: int, into: Statistics | None = None
) -> Statistics:
    """Merge the sets of one axis that share a label.

    Parameters
    ----------
    statistics : Statistics of shape (a, b)
    labels : ndarray of int32, length a (axis 0) or b (axis 1)
    n_clusters : int
        Number of labels; one without members yields an empty set.
    axis : {0, 1}
    into : Statistics, optional
        Sets to merge into, in place, instead of into empty ones.

    Returns
    -------
    Statistics of shape (n_clusters, b) or (a, n_clusters)
    """
    other = statistics.shape[1 - axis]
    shape = (n_clusters, other) if axis == 0 else (other, n_clusters)
    result = statistics.empty_like(shape) if into is None else into
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    if statistics.diagonal:
        d, parts = statistics.dimension, result.unfolded
        if axis == 0:
            aggregate(statistics.unfolded, labels, n_clusters, axis, parts)
        else:
            aggregate(statistics.unfolded, unfolded_labels(labels, d), n_clusters * d, axis, parts)
        result[...] = parts.folded(d)
        return result
    if statistics.dimension == 1:
        _aggregate_1(axis, labels, *plain(statistics), *plain(result))
    else:
        _aggregate(
            axis,
            labels,
            statistics.count,
            statistics.mean,
            statistics.scatter,
            result.count,
            result.mean,
            result.scatter,
        )
    return result


def plain(statistics: Statistics) -> tuple[Floats, Floats, Floats]:
    """Counts, means and scatters of cells of one component, all of the same shape."""
    return statistics.count, statistics.mean[..., 0], statistics.scatter[..., 0, 0]
