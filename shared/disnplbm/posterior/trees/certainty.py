"""How sure a level is: every draw is cut there too, and the cuts are judged as any draws of a partition are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.model.statistics import Floats, Labels
from disnplbm.parts import slices_of
from disnplbm.posterior.confidence import confidence
from disnplbm.posterior.draws import SmallLabels
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import PartitionSample, collapse
from disnplbm.posterior.runner_up import RunnerUp, join_runners_up, runner_up
from disnplbm.posterior.trees.drawn import DrawnTrees


@dataclass(frozen=True, slots=True, eq=False)
class Certainty:
    """What the cuts of draws say of a level of one axis.

    Parameters
    ----------
    confidence : ndarray of shape (n,)
        As :func:`disnplbm.posterior.confidence.confidence` says it; a cluster that is set aside is one of its own.
    runner_up : RunnerUp or None
        The second answer at that level, where the cuts have two.
    draws, chains : int
        That were cut, and how many chains they are of.
    """

    confidence: Floats
    runner_up: RunnerUp | None
    draws: int
    chains: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        second = self.runner_up
        return {
            "draws": self.draws,
            "chains": self.chains,
            "mean_confidence": float(self.confidence.mean()),
            "runner_up": None
            if second is None
            else {"clusters": int(second.labels.max()) + 1, "share": float(second.share), "moved": float(second.moved)},
        }


def certainty_of_level(drawn: DrawnTrees, labels: Labels, fine: Labels, loss: str = "vi") -> Certainty:
    """Compare a level with the cuts of the draws into as many branches.

    Parameters
    ----------
    labels : ndarray of int32, shape (n,)
        Branch of each item at the level; -1 for what is set aside.
    fine : ndarray of int32, shape (n,)
        Cluster of each item.
    loss : {"vi", "binder"}
        That the second answer is looked for by.
    """
    number = int(labels.max()) + 1
    labels, cuts = np.where(labels < 0, number + fine, labels), drawn.cuts(number)
    found = [_certainty_of_part(cuts[:, where], labels[where], loss) for where in slices_of(drawn.lengths)]
    first = [np.unique(labels[where], return_inverse=True)[1].astype(np.int32) for where in slices_of(drawn.lengths)]
    second = join_runners_up(first, [of_part for _, of_part in found], loss)
    return Certainty(np.concatenate([sure for sure, _ in found]), second, drawn.n_draws, drawn.n_chains)


def _certainty_of_part(cuts: SmallLabels, labels: Labels, loss: str) -> tuple[Floats, RunnerUp | None]:
    """How sure the items of a part are, and its second answer."""
    # Items of one type are together in the level too.
    both, types = collapse(np.vstack([cuts, labels[None].astype(np.min_scalar_type(int(labels.max())))]))
    of_types = labels[np.unique(types, return_index=True)[1]]
    of_types = np.unique(of_types, return_inverse=True)[1].astype(np.int32)
    sample = PartitionSample.of(np.ascontiguousarray(both.labels[:-1]), both.weights)
    second = runner_up(sample, types, of_types, loss_of(loss, sample.n_items, sample.n_draws))
    return confidence(sample, of_types)[types], second
