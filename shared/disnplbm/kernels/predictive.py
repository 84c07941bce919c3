r"""New items against the clusters of a draw: in which they would be, and how dense their cells are.

The weights are the ones of the collapsed sweep (:mod:`disnplbm.kernels.sweep`) for an item that is in no cluster,

    log size_k + sum_g [ V(block_gk + item) - V(block_gk) ]      and      log alpha + sum_g [ V(item) - V(empty) ],

V as in :mod:`disnplbm.kernels.blocks`, or with the prior weights of another partition prior. Their sum, over the
sum of all prior weights, is the density of the item up to its factor of pi. Means over draws are formed by adding up
one draw after another.
"""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import LANES, Clusters, Items, KernelPrior, dimension
from disnplbm.kernels.candidates import weigh_candidates
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.special import exp, log
from disnplbm.kernels.sweep import NEGLIGIBLE
from disnplbm.model.statistics import Floats, Labels

#: So far below zero the exponential leaves its range, and nothing is lost.
OUT_OF_RANGE = 700.0


@inlined
def share_weights(weight, new, share):  # type: ignore[no-untyped-def]
    """Each slot's share and a new cluster's, as multiples of the largest; also its logarithm, and the sum of all."""
    best = new
    for k in range(weight.size):
        best = max(best, weight[k])
    opened = exp(new - best) if new - best > -NEGLIGIBLE else 0.0
    total = opened
    for k in range(weight.size):
        below = weight[k] - best
        share[k] = exp(max(below, -NEGLIGIBLE)) if below > -NEGLIGIBLE else 0.0
    for k in range(weight.size):
        total += share[k]
    return opened, best, total


@kernel
def _add_memberships(prior, clusters, items, log_opening, parts, places, result):  # type: ignore[no-untyped-def]
    weight, share = np.empty(clusters.size.size), np.empty(clusters.size.size)
    work = np.empty((prior.psi0.size, LANES))
    step = np.empty((dimension(items) + 4, LANES))
    last = parts.shape[1]
    for i in range(places.size):
        weigh_candidates(prior, clusters, items, i, weight, work, step)
        opened, _, total = share_weights(weight, log_opening + items.log_marginal_self[i], share)
        row, scale = result[places[i]], 1.0 / total
        for k in range(parts.shape[0]):
            if share[k] > 0.0:
                for c in range(last):
                    row[c] += scale * share[k] * parts[k, c]
        row[last] += scale * opened


@kernel
def _add_densities(prior, clusters, items, log_opening, log_total, places, best, total):  # type: ignore[no-untyped-def]
    weight, share = np.empty(clusters.size.size), np.empty(clusters.size.size)
    work = np.empty((prior.psi0.size, LANES))
    step = np.empty((dimension(items) + 4, LANES))
    for i in range(places.size):
        weigh_candidates(prior, clusters, items, i, weight, work, step)
        _, largest, sum_of_shares = share_weights(weight, log_opening + items.log_marginal_self[i], share)
        _add_log(largest + log(sum_of_shares) - log_total, places[i], best, total)


@inlined
def _add_log(value, place, best, total):  # type: ignore[no-untyped-def]
    """Add exp(value) to the sum exp(best) total kept at a place."""
    if value > best[place]:
        total[place] = total[place] * exp(max(best[place] - value, -OUT_OF_RANGE)) + 1.0
        best[place] = value
    else:
        total[place] += exp(max(value - best[place], -OUT_OF_RANGE))


@kernel
def _add_cell_densities(values, rows, columns, tables, best, total):  # type: ignore[no-untyped-def]
    centre, root, half_power, constant = tables
    _, parts, d = values.shape
    for i in range(rows.size):
        k, c = rows[i], columns[i]
        density = 0.0
        for part in range(parts):
            distance = 0.0
            for a in range(d):
                along = 0.0
                for b in range(a + 1):
                    along += root[k, c, part, a, b] * (values[i, part, b] - centre[k, c, part, b])
                distance += along * along
            density += constant[k, c, part] - half_power[k, c, part] * log(1.0 + distance)
        _add_log(density, i, best, total)


@kernel
def _add_logs(log_densities, best, total):  # type: ignore[no-untyped-def]
    for i in range(best.size):
        _add_log(log_densities[i], i, best, total)


@kernel
def _log_means(best, total, number):  # type: ignore[no-untyped-def]
    result = np.empty(best.size)
    for i in range(best.size):
        result[i] = best[i] + log(total[i] / number)
    return result


class LogMean:
    """Logarithm of the mean over draws of many densities, draw by draw, in memory that does not grow with the draws.

    Parameters
    ----------
    size : int
        How many densities.
    """

    def __init__(self, size: int) -> None:
        self._best = np.full(size, -np.inf)
        self._total = np.zeros(size)

    def add_items(
        self,
        prior: KernelPrior,
        clusters: Clusters,
        items: Items,
        log_opening: float,
        log_total: float,
        places: Labels,
    ) -> None:
        """Add the density of each item given one draw, without its factor pi^(-m d / 2).

        Parameters
        ----------
        prior, clusters, items
            See :mod:`disnplbm.kernels.blocks`.
        log_opening : float
            Log prior weight of a new cluster; -inf: there may be none.
        log_total : float
            Logarithm of the sum of all prior weights.
        places : ndarray of int32
            Which of the densities each item's is; no two alike.
        """
        _add_densities(prior, clusters, items, float(log_opening), float(log_total), places, self._best, self._total)

    def add_cells(
        self, values: Floats, rows: Labels, columns: Labels, tables: tuple[Floats, Floats, Floats, Floats]
    ) -> None:
        """Add the density of each cell given one draw, the product over its P parts x of

            exp(constant - half_power log(1 + |root (x - centre)|^2)).

        Parameters
        ----------
        values : ndarray of shape (M, P, d)
        rows, columns : ndarray of int32, shape (M,)
            Block of each cell.
        tables : ndarrays of shape (K, L, P, d), (K, L, P, d, d), (K, L, P) and (K, L, P)
            Centre, root (lower triangle), half power and constant of each block's parts.
        """
        _add_cell_densities(values, rows, columns, tables, self._best, self._total)

    def add_logs(self, log_densities: Floats) -> None:
        """Add densities given one draw, finite ones, of which these are the logarithms."""
        _add_logs(log_densities, self._best, self._total)

    def result(self, n_draws: int) -> Floats:
        """The logarithms of the means."""
        means: Floats = _log_means(self._best, self._total, float(n_draws))
        return means


def add_memberships(
    prior: KernelPrior,
    clusters: Clusters,
    items: Items,
    log_opening: float,
    parts: Floats,
    places: Labels,
    result: Floats,
) -> None:
    """Add to a table of memberships those given one draw.

    Parameters
    ----------
    prior, clusters, items
        See :mod:`disnplbm.kernels.blocks`.
    log_opening : float
        Log prior weight of a new cluster; -inf: there may be none.
    parts : ndarray of shape (K, C)
        Share of each cluster's members that each of C other clusters holds.
    places : ndarray of int32
        Row of the table of each item; no two alike.
    result : ndarray of shape (m, C + 1)
        The last column is a new cluster's.
    """
    _add_memberships(prior, clusters, items, float(log_opening), parts, places, result)
