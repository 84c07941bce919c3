"""What a tree of a fit is grown by: the loss of the model, or for real numbers the one of a shared variance."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.posterior.draws import Axis, DrawsMeta
from disnplbm.posterior.trees.growing import Tree, grow_tree

#: Clusters of an axis up to which a tree is grown: it takes time with the square of their number.
MOST_CLUSTERS = 2000

#: "shared" is for real numbers; other cells have the loss of their model in either case.
TreeLoss = Literal["shared", "model"]


def family_of_levels(family: Family, blocks: Any, loss: TreeLoss) -> Family:
    """The family that levels are compared by."""
    return family.for_levels(blocks) if loss == "shared" else family


def grow_axis(
    axis: Axis,
    blocks: Any,
    sizes: NDArray[np.integer],
    concentration: float,
    meta: DrawsMeta,
    loss: TreeLoss = "shared",
    together: NDArray[np.float64] | None = None,
) -> Tree:
    """Grow the tree of one axis.

    Parameters
    ----------
    blocks : Statistics of shape (K, L)
    sizes : ndarray of int, shape (K,) or (L,)
        Members of each cluster of that axis.
    concentration : float
        Of that axis.
    loss : {"shared", "model"}
    together : ndarray, optional
        As :func:`disnplbm.posterior.trees.growing.grow_tree` takes it.
    """
    family, limit = family_of_levels(meta.family, blocks, loss), meta.row_limit if axis == "rows" else meta.column_limit
    # A shared variance weighs no partition.
    prior = PartitionPrior.of(concentration, limit) if family is meta.family else None
    return grow_tree(blocks if axis == "rows" else blocks.T, sizes, prior, family, together)
