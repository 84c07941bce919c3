r"""Log weights of all clusters for one item, a loop over clusters that vectorises.

Each function adds to ``weight``, which comes with :attr:`Clusters.base` in it, what the item's cells contribute:
sum over the groups of V(block + item) - V(block), V as in :mod:`disnplbm.kernels.blocks`. The loops for one component
are written out. For 2 to :data:`disnplbm.kernels.blocks.UNROLLED` components the straight-line code of an L D L^T
factorisation is generated for that dimension, so that a whole factorisation per cluster stays in vector registers.
Above, plain loops read d from the data.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.extending import overload

from disnplbm.kernels.blocks import LANES, complete, dimension
from disnplbm.kernels.compiler import OPTIONS, inlined
from disnplbm.kernels.special import log, log_gamma


@inlined
def weigh_complete_1(prior, clusters, items, i, weight):  # type: ignore[no-untyped-def]
    """Add the log weights for one component and complete data."""
    for g in range(clusters.counts.shape[0]):
        x = items.mean[i, g, 0]
        q = prior.power * items.scatter[i, g, 0, 0]
        for k in range(weight.size):
            difference = x - clusters.mu[g, 0, k]
            scale = clusters.psi[g, 0, k] + (q + clusters.slope[g, k] * difference * difference)
            weight[k] -= clusters.half_nu[g, k] * log(scale)


@inlined
def weigh_missing_1(prior, clusters, items, i, weight):  # type: ignore[no-untyped-def]
    """Add the log weights for one component where each item has its own counts."""
    for g in range(clusters.counts.shape[0]):
        if items.counts[i, g] == 0.0:
            continue
        m = prior.power * items.counts[i, g]
        x = items.mean[i, g, 0]
        q = prior.power * items.scatter[i, g, 0, 0]
        for k in range(weight.size):
            difference = x - clusters.mu[g, 0, k]
            kappa = prior.kappa0 + prior.power * clusters.counts[g, k]
            half_nu = 0.5 * (prior.nu0 + prior.power * clusters.counts[g, k] + m)
            scale = clusters.psi[g, 0, k] + (q + kappa * m / (kappa + m) * difference * difference)
            gain = log_gamma(half_nu) - half_nu * log(scale) - 0.5 * log(kappa + m)
            weight[k] += gain - clusters.potential[g, k]


@inlined
def weigh_looped(prior, clusters, items, i, weight, work, step):  # type: ignore[no-untyped-def]
    """Add the log weights for any number of components: loops over L D L^T, a vector of clusters at a time."""
    d = dimension(items)
    row = 0 if complete(items) else i
    for g in range(clusters.counts.shape[0]):
        m = prior.power * items.counts[row, g]
        if m == 0.0:
            continue
        for first in range(0, weight.size, LANES):
            slope, half_nu, log_det, det = step[d], step[d + 1], step[d + 2], step[d + 3]
            for lane in range(LANES):
                kappa = prior.kappa0 + prior.power * clusters.counts[g, first + lane]
                slope[lane] = kappa * m / (kappa + m)
                half_nu[lane] = 0.5 * (prior.nu0 + prior.power * clusters.counts[g, first + lane] + m)
                log_det[lane] = 0.0
                det[lane] = 1.0
            for a in range(d):
                for lane in range(LANES):
                    step[a, lane] = items.mean[i, g, a] - clusters.mu[g, a, first + lane]
            t = 0
            for a in range(d):
                for b in range(a + 1):
                    q = prior.power * items.scatter[i, g, a, b]
                    for lane in range(LANES):
                        work[t, lane] = clusters.psi[g, t, first + lane] + (
                            q + slope[lane] * step[a, lane] * step[b, lane]
                        )
                    t += 1
            for a in range(d):
                at = a * (a + 1) // 2 + a
                for lane in range(LANES):
                    work[at, lane] = max(work[at, lane], prior.pivots0[a])
                    det[lane] *= work[at, lane]
                if a % 8 == 7:  # the product of eight pivots is far from overflow
                    for lane in range(LANES):
                        log_det[lane] += log(det[lane])
                        det[lane] = 1.0
                for lane in range(LANES):
                    step[a, lane] = 1.0 / work[at, lane]
                for b in range(a + 1, d):
                    pivot_row = b * (b + 1) // 2 + a
                    for lane in range(LANES):
                        step[b, lane] = work[pivot_row, lane] * step[a, lane]
                    for c in range(b, d):
                        target, source = c * (c + 1) // 2 + b, c * (c + 1) // 2 + a
                        for lane in range(LANES):
                            work[target, lane] -= step[b, lane] * work[source, lane]
            if complete(items):
                for lane in range(LANES):
                    weight[first + lane] -= half_nu[lane] * (log_det[lane] + log(det[lane]))
            else:
                for lane in range(LANES):
                    gain = -half_nu[lane] * (log_det[lane] + log(det[lane])) - clusters.potential[g, first + lane]
                    kappa = prior.kappa0 + prior.power * clusters.counts[g, first + lane]
                    weight[first + lane] += gain - 0.5 * d * log(kappa + m)
                for c in range(d):
                    for lane in range(LANES):
                        weight[first + lane] += log_gamma(half_nu[lane] - 0.5 * c)


def _straight_line(d: int, alike: bool) -> Iterator[str]:
    """Source of the loop for d components; ``p{a}{b}`` is the lower triangle under factorisation."""
    pairs = [(a, b) for a in range(d) for b in range(a + 1)]
    yield "def implementation(prior, clusters, items, i, weight):"
    yield "    for g in range(clusters.counts.shape[0]):"
    yield f"        m = prior.power * items.counts[{0 if alike else 'i'}, g]"
    yield "        if m == 0.0:"
    yield "            continue"
    for a in range(d):
        yield f"        x{a} = items.mean[i, g, {a}]"
    for a, b in pairs:
        yield f"        q{a}{b} = prior.power * items.scatter[i, g, {a}, {b}]"
    yield "        for k in range(weight.size):"
    if alike:
        yield "            slope, half_nu = clusters.slope[g, k], clusters.half_nu[g, k]"
    else:
        yield "            kappa = prior.kappa0 + prior.power * clusters.counts[g, k]"
        yield "            slope = kappa * m / (kappa + m)"
        yield "            half_nu = 0.5 * (prior.nu0 + prior.power * clusters.counts[g, k] + m)"
    for a in range(d):
        yield f"            v{a} = x{a} - clusters.mu[g, {a}, k]"
        yield f"            s{a} = slope * v{a}"
    for t, (a, b) in enumerate(pairs):
        yield f"            p{a}{b} = clusters.psi[g, {t}, k] + (q{a}{b} + s{a} * v{b})"
    for a in range(d):
        if a > 0:  # the first pivot is an element of Psi, and only grows
            yield f"            p{a}{a} = max(p{a}{a}, prior.pivots0[{a}])"
        if a == d - 1:
            break
        yield f"            inverse = 1.0 / p{a}{a}"
        for b in range(a + 1, d):
            yield f"            ratio = p{b}{a} * inverse"
            for c in range(b, d):
                yield f"            p{c}{b} -= ratio * p{c}{a}"
    yield f"            log_det = log({' * '.join(f'p{a}{a}' for a in range(d))})"
    if alike:
        yield "            weight[k] -= half_nu * log_det"
    else:
        yield "            gain = -half_nu * log_det"
        for a in range(d):
            yield f"            gain += log_gamma(half_nu - {0.5 * a})"
        yield f"            weight[k] += gain - {0.5 * d} * log(kappa + m) - clusters.potential[g, k]"


def _do_nothing(prior, clusters, items, i, weight):  # type: ignore[no-untyped-def]
    """Stand in a branch that the compiler drops, where kernels of other dimensions have straight-line code."""


def weigh_unrolled(prior, clusters, items, i, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Add the log weights for 2 to 8 components; exists in kernels only."""
    raise RuntimeError("weigh_unrolled is generated for kernels and has no body of its own")


@overload(weigh_unrolled, jit_options={**OPTIONS, "forceinline": True})
def _generate_weigh_unrolled(prior, clusters, items, i, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    of_dimension, of_own_counts = items[items.fields.index("kind")]
    if len(of_dimension) < 2:
        return _do_nothing
    namespace: dict[str, Any] = {"log": log, "log_gamma": log_gamma}
    exec("\n".join(_straight_line(len(of_dimension), len(of_own_counts) == 0)), namespace)  # noqa: S102 - our own text
    return namespace["implementation"]


@inlined
def weigh_candidates(prior, clusters, items, i, weight, work, step):  # type: ignore[no-untyped-def]
    """Write the log weight of every slot for item i, as if it were in none of them."""
    for k in range(weight.size):
        weight[k] = clusters.base[k]
    if len(items.kind.dimension) == 0:
        weigh_looped(prior, clusters, items, i, weight, work, step)
    elif len(items.kind.dimension) > 1:
        weigh_unrolled(prior, clusters, items, i, weight)
    elif complete(items):
        weigh_complete_1(prior, clusters, items, i, weight)
    else:
        weigh_missing_1(prior, clusters, items, i, weight)
