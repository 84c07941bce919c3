r"""The collapsed Gibbs sweep: each item in turn is taken out of its cluster and drawn anew.

Its log weight in cluster k is log size_k + sum_g [ V(block_gk + item) - V(block_gk) ] and for a new cluster
log alpha + sum_g [ V(item) - V(empty) ], V as in :mod:`disnplbm.kernels.blocks`; with another :class:`PartitionPrior`,
its weights stand for size_k and alpha. For complete data with d = 1, one logarithm is left per block. The item's own
cluster is evaluated with the item taken out, but its state is touched only if the item moves: a chain at rest costs
the evaluations alone, and rounding does not build up.
"""

from __future__ import annotations

import numpy as np

from disnplbm.errors import WeightError
from disnplbm.kernels.blocks import (
    LANES,
    Clusters,
    Items,
    KernelPrior,
    change,
    clear,
    combine_scale,
    complete,
    dimension,
    enlarge,
    log_determinant,
    potential_of,
    refresh,
)
from disnplbm.kernels.candidates import weigh_candidates
from disnplbm.kernels.companions import Companions, add_gains, add_marginals_self, move_all, no_companions
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.partition_prior import PartitionPrior, log_new
from disnplbm.kernels.special import exp, log
from disnplbm.model.statistics import Floats, Labels

#: A candidate whose log weight is this far below the best has a probability below half a unit in the last place.
NEGLIGIBLE = 40.0


@inlined
def _complete_weight_of_current_1(prior, clusters, k, items, i):  # type: ignore[no-untyped-def]
    """What :func:`weight_of_current` gives, for one component and complete data."""
    weight = clusters.base_out[k]
    for g in range(clusters.counts.shape[0]):
        difference = items.mean[i, g, 0] - clusters.mu[g, 0, k]
        taken = clusters.slope_out[g, k] * difference * difference - prior.power * items.scatter[i, g, 0, 0]
        scale = max(clusters.psi[g, 0, k] + taken, prior.psi0[0])
        weight += (clusters.half_nu[g, k] - prior.power * items.counts[0, g]) * log(scale)
    return weight


@inlined
def weight_of_current(prior, clusters, k, items, i, psi, work):  # type: ignore[no-untyped-def]
    """Log weight of the cluster the item is in, with the item taken out; the cluster has other members."""
    if dimension(items) == 1 and complete(items):
        return _complete_weight_of_current_1(prior, clusters, k, items, i)
    d = dimension(items)
    row = 0 if complete(items) else i
    weight = clusters.base_out[k]
    for g in range(clusters.counts.shape[0]):
        m = items.counts[row, g]
        if m == 0.0:
            continue
        combine_scale(prior, clusters, g, k, items, i, m, -1.0, psi)
        log_det = log_determinant(psi, prior.pivots0, d, work)
        left = max(clusters.counts[g, k] - m, 0.0)
        if complete(items):
            weight += 0.5 * (prior.nu0 + prior.power * left) * log_det
        else:
            weight += clusters.potential[g, k] - potential_of(prior, left, log_det, d)
    return weight


@inlined
def _surely_stays(weight, new, current, uniform):  # type: ignore[no-untyped-def]
    """Whether the draw is sure to give the item's own cluster: all others are negligible for this uniform."""
    floor = weight[current] - NEGLIGIBLE
    near = 0
    for k in range(weight.size):
        # NaN is near too: it must not be passed over.
        near += 0 if weight[k] <= floor else 1
    # Below exp(-15) a new cluster takes the last 3.1e-7 of the unit interval at most.
    return near == 1 and (new <= floor or (new < weight[current] - 15.0 and uniform < 1.0 - 1e-6))


@inlined
def draw_slot(weight, new, uniform, share):  # type: ignore[no-untyped-def]
    """Slot drawn in proportion to exp(weight), or the number of slots for a new cluster; -1 if none can be drawn."""
    # Four maxima and four sums side by side: a chain of dependent operations would cost more than the exponentials.
    best0, best1, best2, best3 = new, new, new, new
    for k in range(0, weight.size, LANES):
        best0, best1 = max(best0, weight[k]), max(best1, weight[k + 1])
        best2, best3 = max(best2, weight[k + 2]), max(best3, weight[k + 3])
    best = max(max(best0, best1), max(best2, best3))
    unfit = 0 if new < np.inf else 1
    for k in range(weight.size):
        unfit += 0 if weight[k] < np.inf else 1
    if unfit > 0 or best == -np.inf:
        return -1
    for k in range(weight.size):
        below = weight[k] - best
        share[k] = exp(max(below, -NEGLIGIBLE)) if below > -NEGLIGIBLE else 0.0
    sum0 = sum1 = sum2 = sum3 = 0.0
    for k in range(0, weight.size, LANES):
        sum0, sum1, sum2, sum3 = sum0 + share[k], sum1 + share[k + 1], sum2 + share[k + 2], sum3 + share[k + 3]
    opened = exp(new - best) if new - best > -NEGLIGIBLE else 0.0
    left = uniform * ((sum0 + sum1) + (sum2 + sum3) + opened)
    last = weight.size
    for k in range(weight.size):
        if share[k] > 0.0:
            left -= share[k]
            if left < 0.0:
                return k
            last = k
    # Rounding may leave a last bit over.
    return weight.size if opened > 0.0 else last


@inlined
def note_overlap(clusters, chosen, weight):  # type: ignore[no-untyped-def]
    """Add to the chosen cluster's overlap -log P(chosen | chosen or its partner)."""
    partner = clusters.partner[chosen]
    if partner >= 0:
        ahead = weight[partner] - weight[chosen]
        if ahead > NEGLIGIBLE:
            clusters.overlap[chosen] += ahead
        elif ahead > -NEGLIGIBLE:
            clusters.overlap[chosen] += log(1.0 + exp(ahead))


@kernel
def log_weights(prior, clusters, items, i, current, log_opening, weight):  # type: ignore[no-untyped-def]
    """Write the log weight of every slot for item i of cluster ``current``; return the log weight of a new one."""
    d = dimension(items)
    psi = np.empty(prior.psi0.size)
    work = np.empty((prior.psi0.size, LANES))
    step = np.empty((d + 4, LANES))
    _fill_weights(prior, clusters, items, i, current, weight, psi, work, step)
    return log_opening + items.log_marginal_self[i]


@inlined
def _fill_weights(prior, clusters, items, i, current, weight, psi, work, step):  # type: ignore[no-untyped-def]
    weigh_candidates(prior, clusters, items, i, weight, work, step)
    if clusters.size[current] > 1.0:
        weight[current] = weight_of_current(prior, clusters, current, items, i, psi, work)
    else:
        weight[current] = -np.inf


@kernel
def _sweep(start, labels, uniforms, items, clusters, prior, partition_prior, companions):  # type: ignore[no-untyped-def]
    slots = clusters.size.size
    d = dimension(items)
    occupied = 0.0
    for k in range(slots):
        occupied += 1.0 if clusters.size[k] > 0.0 else 0.0
    log_open = log_new(partition_prior, occupied)
    log_reopen = log_new(partition_prior, occupied - 1.0)  # for an item whose own cluster is gone once it is taken out
    weight, share = np.empty(slots), np.empty(slots)
    psi = np.empty(prior.psi0.size)
    work = np.empty((prior.psi0.size, LANES))
    step = np.empty((d + 4, LANES))
    for i in range(start, labels.size):
        current = labels[i]
        _fill_weights(prior, clusters, items, i, current, weight, psi, work, step)
        add_gains(companions, i, current, weight)
        by_itself = add_marginals_self(companions, i, items.log_marginal_self[i])
        new = by_itself + (log_reopen if clusters.size[current] == 1.0 else log_open)
        if _surely_stays(weight, new, current, uniforms[i]):
            continue
        chosen = draw_slot(weight, new, uniforms[i], share)
        if chosen < 0:
            return -1 - i
        if chosen < slots:
            note_overlap(clusters, chosen, weight)
        if chosen == current:
            continue
        if chosen == slots:
            if clusters.size[current] == 1.0:
                continue
            chosen = 0
            while chosen < slots and clusters.size[chosen] > 0.0:
                chosen += 1
            if chosen == slots:
                return i
            clear(prior, clusters, chosen)
            clusters.opened_in_sweep[chosen] = True
            clusters.partner[chosen] = -1
        if clusters.size[current] == 1.0:
            clear(prior, clusters, current)
        else:
            change(prior, clusters, current, items, i, -1.0, psi, work)
        change(prior, clusters, chosen, items, i, 1.0, psi, work)
        refresh(prior, clusters, current, items)
        refresh(prior, clusters, chosen, items)
        move_all(companions, i, current, chosen)
        labels[i] = chosen
        change_in_number = (clusters.size[chosen] == 1.0) * 1.0 - (clusters.size[current] == 0.0)
        if change_in_number != 0.0:
            occupied += change_in_number
            log_open, log_reopen = log_new(partition_prior, occupied), log_new(partition_prior, occupied - 1.0)
    return labels.size


def sweep(
    labels: Labels,
    uniforms: Floats,
    items: Items,
    clusters: Clusters,
    prior: KernelPrior,
    partition_prior: PartitionPrior,
    companions: Companions = no_companions,
) -> Clusters:
    """Sweep all items once, in order.

    Parameters
    ----------
    labels : ndarray of int32, length n
        Slot of each item; changed in place.
    uniforms : ndarray of shape (n,)
        One uniform in [0, 1) an item.
    items, clusters, prior
        See :mod:`disnplbm.kernels.blocks`; the clusters are changed in place.
    partition_prior : PartitionPrior
        Prior of the partition; the clusters were made with its ``pseudo_count``.
    companions : callable
        What the kernel reads of further parts, in a tuple, when the clusters have so many slots.

    Returns
    -------
    Clusters
        The clusters after the sweep: those given, or a copy with more slots.

    Raises
    ------
    WeightError
        The log weights of an item are not finite numbers.
    """
    position = 0
    while True:
        beside = companions(len(clusters.size))
        position = _sweep(position, labels, uniforms, items, clusters, prior, partition_prior, beside)
        if position < 0:
            raise WeightError(-1 - position)
        if position == len(labels):
            return clusters
        clusters = enlarge(clusters, items, prior)
