r"""Where the sides of a proposed split come from.

Two anchors i and j are to be apart. The items of the cluster C, or of the two clusters that would be one, are first put
on the side of i or of j by the sign of their scores on the leading principal direction of C. (The distance to each
anchor does not do: where a cell is many numbers, an item is about as far from all others.) A few rounds then put each
item on the side whose items it resembles more. The outcome is not the sides but a *contrast*: the log odds of side 0 as
a function of an item's features. It depends on C, i and j alone. Nothing of how C is split at present may enter, or a
merge would be judged by a proposal that the reverse split could not have made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.kernels.blocks import KernelPrior, bare_items
from disnplbm.kernels.choice import logs
from disnplbm.kernels.gaussian import central_variates, coefficients, likelier_sides
from disnplbm.kernels.principal import leading_scores
from disnplbm.kernels.statistics import aggregate
from disnplbm.model.statistics import Floats, Labels, Statistics

#: Rounds at most; they stop when no item changes sides.
ROUNDS = 5


def launch(items: Statistics, first: int, second: int, kernel_prior: KernelPrior) -> Floats:
    """Find the contrast that a split of these items between two of them would use.

    Parameters
    ----------
    items : Statistics of shape (m, G)
        Items of C, or as many of them as are enough to tell the sides.
    first, second : int
        Positions of the anchors i and j among them.

    Returns
    -------
    ndarray of shape (F + 1,)
        One coefficient a feature (see :mod:`disnplbm.kernels.gaussian`), then a constant.
    """
    everyone = np.arange(items.shape[0], dtype=np.int32)
    seen = bare_items(items, alike=False)
    sides = _principal_sides(items, first)
    sides[second] = 1
    for _ in range(ROUNDS):
        contrast = _contrast(aggregate(items, sides, 2, axis=0), np.bincount(sides, minlength=2), kernel_prior)
        before, sides = sides, likelier_sides(seen, contrast, everyone)
        sides[first], sides[second] = 0, 1
        if np.array_equal(before, sides):
            break
    return contrast


def _principal_sides(items: Statistics, first: int) -> Labels:
    """Sides by the sign of the scores on the leading principal direction; item ``first`` is on side 0.

    An item's features are, for each group and component, sqrt(count) (mean - mean of all) / sd of all.
    """
    m = items.shape[0]
    whole = aggregate(items, np.zeros(m, dtype=np.int32), 1, axis=0)
    variance = whole.squares / np.maximum(whole.count, 1.0)[..., None]
    # Components that do not vary count for nothing; so do cells that are missing.
    weight = np.sqrt(items.count)[..., None] / np.sqrt(np.where(variance > 0.0, variance, np.inf))
    scores = leading_scores(np.ascontiguousarray((weight * (items.mean - whole.mean)).reshape(m, -1)))
    return np.asarray((scores >= 0.0) != (scores[first] >= 0.0), dtype=np.int32)


def mean_coefficients(blocks: Statistics, kernel_prior: KernelPrior) -> Floats:
    """Coefficients of clusters at the posterior mean of their blocks, shape (K, G); shape (F, K)."""
    blocks = blocks.unfolded
    nu = (kernel_prior.nu0 + kernel_prior.power * blocks.count).reshape(-1)
    return coefficients(blocks, central_variates(nu, blocks.dimension), kernel_prior)


def _contrast(blocks: Statistics, sizes: ArrayLike, kernel_prior: KernelPrior) -> Floats:
    of_sides = mean_coefficients(blocks, kernel_prior)
    log_sizes = logs(sizes)
    return np.append(of_sides[:, 0] - of_sides[:, 1], log_sizes[0] - log_sizes[1])
