"""Normal cells in a sweep that another part leads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from disnplbm.kernels.blocks import (
    LANES,
    Clusters,
    Items,
    KernelPrior,
    change,
    clear,
    enlarge,
    refresh,
)
from disnplbm.kernels.candidates import weigh_candidates
from disnplbm.kernels.companions import add_gain, marginal_self, move
from disnplbm.kernels.compiler import OPTIONS
from disnplbm.kernels.special import log
from disnplbm.kernels.sweep import weight_of_current
from disnplbm.model.statistics import Floats


class GaussianCompanion(NamedTuple):
    """Items and clusters of normal cells, with room to work in."""

    prior: KernelPrior
    items: Items
    clusters: Clusters
    weight: Floats  # (C,)
    psi: Floats  # (d (d + 1) / 2,)
    work: Floats  # (d (d + 1) / 2, LANES)
    step: Floats  # (d + 4, LANES)


def gaussian_companion(items: Items, clusters: Clusters, prior: KernelPrior, slots: int) -> GaussianCompanion:
    """Make a companion whose clusters have at least so many slots."""
    while len(clusters.size) < slots:
        clusters = enlarge(clusters, items, prior)
    triangle, d = len(prior.psi0), clusters.mu.shape[1]
    rooms = np.empty(len(clusters.size)), np.empty(triangle), np.empty((triangle, LANES)), np.empty((d + 4, LANES))
    return GaussianCompanion(prior, items, clusters, *rooms)


def _is_gaussian(companion):  # type: ignore[no-untyped-def]
    return getattr(companion, "instance_class", None) is GaussianCompanion


@overload(add_gain, jit_options={**OPTIONS})
def _compile_add_gain(companion, i, current, weight):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_gaussian(companion):
        return None

    def of_gaussian(companion, i, current, weight):  # type: ignore[no-untyped-def]
        own, clusters = companion.weight, companion.clusters
        weigh_candidates(companion.prior, clusters, companion.items, i, own, companion.work, companion.step)
        if clusters.size[current] > 1.0:
            given = (companion.prior, clusters, current, companion.items, i, companion.psi, companion.work)
            own[current] = weight_of_current(*given)
        for k in range(weight.size):
            if weight[k] != -np.inf:
                # The leading part has weighed the sizes.
                members = clusters.size[k] - (1.0 if k == current else 0.0)
                weight[k] += own[k] - log(members + clusters.pseudo_count)

    return of_gaussian


@overload(marginal_self, jit_options={**OPTIONS})
def _compile_marginal_self(companion, i):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_gaussian(companion):
        return None

    def of_gaussian(companion, i):  # type: ignore[no-untyped-def]
        return companion.items.log_marginal_self[i]

    return of_gaussian


@overload(move, jit_options={**OPTIONS})
def _compile_move(companion, i, current, chosen):  # type: ignore[no-untyped-def]  # noqa: ARG001
    if not _is_gaussian(companion):
        return None

    def of_gaussian(companion, i, current, chosen):  # type: ignore[no-untyped-def]
        prior, clusters, items = companion.prior, companion.clusters, companion.items
        if clusters.size[chosen] == 0.0:
            clear(prior, clusters, chosen)
        if clusters.size[current] == 1.0:
            clear(prior, clusters, current)
        else:
            change(prior, clusters, current, items, i, -1.0, companion.psi, companion.work)
        change(prior, clusters, chosen, items, i, 1.0, companion.psi, companion.work)
        refresh(prior, clusters, current, items)
        refresh(prior, clusters, chosen, items)

    return of_gaussian
