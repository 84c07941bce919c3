"""A draw as new rows, or new columns, see it: clusters that each of them may join, and their weights before its cells.

Over draws clusters have no names, so they are mapped onto a consensus partition through the items that they share.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.kernels.choice import logs
from disnplbm.kernels.partition_prior import PartitionPrior, log_opening
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint
from disnplbm.posterior.draws import Axis, Draw, Draws


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Clusters of the new items' axis, and blocks with the clusters of the other axis as groups."""

    sizes: Floats  # (K,)
    blocks: Any  # Statistics of shape (K, G)
    pseudo_count: float  # what a cluster weighs besides its members
    log_opening: float  # of a new cluster's prior weight; -inf where none may be added
    log_total: float  # of the sum of all prior weights
    parts: Floats  # (K, C) share of each cluster in each consensus cluster


def candidates_of(draw: Draw, draws: Draws, axis: Axis, consensus: NDArray[Any], number: int) -> Candidates:
    """A draw as new items see it.

    Parameters
    ----------
    draws : Draws
        That the draw is one of.
    axis : {"rows", "columns"}
        What the new items are.
    consensus : ndarray of int, shape (n,) or (p,)
        Labels 0..C-1 of the fitted ones.
    number : int
        C.
    """
    if axis == "rows":
        labels, blocks, concentration, limit = draw.row_labels, draw.blocks, draw.alpha, draws.meta.row_limit
    else:
        labels, blocks, concentration, limit = draw.column_labels, draw.blocks.T, draw.beta, draws.meta.column_limit
    clusters, prior = blocks.shape[0], PartitionPrior.of(concentration, limit)
    together = np.bincount(labels.astype(np.int64) * number + consensus, minlength=clusters * number)
    sizes = together.reshape(clusters, number).sum(axis=1).astype(np.float64)
    mass = concentration * (1 if limit is None else limit)
    return Candidates(
        sizes,
        blocks,
        prior.pseudo_count,
        log_opening(clusters, prior),
        float(logs([len(labels) + mass])[0]),
        together.reshape(clusters, number) / sizes[:, None],
    )


def check_consensus(draws: Draws, labels: Any, axis: Axis) -> NDArray[Any]:
    """Labels of the fitted rows (or columns); InputError if there are more or fewer."""
    consensus = np.asarray(labels)
    if consensus.shape != (draws.length(axis),):
        raise InputError(f"consensus labels have shape {consensus.shape}; expected ({draws.length(axis)},)")
    return consensus


def check_draws(draws: Draws) -> None:
    """Refuse to judge by no draw at all."""
    if len(draws) == 0:
        raise InputError("there are no draws to predict from; fit again with ", Hint("draws"))
