"""What a tree of a fit is grown by: the loss of the model, or for real numbers the one of a shared variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import Family
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.parts import slices_of
from disnplbm.posterior.draws import DrawsMeta
from disnplbm.posterior.trees.growing import Tree, grow_tree, join_trees

#: Clusters of an axis up to which a tree is grown: it takes time with the square of their number.
MOST_CLUSTERS = 2000

#: "shared" is for real numbers; other cells have the loss of their model in either case.
TreeLoss = Literal["shared", "model"]


def family_of_levels(family: Family, blocks: Any, loss: TreeLoss) -> Family:
    """The family that levels are compared by."""
    return family.for_levels(blocks) if loss == "shared" else family


def families_of_levels(meta: DrawsMeta, parts: Sequence[Any], loss: TreeLoss) -> list[Family]:
    """The family of each part that levels are compared by, from its blocks."""
    return [family_of_levels(family, blocks, loss) for family, blocks in zip(meta.families, parts, strict=True)]


def grow_rows(
    parts: Sequence[Any],
    sizes: NDArray[np.integer],
    alpha: float,
    meta: DrawsMeta,
    loss: TreeLoss = "shared",
    together: NDArray[np.float64] | None = None,
) -> Tree:
    """Grow the tree of the rows.

    Parameters
    ----------
    parts : sequence of Statistics of shape (K, L)
        Blocks of each part.
    sizes : ndarray of int, shape (K,)
        Rows of each cluster.
    alpha : float
        Concentration of the rows.
    loss : {"shared", "model"}
    together : ndarray, optional
        As :func:`disnplbm.posterior.trees.growing.grow_tree` takes it.
    """
    families = families_of_levels(meta, parts, loss)
    # A shared variance weighs no partition.
    weighs = all(family is own for family, own in zip(families, meta.families, strict=True))
    prior = PartitionPrior.of(alpha, meta.row_limit) if weighs else None
    return grow_tree(parts, sizes, prior, families, together)


def grow_columns(
    parts: Sequence[Any],
    sizes: NDArray[np.integer],
    betas: Sequence[float],
    meta: DrawsMeta,
    loss: TreeLoss = "shared",
    together: NDArray[np.float64] | None = None,
) -> Tree:
    """Grow the trees of the columns of each part, as one.

    Parameters
    ----------
    parts : sequence of Statistics of shape (K, L)
        Blocks of each part.
    sizes : ndarray of int, shape (L,)
        Columns of each cluster, of all parts.
    betas : sequence of float
        Concentration of the columns of each part.
    loss, together
        As :func:`grow_rows` takes them.
    """
    trees, places = list[Tree](), slices_of([blocks.shape[1] for blocks in parts])
    families = families_of_levels(meta, parts, loss)
    for own, family, blocks, beta, here in zip(meta.families, families, parts, betas, places, strict=True):
        prior = PartitionPrior.of(beta, meta.column_limit) if family is own else None
        of_part = None if together is None else together[here, here]
        trees.append(grow_tree([blocks.T], sizes[here], prior, [family], of_part))
    return join_trees(trees)
