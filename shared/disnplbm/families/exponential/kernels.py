"""Kernels over sums, for every family whose log marginal Numba can compile."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload
from numpy.typing import NDArray

from disnplbm.errors import WeightError
from disnplbm.families.exponential.sums import Sums
from disnplbm.kernels.blocks import LANES
from disnplbm.kernels.choice import find_best
from disnplbm.kernels.companions import (
    Companions,
    add_gain,
    add_gains,
    add_marginals_self,
    marginal_self,
    move,
    move_all,
    no_companions,
)
from disnplbm.kernels.compiler import OPTIONS, inlined, kernel
from disnplbm.kernels.partition_prior import PartitionPrior, log_new
from disnplbm.kernels.special import exp, log
from disnplbm.kernels.sweep import draw_slot, note_overlap
from disnplbm.model.statistics import Floats, Labels


class SparseFeatures(NamedTuple):
    """Features of items of which most are 0; the last one, a factor, is not among the others."""

    indptr: NDArray[np.int64]  # (n + 1,) where the features of each item begin
    indices: NDArray[np.int32]  # (N,) in order
    values: Floats  # (N,)
    factors: Floats  # (n,)
    last: int  # place of the factor


class Items(NamedTuple):
    """Items, and what the kernels read of them."""

    statistics: Any  # Sums of shape (n, G), or what a family has in their place
    features: Floats | SparseFeatures  # (n, F) what log densities are linear in
    pattern: Floats  # (G,) the last sums of a set, if these are the same for all items but for a factor; else (0,)


class Slots(NamedTuple):
    """Clusters while items are swept; see :class:`disnplbm.families.base.Clusters`."""

    size: Floats  # (C,)
    opened_in_sweep: NDArray[np.bool_]  # (C,)
    partner: NDArray[np.int32]  # (C,)
    overlap: Floats  # (C,)
    blocks: Floats  # (C, G, S)
    marginals: Floats  # (C, G) log marginal of each block


def log_marginal(prior, sums):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Log marginal of a set of cells, of its sums of shape (S,): each family overloads it for the type of its prior."""
    raise RuntimeError("log_marginal is compiled into kernels and has no body of its own")


@kernel
def _log_marginals(prior, sums, result):  # type: ignore[no-untyped-def]
    for i in range(result.size):
        result[i] = log_marginal(prior, sums[i])


def log_marginals(sums: Floats, prior: Any) -> Floats:
    """Log marginal of every set, of sums of shape (..., S)."""
    result = np.empty(sums.shape[:-1])
    _log_marginals(prior, np.ascontiguousarray(sums).reshape(-1, sums.shape[-1]), result.reshape(-1))
    return result


@kernel
def add_rows(values, labels, into):  # type: ignore[no-untyped-def]
    """Add each row of ``values``, shape (n, m), to the row of ``into`` that its label names; -1 is passed over."""
    for i in range(labels.size):
        if labels[i] >= 0:
            for t in range(values.shape[1]):
                into[labels[i], t] += values[i, t]


@kernel
def add_columns(values, labels, into):  # type: ignore[no-untyped-def]
    """Add each column of ``values``, shape (k, p, S), to the column of ``into`` that its label names, if not -1."""
    for k in range(values.shape[0]):
        for j in range(labels.size):
            if labels[j] >= 0:
                for s in range(values.shape[2]):
                    into[k, labels[j], s] += values[k, j, s]


@inlined
def _move(prior, slots, k, item, sign, empty):  # type: ignore[no-untyped-def]
    """Add an item to a cluster (sign +1) or take it out (-1); a cluster without members is exactly empty."""
    slots.size[k] += sign
    for g in range(item.shape[0]):
        for s in range(item.shape[1]):
            slots.blocks[k, g, s] = slots.blocks[k, g, s] + sign * item[g, s] if slots.size[k] > 0.0 else 0.0
        slots.marginals[k, g] = log_marginal(prior, slots.blocks[k, g]) if slots.size[k] > 0.0 else empty


@inlined
def _gain(prior, slots, k, item, sign, changed):  # type: ignore[no-untyped-def]
    """By how much the log marginals of a cluster grow with an item; with sign -1, for a member that is taken out."""
    gain = 0.0
    for g in range(item.shape[0]):
        for s in range(item.shape[1]):
            changed[s] = slots.blocks[k, g, s] + sign * item[g, s]
        gain += sign * (log_marginal(prior, changed) - slots.marginals[k, g])
    return gain


@kernel
def _sweep(start, labels, uniforms, sums, log_marginal_self, slots, prior, partition_prior, companions):  # type: ignore[no-untyped-def]
    number = slots.size.size
    changed = np.zeros(sums.shape[2])
    empty = log_marginal(prior, changed)
    weight, share = np.empty(number), np.empty(number)
    occupied = 0.0
    for k in range(number):
        occupied += 1.0 if slots.size[k] > 0.0 else 0.0
    for i in range(start, labels.size):
        item, current = sums[i], labels[i]
        alone = slots.size[current] == 1.0
        for k in range(number):
            members = slots.size[k] - (1.0 if k == current else 0.0)
            weight[k] = -np.inf
            if members > 0.0:
                sign = -1.0 if k == current else 1.0
                weight[k] = log(members + partition_prior.pseudo_count) + _gain(prior, slots, k, item, sign, changed)
        add_gains(companions, i, current, weight)
        by_itself = add_marginals_self(companions, i, log_marginal_self[i])
        new = by_itself + log_new(partition_prior, occupied - (1.0 if alone else 0.0))
        chosen = draw_slot(weight, new, uniforms[i], share)
        if chosen < 0:
            return -1 - i
        if chosen < number:
            note_overlap(slots, chosen, weight)
        if chosen == current or (chosen == number and alone):
            continue
        if chosen == number:
            chosen = 0
            while chosen < number and slots.size[chosen] > 0.0:
                chosen += 1
            if chosen == number:
                return i
            slots.opened_in_sweep[chosen], slots.partner[chosen], slots.overlap[chosen] = True, -1, 0.0
        occupied += (slots.size[chosen] == 0.0) * 1.0 - (1.0 if alone else 0.0)
        _move(prior, slots, current, item, -1.0, empty)
        _move(prior, slots, chosen, item, 1.0, empty)
        move_all(companions, i, current, chosen)
        labels[i] = chosen
    return labels.size


def slots_of(sizes: Floats, blocks: Floats, prior: Any, capacity: int = 0) -> Slots:
    """Make clusters of their sizes, shape (K,), and their blocks, shape (K, G, S), with room for new ones."""
    k, groups, sums = blocks.shape
    number = -(-max(capacity, k + 1) // LANES) * LANES
    size, all_blocks = np.zeros(number), np.zeros((number, groups, sums))
    size[:k], all_blocks[:k] = sizes, blocks
    opened, partner = np.arange(number) >= k, np.full(number, -1, dtype=np.int32)
    return Slots(size, opened, partner, np.zeros(number), all_blocks, log_marginals(all_blocks, prior))


def sweep(
    labels: Labels,
    uniforms: Floats,
    items: Items,
    slots: Slots,
    prior: Any,
    partition_prior: PartitionPrior,
    companions: Companions = no_companions,
) -> Slots:
    """Sweep all items once, in order; see :meth:`disnplbm.families.base.FamilyOf.sweep`."""
    position = 0
    sums = items.statistics.contiguous
    log_marginal_self = log_marginals(sums, prior).sum(axis=1)
    while True:
        given = (sums, log_marginal_self, slots, prior, partition_prior, companions(len(slots.size)))
        position = _sweep(position, labels, uniforms, *given)
        if position < 0:
            raise WeightError(-1 - position)
        if position == len(labels):
            return slots
        slots = _enlarged(slots, prior)


def _enlarged(slots: Slots, prior: Any) -> Slots:
    """Copy clusters, with about twice as many slots."""
    old = len(slots.size)
    grown = slots_of(slots.size, slots.blocks, prior, capacity=2 * old)
    for name in ("opened_in_sweep", "partner", "overlap"):
        getattr(grown, name)[:old] = getattr(slots, name)
    return grown


class SumsCompanion(NamedTuple):
    """Items and clusters of sums in a sweep that another part leads, with room to work in."""

    prior: Any
    sums: Floats  # (n, G, S)
    log_marginal_self: Floats  # (n,)
    slots: Slots
    changed: Floats  # (S,)


def sums_companion(items: Items, slots: Slots, prior: Any, number: int) -> SumsCompanion:
    """Make a companion whose clusters have at least so many slots."""
    while len(slots.size) < number:
        slots = _enlarged(slots, prior)
    sums = items.statistics.contiguous
    return SumsCompanion(prior, sums, log_marginals(sums, prior).sum(axis=1), slots, np.zeros(sums.shape[2]))


def _is_of_sums(companion):  # type: ignore[no-untyped-def]
    return getattr(companion, "instance_class", None) is SumsCompanion


@overload(add_gain, jit_options={**OPTIONS})
def _compile_add_gain(companion, i, current, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_of_sums(companion):
        return None

    def of_sums(companion, i, current, weight):  # type: ignore[no-untyped-def]
        for k in range(weight.size):
            if weight[k] != -np.inf:
                sign = -1.0 if k == current else 1.0
                weight[k] += _gain(companion.prior, companion.slots, k, companion.sums[i], sign, companion.changed)

    return of_sums


@overload(marginal_self, jit_options={**OPTIONS})
def _compile_marginal_self(companion, i):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_of_sums(companion):
        return None

    def of_sums(companion, i):  # type: ignore[no-untyped-def]
        return companion.log_marginal_self[i]

    return of_sums


@overload(move, jit_options={**OPTIONS})
def _compile_move(companion, i, current, chosen):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_of_sums(companion):
        return None

    def of_sums(companion, i, current, chosen):  # type: ignore[no-untyped-def]
        companion.changed[:] = 0.0
        empty = log_marginal(companion.prior, companion.changed)
        _move(companion.prior, companion.slots, current, companion.sums[i], -1.0, empty)
        _move(companion.prior, companion.slots, chosen, companion.sums[i], 1.0, empty)

    return of_sums


def _gather(features, i, there, feature):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Write the places and the values of an item's features that are not 0, in order; return how many they are."""
    raise RuntimeError("_gather is compiled into kernels and has no body of its own")


@overload(_gather, jit_options={**OPTIONS, "forceinline": True})
def _compile_gather(features, i, there, feature):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(features, "instance_class", None) is SparseFeatures:

        def of_sparse(features, i, there, feature):  # type: ignore[no-untyped-def]
            begin, found = features.indptr[i], features.indptr[i + 1] - features.indptr[i]
            for t in range(found):
                there[t], feature[t] = features.indices[begin + t], features.values[begin + t]
            if features.factors[i] != 0.0:
                there[found], feature[found] = features.last, features.factors[i]
                found += 1
            return found

        return of_sparse

    def of_dense(features, i, there, feature):  # type: ignore[no-untyped-def]
        found = 0
        for f in range(features.shape[1]):
            if features[i, f] != 0.0:
                there[found], feature[found] = f, features[i, f]
                found += 1
        return found

    return of_dense


@inlined
def _weigh(features, i, coefficients, log_weights, weight, there, feature):  # type: ignore[no-untyped-def]
    """Write the log weights of an item: the clusters' own, and features times coefficients."""
    number = log_weights.size
    for k in range(number):
        weight[k] = log_weights[k]
    # Most features of a sparse row are zero. The others are taken four at a time: weights are stored less often.
    found = _gather(features, i, there, feature)
    for t in range(0, found - 3, 4):
        f0, f1, f2, f3 = there[t], there[t + 1], there[t + 2], there[t + 3]
        x0, x1, x2, x3 = feature[t], feature[t + 1], feature[t + 2], feature[t + 3]
        for k in range(number):
            weight[k] += (x0 * coefficients[f0, k] + x1 * coefficients[f1, k]) + (
                x2 * coefficients[f2, k] + x3 * coefficients[f3, k]
            )
    for t in range(found // 4 * 4, found):
        for k in range(number):
            weight[k] += feature[t] * coefficients[there[t], k]


#: Items and groups that are looked at together: transposed sums are read along the items, features written along the
#: groups, and what is touched stays in the cache.
_ITEMS, _GROUPS = 128, 8


@kernel
def _factor(sums, transposed, features, pattern):  # type: ignore[no-untyped-def]
    items, groups, last = features.shape[0], pattern.size, sums.shape[2] - 1
    for first in range(0, items, _ITEMS):
        behind = min(first + _ITEMS, items)
        for i in range(first, behind):
            features[i, groups * last] = 0.0
        for start in range(0, groups, _GROUPS):
            end = min(start + _GROUPS, groups)
            for i in range(first, behind):
                of_item = 0.0
                for g in range(start, end):
                    for s in range(last):
                        features[i, g * last + s] = sums[g, i, s] if transposed else sums[i, g, s]
                    of_last = sums[g, i, last] if transposed else sums[i, g, last]
                    of_item += of_last
                    pattern[g] += of_last
                features[i, groups * last] += of_item
    total = 0.0
    for i in range(items):
        total += features[i, groups * last]
    for g in range(groups):
        pattern[g] = pattern[g] / total if total > 0.0 else 0.0


def factor(statistics: Sums) -> Items:
    """Make items whose last sums are a pattern times a factor: their features are their other sums, and the factor.

    Parameters
    ----------
    statistics : Sums of shape (n, G)
        Contiguous, or transposed.
    """
    n, groups = statistics.shape
    features, pattern = np.empty((n, groups * (statistics.values.shape[-1] - 1) + 1)), np.zeros(groups)
    turned = statistics.is_transposed
    _factor(statistics.T.values if turned else statistics.contiguous, turned, features, pattern)
    return Items(statistics, features, pattern)


@kernel
def _fold(coefficients, pattern, result):  # type: ignore[no-untyped-def]
    groups, number = pattern.size, coefficients.shape[1]
    last = coefficients.shape[0] // groups - 1
    result[groups * last] = 0.0
    for g in range(groups):
        for s in range(last):
            result[g * last + s] = coefficients[g * (last + 1) + s]
        for k in range(number):
            result[groups * last, k] += pattern[g] * coefficients[g * (last + 1) + last, k]


def fold(coefficients: Floats, pattern: Floats) -> Floats:
    """Coefficients, of shape (G S, K), of the features of items that have such a pattern."""
    if not len(pattern):
        return np.ascontiguousarray(coefficients)
    result = np.empty((len(coefficients) - len(pattern) + 1, coefficients.shape[1]))
    _fold(np.ascontiguousarray(coefficients), pattern, result)
    return result


@kernel
def _draw_labels(features, coefficients, log_weights, visibility, uniforms, slices, labels, offsets):  # type: ignore[no-untyped-def]
    number = log_weights.size
    padded = -(-number // LANES) * LANES
    weight, share = np.empty(padded), np.empty(padded)
    there, feature = np.empty(coefficients.shape[0], np.int64), np.empty(coefficients.shape[0])
    weight[number:] = -np.inf
    for i in range(labels.size):
        _weigh(features, i, coefficients, log_weights, weight, there, feature)
        if offsets is not None:
            for k in range(number):
                weight[k] += offsets[i, k]
        for k in range(number):
            weight[k] = weight[k] if visibility[k] > slices[i] else -np.inf
        chosen = draw_slot(weight, -np.inf, uniforms[i], share)
        if chosen < 0:
            return i
        labels[i] = chosen
    return -1


def draw_labels(
    items: Items,
    coefficients: Floats,
    log_weights: Floats,
    visibility: Floats,
    uniforms: Floats,
    slices: Floats,
    labels: Labels,
    offsets: Floats | None,
) -> None:
    """Draw all labels at once; see :meth:`disnplbm.families.base.FamilyOf.draw_labels`."""
    drawn = (fold(coefficients, items.pattern), log_weights, visibility, uniforms, slices, labels, offsets)
    unfit = int(_draw_labels(items.features, *drawn))
    if unfit >= 0:
        raise WeightError(unfit)


@kernel
def _likeliest(features, coefficients, log_weights, labels):  # type: ignore[no-untyped-def]
    number = log_weights.size
    there, feature, weight = (
        np.empty(coefficients.shape[0], np.int64),
        np.empty(coefficients.shape[0]),
        np.empty(number),
    )
    for i in range(labels.size):
        _weigh(features, i, coefficients, log_weights, weight, there, feature)
        best = find_best(weight)
        if best < 0:
            return i
        labels[i] = best
    return -1


def likeliest(items: Items, coefficients: Floats, log_weights: Floats) -> Labels:
    """The likeliest label of each item; see :meth:`disnplbm.families.base.FamilyOf.likeliest`."""
    labels = np.empty(items.statistics.shape[0], dtype=np.int32)
    unfit = int(_likeliest(items.features, fold(coefficients, items.pattern), log_weights, labels))
    if unfit >= 0:
        raise WeightError(unfit)
    return labels


@kernel
def _log_densities(features, coefficients, result):  # type: ignore[no-untyped-def]
    number = coefficients.shape[1]
    there, feature = np.empty(coefficients.shape[0], np.int64), np.empty(coefficients.shape[0])
    nothing = np.zeros(number)
    for i in range(result.shape[0]):
        _weigh(features, i, coefficients, nothing, result[i], there, feature)
        for k in range(number):
            if not abs(result[i, k]) < np.inf:
                return i
    return -1


def log_densities(items: Items, coefficients: Floats) -> Floats:
    """Log densities of all items; see :meth:`disnplbm.families.base.FamilyOf.log_densities`."""
    result = np.empty((items.statistics.shape[0], coefficients.shape[1]))
    unfit = int(_log_densities(items.features, fold(coefficients, items.pattern), result))
    if unfit >= 0:
        raise WeightError(unfit)
    return result


@kernel
def _draw_sides(features, contrasts, guided, try_of, present, uniforms, chances, labels, sides, minus_log_q, offsets):  # type: ignore[no-untyped-def]
    last = contrasts.shape[1] - 1
    there, feature = np.empty(last, np.int64), np.empty(last)
    for i in range(labels.size):
        t = try_of[labels[i]]
        if t < 0 or sides[i] >= 0:
            continue
        side = present[labels[i]]
        if not guided[t]:
            sides[i] = side if side >= 0 else (0 if uniforms[i] < chances[t] else 1)
            continue
        odds = contrasts[t, last]
        for f in range(_gather(features, i, there, feature)):
            odds += feature[f] * contrasts[t, there[f]]
        if offsets is not None:
            odds += offsets[i]
        if not abs(odds) < np.inf:
            return i
        ratio = exp(-min(abs(odds), 700.0))
        likely, cost = 1.0 / (1.0 + ratio), log(1.0 + ratio)
        if side < 0:
            side = 0 if uniforms[i] < (likely if odds >= 0.0 else ratio * likely) else 1
        sides[i] = side
        minus_log_q[t, side] += cost + (abs(odds) if (odds >= 0.0) == (side == 1) else 0.0)
    return -1


def draw_sides(items: Items, contrasts: Floats, *given: Any) -> None:
    """Draw sides; see :meth:`disnplbm.families.base.FamilyOf.draw_sides`."""
    folded = np.append(fold(contrasts[:, :-1].T, items.pattern).T, contrasts[:, -1:], axis=1)
    unfit = int(_draw_sides(items.features, folded, *given))
    if unfit >= 0:
        raise WeightError(unfit)


@kernel
def _likelier_sides(features, contrast, sides):  # type: ignore[no-untyped-def]
    for i in range(sides.size):
        odds = contrast[features.shape[1]]
        for f in range(features.shape[1]):
            odds += features[i, f] * contrast[f]
        if not abs(odds) < np.inf:
            return i
        sides[i] = 0 if odds >= 0.0 else 1
    return -1


def likelier_sides(features: Floats, contrast: Floats) -> Labels:
    """The likelier side of items: 0 where the log odds of ``contrast``, shape (F + 1,), are not negative."""
    sides = np.empty(len(features), dtype=np.int32)
    unfit = int(_likelier_sides(features, contrast, sides))
    if unfit >= 0:
        raise WeightError(unfit)
    return sides
