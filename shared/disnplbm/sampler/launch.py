r"""Where the sides of a proposed split come from.

Two anchors i and j are to be apart. The items of the cluster C, or of the two clusters that would be one, are put on
the side of the anchor that is nearer; a few rounds then put each on the side whose items it resembles more. The
outcome is not the sides but a *contrast*: the log odds of side 0 as a function of an item's features. It depends on C,
i and j alone. Nothing of how C is split at present may enter, or a merge would be judged by a proposal that the
reverse split could not have made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.kernels.blocks import Hyper, bare_items
from disnplbm.kernels.choice import logs
from disnplbm.kernels.gaussian import central_variates, coefficients, likelier_sides
from disnplbm.kernels.statistics import aggregate
from disnplbm.model.statistics import Floats, Statistics

#: Rounds at most; they stop when no item changes sides.
ROUNDS = 5


def launch(items: Statistics, first: int, second: int, hyper: Hyper) -> Floats:
    """The contrast that a split of these items between two of them would use.

    Parameters
    ----------
    items : Statistics of shape (m, G)
        Items of C, or as many of them as are enough to tell the sides.
    first, second : int
        Positions of the anchors i and j among them.
    hyper : Hyper

    Returns
    -------
    ndarray of shape (F + 1,)
        One coefficient a feature (see :mod:`disnplbm.kernels.gaussian`), then a constant.
    """
    m = items.shape[0]
    everyone = np.arange(m, dtype=np.int32)
    seen = bare_items(items, alike=False)
    whole = aggregate(items, np.zeros(m, dtype=np.int32), 1, axis=0)
    anchors = items[[first, second]]
    # As if all of C lay around each anchor: its mean, the spread of C.
    mean = np.where(anchors.count[..., None] > 0, anchors.mean, whole.mean)
    blocks = Statistics(np.repeat(whole.count, 2, axis=0), mean, np.repeat(whole.scatter, 2, axis=0))
    contrast = _contrast(blocks, np.ones(2), hyper)
    sides = np.full(m, -1, dtype=np.int32)
    for _ in range(ROUNDS):
        before, sides = sides, likelier_sides(seen, contrast, everyone)
        sides[first], sides[second] = 0, 1
        if np.array_equal(before, sides):
            break
        contrast = _contrast(aggregate(items, sides, 2, axis=0), np.bincount(sides, minlength=2), hyper)
    return contrast


def _contrast(blocks: Statistics, sizes: ArrayLike, hyper: Hyper) -> Floats:
    nu = (hyper.nu0 + hyper.power * blocks.count).reshape(-1)
    of_sides = coefficients(blocks, central_variates(nu, blocks.dimension), hyper)
    log_sizes = logs(sizes)
    return np.append(of_sides[:, 0] - of_sides[:, 1], log_sizes[0] - log_sizes[1])
