"""What an iteration does, from its number and the parameters alone.

``collapsed``: every iteration is a collapsed sweep of all rows, and a column step.

``split-merge``: odd iterations draw the rows' labels and launch splits and merges of whole clusters from them, even
ones propose these, decide, and make the column step; in the approach (see below) every fourth iteration proposes, and
columns move wherever nothing is launched. Between a launch and its decision neither partition moves: the proposal must
depend on nothing that the split itself does not leave alone.

Labels are drawn in one of three ways:

- *approach*: a collapsed sweep of all shards, as in ``collapsed``. With several shards it is an approximation, so it
  is used only at the start, where nothing is kept yet.
- *draw*: all shards at once, given instantiated parameters: exact for any number of shards.
- *refine*: a collapsed sweep of one shard, the others at rest: exact too, and it opens and closes small clusters more
  readily than a draw. The shards take turns.
"""

from __future__ import annotations

from enum import Enum

from disnplbm.sampler.parameters import Parameters

#: One label step in this many is a collapsed sweep of one shard.
REFINE_EVERY = 5


class Step(Enum):
    """What happens to the rows in an iteration."""

    SWEEP = "sweep"
    DRAW = "draw"
    REFINE = "refine"
    PROPOSE = "propose"


def step_of(parameters: Parameters, iteration: int) -> Step:
    """The step of an iteration, counted from 1."""
    if parameters.sampler == "collapsed":
        return Step.SWEEP
    if _proposes(parameters, iteration):
        return Step.PROPOSE
    if iteration <= parameters.approach:
        return Step.SWEEP
    return Step.REFINE if (iteration // 2) % REFINE_EVERY == REFINE_EVERY - 1 else Step.DRAW


def moves_columns(parameters: Parameters, iteration: int) -> bool:
    """Whether the iteration makes a column step."""
    return not launches(parameters, iteration)


def launches(parameters: Parameters, iteration: int) -> bool:
    """Whether the iteration prepares the splits and merges of the next."""
    return parameters.sampler == "split-merge" and _proposes(parameters, iteration + 1)


def _proposes(parameters: Parameters, iteration: int) -> bool:
    return iteration % (4 if iteration <= parameters.approach else 2) == 0


def refined_shard(parameters: Parameters, iteration: int) -> int:
    """The shard that is swept by a refining iteration."""
    return (iteration // 2 // REFINE_EVERY) % parameters.n_shards
