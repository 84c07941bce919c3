"""New items against the clusters of a draw, where cells are known by sums.

The log weights are what the collapsed sweep gives an item that is in no cluster,

    log size_k + sum_g [ LM(block_kg + item_g) - LM(block_kg) ]      and      log alpha + sum_g LM(item_g),

or with the prior weights of another partition prior. Their sum, over the sum of all prior weights, is the density of
the item given the draw. Over draws densities are averaged, and memberships are averaged with densities for weights.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from disnplbm.families.exponential.kernels import log_marginal, log_marginals
from disnplbm.kernels.compiler import OPTIONS, kernel
from disnplbm.kernels.predictive import OUT_OF_RANGE, share_weights
from disnplbm.kernels.special import exp, log
from disnplbm.model.statistics import Floats, Labels


class Candidate(NamedTuple):
    """A draw as new items see it."""

    log_weights: Floats  # (K,) of the clusters under the prior
    log_opening: float  # of a new cluster; -inf where none may be added
    log_total: float  # of the sum of all prior weights
    blocks: Floats  # (K, G, S)
    parts: Floats  # (K, C) share of each cluster in each of C other clusters


class Judged(NamedTuple):
    """What the draws so far say of m new items: sums over draws, as multiples of the largest density."""

    best: Floats  # (m,) log of the largest density of each item
    total: Floats  # (m,) densities
    memberships: Floats  # (m, C + 1) memberships times densities; the last one is a new cluster's

    @classmethod
    def nothing(cls, number: int, clusters: int) -> Judged:
        """Before the first draw."""
        return cls(np.full(number, -np.inf), np.zeros(number), np.zeros((number, clusters + 1)))


def judge(items: Floats, candidate: Candidate, prior: Any, places: Labels, judged: Judged) -> int:
    """Take one draw in; see :meth:`disnplbm.families.exponential.family.ExponentialFamily.judge`.

    Parameters
    ----------
    items : ndarray of shape (m, G, S)
    prior : NamedTuple
        As the family's own log marginal reads it.
    """
    marginals = log_marginals(candidate.blocks, prior)
    return int(_judge(prior, items, np.ascontiguousarray(candidate.blocks), marginals, candidate, places, judged))


#: Types of priors whose families overload :func:`log_gain`.
OWN_GAIN = set[type]()


def log_gain(prior, block, item, marginal, changed):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """By how much the log marginal of a block grows with cells, of their sums of shape (S,) each.

    A family may overload it for the type of its prior, where that takes less time, and adds that to :data:`OWN_GAIN`.
    """
    raise RuntimeError("log_gain is compiled into kernels and has no body of its own")


@overload(log_gain, jit_options={**OPTIONS, "forceinline": True})
def _compile_log_gain(prior, block, item, marginal, changed):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if getattr(prior, "instance_class", None) in OWN_GAIN:
        return None

    def by_marginals(prior, block, item, marginal, changed):  # type: ignore[no-untyped-def]
        for s in range(item.size):
            changed[s] = block[s] + item[s]
        return log_marginal(prior, changed) - marginal

    return by_marginals


@kernel
def _judge(prior, items, blocks, marginals, candidate, places, judged):  # type: ignore[no-untyped-def]
    number, groups, sums = blocks.shape
    weight, share, changed, there = np.empty(number), np.empty(number), np.zeros(sums), np.empty(groups, np.int64)
    last = judged.memberships.shape[1] - 1
    for i in range(places.size):
        found, new = 0, candidate.log_opening
        for g in range(groups):
            some = False
            for s in range(sums):
                some = some or items[i, g, s] != 0.0
            if some:
                there[found] = g
                found += 1
                new += log_marginal(prior, items[i, g])
        for k in range(number):
            gain = 0.0
            for t in range(found):
                g = there[t]
                gain += log_gain(prior, blocks[k, g], items[i, g], marginals[k, g], changed)
            weight[k] = candidate.log_weights[k] + gain
        opened, largest, total = share_weights(weight, new, share)
        value = largest + log(total) - candidate.log_total
        if not abs(value) < np.inf:
            return i
        place = places[i]
        row = judged.memberships[place]
        if value > judged.best[place]:
            less = exp(max(judged.best[place] - value, -OUT_OF_RANGE))
            judged.best[place] = value
            judged.total[place] *= less
            for c in range(last + 1):
                row[c] *= less
        density = exp(max(value - judged.best[place], -OUT_OF_RANGE))
        judged.total[place] += density
        scale = density / total
        for k in range(number):
            if share[k] > 0.0:
                for c in range(last):
                    row[c] += scale * share[k] * candidate.parts[k, c]
        row[last] += scale * opened
    return -1
