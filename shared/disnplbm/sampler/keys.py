"""Random generators: one for each (seed, chain, iteration, role, shard, part), and never any other source."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Role(IntEnum):
    """What a generator is used for; the numbers are part of the promise of equal bits."""

    START = 0
    SWEEP = 1
    JOIN = 2
    ROW_PAIRS = 3
    COLUMN_SWEEP = 4
    COLUMN_PAIRS = 5
    COLUMN_START = 6
    PARTNERS = 7
    CONCENTRATIONS = 8
    MEASURE = 9
    NEW_CLUSTERS = 10
    LABELS = 11
    LAUNCHES = 12
    SIDES = 13
    DECISIONS = 14
    COLUMN_SPLITS = 15
    BLOCK_SUMMARY = 16
    COLUMN_MEASURE = 17
    NEW_COLUMN_CLUSTERS = 18
    COLUMN_LABELS = 19
    CROSSING = 20


def random_generator(
    seed: int, chain: int, iteration: int, role: Role, shard: int = 0, part: int = 0
) -> np.random.Generator:
    """Make the generator of one role at one place of one chain (Philox, keyed through SeedSequence).

    Parameters
    ----------
    seed : int
        The run's seed, at least 0.
    part : int
        The part whose columns it is for, counted from 0. The key of part 0 ends with the shard.
    """
    key = np.random.SeedSequence(seed, spawn_key=(chain, iteration, int(role), shard, *(part,) * (part > 0)))
    return np.random.Generator(np.random.Philox(key))
