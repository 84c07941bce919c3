r"""Labels of many items drawn at once, each in proportion to exp(log weight + log density) of the clusters it sees.

Log densities are a product of the items' features and the clusters' coefficients
(:mod:`disnplbm.kernels.gaussian`). :data:`BATCH` items are taken together and the loops run along them, one cluster
after another: nothing has to be summed up across a vector. The best log weight of each item and the second best come
along, and an item whose second best is negligible needs no exponential: its label is the best. The log weights of a
batch are kept for the others, which look through :data:`TILE` clusters at a time.

The numbers of a batch lie side by side, and batches of one kind one after another in a flat array that begins at a
cache line: the compiler sees which accesses are apart, and no vector lies across two lines.
"""

from __future__ import annotations

import numpy as np

from disnplbm.errors import WeightError
from disnplbm.kernels.blocks import Items, complete
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.gaussian import fill_features
from disnplbm.kernels.special import exp
from disnplbm.kernels.sweep import NEGLIGIBLE
from disnplbm.model.statistics import Floats, Labels

#: Items that are taken together.
BATCH = 64

#: Clusters whose best log weight is kept with them.
TILE = 4

#: Features that are taken up in one pass over a batch.
_STEP = 6

#: Bytes of a cache line.
_LINE = 64

#: Where each kind of number begins in the state of a batch.
_BEST, _SECOND, _PLACE, _SLICE, _SIZE = 0, BATCH, 2 * BATCH, 3 * BATCH, 4 * BATCH


@inlined
def _allocate_aligned(batches):  # type: ignore[no-untyped-def]
    """Allocate room for some batches, from the beginning of a cache line on."""
    room = np.empty(batches * BATCH + _LINE // 8)
    skipped = (-room.ctypes.data % _LINE) // 8
    return room[skipped : skipped + batches * BATCH]


@inlined
def _add_three(start, c0, c1, c2, feature, r):  # type: ignore[no-untyped-def]
    """Add three features' part of a log weight: first to one another, then to what is there."""
    return start + (c0 * feature[r] + c1 * feature[BATCH + r] + c2 * feature[2 * BATCH + r])


@inlined
def _weigh(feature, c, base, weight):  # type: ignore[no-untyped-def]
    """Log weights of a batch for one cluster; its coefficients ``c`` are a multiple of ``_STEP``."""
    second = feature[_STEP // 2 * BATCH :]
    c0, c1, c2, c3, c4, c5 = c[0], c[1], c[2], c[3], c[4], c[5]
    for r in range(BATCH):
        weight[r] = _add_three(_add_three(base, c0, c1, c2, feature, r), c3, c4, c5, second, r)
    for t in range(_STEP, c.size, _STEP):
        first, second = feature[t * BATCH :], feature[(t + _STEP // 2) * BATCH :]
        c0, c1, c2, c3, c4, c5 = c[t], c[t + 1], c[t + 2], c[t + 3], c[t + 4], c[t + 5]
        for r in range(BATCH):
            weight[r] = _add_three(_add_three(weight[r], c0, c1, c2, first, r), c3, c4, c5, second, r)


@inlined
def _update_best(weight, top, state, place):  # type: ignore[no-untyped-def]
    """Find the best of a tile of clusters, and update the best and the second best of all so far."""
    for r in range(BATCH):
        w0, w1, w2, w3 = weight[r], weight[BATCH + r], weight[2 * BATCH + r], weight[3 * BATCH + r]
        high01, low01, at01 = (w0, w1, place) if w0 > w1 else (w1, w0, place + 1.0)
        high23, low23, at23 = (w2, w3, place + 2.0) if w2 > w3 else (w3, w2, place + 3.0)
        high, middle, at = (high01, high23, at01) if high01 > high23 else (high23, high01, at23)
        low = low01 if low01 > low23 else low23
        low = low if low > middle else middle
        top[r] = high
        best = state[_BEST + r]
        beaten = best if high > best else high
        state[_PLACE + r] = at if high > best else state[_PLACE + r]
        state[_BEST + r] = high if high > best else best
        second = state[_SECOND + r]
        second = second if second > beaten else beaten
        state[_SECOND + r] = second if second > low else low


@inlined
def _draw_among_likely(weight, top, number, r, best, uniform, likely, chance):  # type: ignore[no-untyped-def]
    """Draw a cluster for item r of a batch among the clusters that are not negligible; return its place."""
    floor, total, n_likely = best - NEGLIGIBLE, 0.0, 0
    for tile in range(-(-number // TILE)):
        if top[tile * BATCH + r] <= floor:
            continue
        for place in range(tile * TILE, tile * TILE + TILE):
            if weight[place * BATCH + r] > floor:
                chance[n_likely] = exp(weight[place * BATCH + r] - best)
                total += chance[n_likely]
                likely[n_likely] = place
                n_likely += 1
    left, drawn = uniform * total, likely[0]
    for t in range(n_likely):
        left -= chance[t]
        drawn = likely[t]
        if left < 0.0:
            break
    return drawn


@inlined
def _part_features(items, coefficients, base, varying):  # type: ignore[no-untyped-def]
    """Add to ``base`` what counts that all items share weigh, and write the other coefficients; return their number."""
    features, clusters = coefficients.shape
    of_group, n_varying = features // items.mean.shape[1], 0
    for f in range(features):
        if complete(items) and f % of_group == 0:
            for k in range(clusters):
                base[k] += items.counts[0, f // of_group] * coefficients[f, k]
        else:
            for k in range(clusters):
                varying[k, n_varying] = coefficients[f, k]
            n_varying += 1
    return n_varying


@inlined
def _bounds(base, varying):  # type: ignore[no-untyped-def]
    """Largest coefficient and largest base: no log weight is larger than the sum of an item's features allows."""
    largest, largest_base = 0.0, 0.0
    for k in range(base.size):
        for t in range(varying.shape[1]):
            largest = max(largest, abs(varying[k, t])) if abs(varying[k, t]) < np.inf else np.inf
        if base[k] > -np.inf or base[k] != base[k]:
            largest_base = max(largest_base, abs(base[k])) if abs(base[k]) < np.inf else np.inf
    return largest, largest_base


@kernel
def _draw_labels(items, coefficients, log_weights, visibility, uniforms, slices, labels, offsets):  # type: ignore[no-untyped-def]
    features, clusters = coefficients.shape
    base, varying = log_weights.copy(), np.zeros((clusters, -(-features // _STEP) * _STEP))
    n_varying = _part_features(items, coefficients, base, varying)
    largest, largest_base = _bounds(base, varying)
    padded = -(-n_varying // _STEP) * _STEP
    feature, weight = _allocate_aligned(padded), _allocate_aligned(clusters + TILE)
    top, state = _allocate_aligned(clusters // TILE + 1), _allocate_aligned(5)
    feature[:] = 0.0
    seen, likely, chance = np.empty(clusters, np.int32), np.empty(clusters, np.int32), np.empty(clusters)
    for first in range(0, labels.size, BATCH):
        here, lowest = min(BATCH, labels.size - first), np.inf
        for r in range(BATCH):
            # A batch that is not full is filled up with its last item.
            i = first + min(r, here - 1)
            fill_features(items, i, feature, r, BATCH, not complete(items))
            state[_BEST + r] = state[_SECOND + r] = -np.inf
            state[_PLACE + r], state[_SLICE + r], state[_SIZE + r] = 0.0, slices[i], 0.0
            lowest = min(lowest, slices[i])
        for t in range(n_varying):
            for r in range(BATCH):
                state[_SIZE + r] += abs(feature[t * BATCH + r])
        number = 0
        for k in range(clusters):
            if visibility[k] <= lowest:
                continue
            batch = weight[number * BATCH :]
            _weigh(feature, varying[k, :padded], base[k], batch)
            if offsets is not None:
                for r in range(BATCH):
                    batch[r] += offsets[first + min(r, here - 1), k]
            if visibility[k] < 1.0:
                for r in range(BATCH):
                    batch[r] = batch[r] if visibility[k] > state[_SLICE + r] else -np.inf
            seen[number] = k
            number += 1
        weight[number * BATCH : (number + TILE - 1) * BATCH] = -np.inf
        for place in range(0, number, TILE):
            _update_best(weight[place * BATCH :], top[place // TILE * BATCH :], state, float(place))
        for r in range(here):
            best = state[_BEST + r]
            if not (state[_SIZE + r] * largest + largest_base < np.inf and best > -np.inf):
                return first + r
            if state[_SECOND + r] <= best - NEGLIGIBLE:
                place = int(state[_PLACE + r])
            else:
                place = _draw_among_likely(weight, top, number, r, best, uniforms[first + r], likely, chance)
            labels[first + r] = seen[place]
    return -1


def draw_labels(
    items: Items,
    coefficients: Floats,
    log_weights: Floats,
    visibility: Floats,
    uniforms: Floats,
    slices: Floats,
    labels: Labels,
    offsets: Floats | None = None,
) -> None:
    """Draw all items' labels at once.

    Parameters
    ----------
    items : Items
        n of them.
    coefficients : ndarray of shape (F, K)
    log_weights, visibility : ndarray of shape (K,)
        An item sees the clusters whose visibility is above its slice: at least one.
    uniforms, slices : ndarray of shape (n,)
        Slices are below 1: a cluster of visibility 1 is seen by all.
    labels : ndarray of int32, shape (n,)
        Filled in.
    offsets : ndarray of shape (n, K), optional
        What is added to the log weights of each item: finite numbers.

    Raises
    ------
    WeightError
        The log weights of an item are not finite numbers, or it sees no cluster.
    """
    unfit = int(_draw_labels(items, coefficients, log_weights, visibility, uniforms, slices, labels, offsets))
    if unfit >= 0:
        raise WeightError(unfit)
