"""What an iteration does, from its number and the parameters alone.

Iterations go round in threes: draw the rows' labels and make the column step; draw the labels again and launch
splits and merges of whole clusters from them; propose these and decide. Between a launch and its decision neither
partition moves: the proposal must depend on nothing that the split itself does not leave alone. In the approach it goes
round in fours, with one more label step that moves the columns too.

Statistics of single columns are needed for the column step alone: one iteration in three. In the
others, statistics of column clusters are enough.

Labels are drawn in one of three ways:

- *approach*: a collapsed sweep of all shards, as :mod:`disnplbm.sampler.collapsed` makes. With several shards it is an
  approximation, so it is used only at the start, where nothing is kept yet.
- *draw*: all shards at once, given instantiated parameters: exact for any number of shards.
- *refine*: a collapsed sweep of some rows of one shard, all others at rest: exact too, and it opens and closes small
  clusters more readily than a draw. The rows take turns.

A family may prefer draws (:class:`disnplbm.families.base.FamilyOf`): sweeps of counts from a random start open hundreds
of clusters that stay. Its rows are drawn in every label step, of the approach too, and in the approach its coins show
guided splits more often, so that few clusters become many within some rounds.

A draw instantiates clusters in proportion to the concentration, or as many as the limit says, whatever the rows. Where
that is more than :data:`INSTANTIATED_UP_TO`, every label step refines instead: a collapsed sweep knows occupied
clusters only.
"""

from __future__ import annotations

from enum import Enum

from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.split_merge.acceptance import FAIR, Coins

#: Length of a round, and in the approach.
ROUND, ROUND_OF_APPROACH = 3, 4

#: Concentration, and limit of the clusters, up to which parameters are instantiated: of either axis.
INSTANTIATED_UP_TO = 1000

#: One label step in this many is a collapsed sweep of some rows.
REFINE_EVERY = 5


#: Coins of the approach, where the family prefers draws.
BOLD = Coins(0.9, 0.9)


class Step(Enum):
    """What happens to the rows in an iteration."""

    SWEEP = "sweep"
    DRAW = "draw"
    REFINE = "refine"
    PROPOSE = "propose"


def step_of(parameters: Parameters, iteration: int, *, draws: bool = False) -> Step:
    """The step of an iteration, counted from 1.

    Parameters
    ----------
    draws : bool
        Whether the family prefers draws: every label step is one, where few enough clusters are instantiated.
    """
    if _proposes(parameters, iteration):
        return Step.PROPOSE
    if draws and _instantiates(parameters):
        return Step.DRAW
    if iteration <= parameters.approach:
        return Step.SWEEP
    if _label_step(iteration) % REFINE_EVERY == REFINE_EVERY - 1 or not _instantiates(parameters):
        return Step.REFINE
    return Step.DRAW


def coins_of(parameters: Parameters, iteration: int, *, draws: bool = False) -> Coins:
    """The coins of tries that an iteration launches."""
    return BOLD if draws and iteration <= parameters.approach else FAIR


def moves_columns(parameters: Parameters, iteration: int) -> bool:
    """Whether the iteration makes a column step."""
    return not (launches(parameters, iteration) or _proposes(parameters, iteration))


def launches(parameters: Parameters, iteration: int) -> bool:
    """Whether the iteration prepares the splits and merges of the next."""
    return _proposes(parameters, iteration + 1)


def refining_turn(parameters: Parameters, iteration: int) -> int:
    """How many refining iterations came before this one."""
    return _label_step(iteration) // (REFINE_EVERY if _instantiates(parameters) else 1)


def _instantiates(parameters: Parameters) -> bool:
    return max(parameters.alpha, parameters.row_limit or 0) <= INSTANTIATED_UP_TO


def instantiates_columns(parameters: Parameters) -> bool:
    """Whether so few column clusters are instantiated that the columns can be drawn at once."""
    return max(parameters.beta, parameters.column_limit or 0) <= INSTANTIATED_UP_TO


def _proposes(parameters: Parameters, iteration: int) -> bool:
    return iteration % (ROUND_OF_APPROACH if iteration <= parameters.approach else ROUND) == 0


def _label_step(iteration: int) -> int:
    """Label steps before an iteration that makes one, all in rounds of three."""
    return iteration // ROUND * (ROUND - 1) + iteration % ROUND - 1
