"""The collapsed Gibbs sweep, written as the model states it: the twin of :mod:`disnplbm.kernels.sweep`.

An *item* is a row, seen through its statistics per column cluster, or a column, seen through its statistics per row
cluster; the clusters of the other axis are the *groups*.
"""

from __future__ import annotations

import numpy as np

from disnplbm.model.marginal import log_marginal
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, Statistics, merge, remove


def candidate_log_weights(
    item: Statistics, sizes: Floats, blocks: Statistics, prior: NIWPrior, concentration: float, power: float
) -> Floats:
    """Unnormalised log probability of each cluster, and of a new one, for an item that is in none of them.

    Parameters
    ----------
    item : Statistics of shape (G,)
    sizes : ndarray of shape (C,)
        Members of each cluster; an empty slot (size 0) is no candidate and gets -inf.
    blocks : Statistics of shape (C, G)

    Returns
    -------
    ndarray of shape (C + 1,)
        The last entry is the new cluster's.
    """
    joined = merge(blocks, item[None, :])
    gain = (log_marginal(joined, prior, power) - log_marginal(blocks, prior, power)).sum(axis=1)
    with np.errstate(divide="ignore"):
        existing = np.log(sizes) + gain
    return np.append(existing, np.log(concentration) + log_marginal(item, prior, power).sum())


def draw(log_weights: Floats, uniform: float) -> int:
    """Index drawn in proportion to exp(log_weights), by inversion of one uniform."""
    weights = np.exp(log_weights - log_weights.max())
    return int(np.searchsorted(np.cumsum(weights), uniform * weights.sum(), side="right"))


def sweep(
    labels: Labels,
    uniforms: Floats,
    items: Statistics,
    sizes: Floats,
    blocks: Statistics,
    prior: NIWPrior,
    concentration: float,
    power: float,
) -> tuple[Labels, Floats, Statistics]:
    """One collapsed Gibbs sweep over items, in order.

    Parameters
    ----------
    labels : ndarray of int, length n
    uniforms : ndarray of shape (n,)
        One uniform in [0, 1) an item.
    items : Statistics of shape (n, G)
    sizes : ndarray of shape (C,)
        Members of each cluster, these items among them and perhaps others.
    blocks : Statistics of shape (C, G)
    prior, concentration, power
        As in :func:`candidate_log_weights`.

    Returns
    -------
    labels, sizes, blocks
        After the sweep. A new cluster takes the lowest empty slot, or a new one at the end.
    """
    labels, sizes, blocks = labels.copy(), sizes.copy(), blocks.copy()
    for i, uniform in enumerate(uniforms):
        item, current = items[i], labels[i]
        blocks[current] = remove(blocks[current], item)
        sizes[current] -= 1
        chosen = draw(candidate_log_weights(item, sizes, blocks, prior, concentration, power), float(uniform))
        if chosen == len(sizes):
            if sizes[current] == 0:
                chosen = int(current)
            elif (sizes == 0).any():
                chosen = int(np.argmax(sizes == 0))
            else:
                sizes = np.append(sizes, 0.0)
                blocks = blocks.extended(1)
        blocks[chosen] = merge(blocks[chosen], item)
        sizes[chosen] += 1
        labels[i] = chosen
    return labels, sizes, blocks
