"""What governs a chain, besides the data and the prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from disnplbm.errors import InputError

View = Literal["global", "local"]
JoinMode = Literal["blockwise", "averaged"]

#: Pairs tried by merge and split moves in an iteration, for rows (with one shard) and for columns.
PAIR_TRIES = 10


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a chain, in shard orientation: "rows" are the items that are sharded. Checked when made.

    Parameters
    ----------
    alpha, beta : float
        Concentrations of rows and of columns, above 0.
    power : float
        Likelihood power in (0, 1].
    view : {"global", "local"}
        Whether a shard sees the statistics of all rows or of its own.
    join : {"blockwise", "averaged"}
        How a shard's clusters become global ones.
    pair_moves : bool
        Whether whole clusters may merge and split.
    seed, chain : int
        At least 0.
    n_shards : int
        At least 1.
    """

    alpha: float = 1.0
    beta: float = 1.0
    power: float = 1.0
    view: View = "global"
    join: JoinMode = "blockwise"
    pair_moves: bool = True
    seed: int = 0
    chain: int = 0
    n_shards: int = 1

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise InputError(f"{name} = {value} must be a number above 0")
        if not 0 < self.power <= 1:
            raise InputError(f"power = {self.power} must lie in (0, 1]; 1 is the plain posterior")
        for name, choices in (("view", View), ("join", JoinMode)):
            value = getattr(self, name)
            if value not in get_args(choices):
                raise InputError(f"{name} = {value!r} is unknown; choose {' or '.join(get_args(choices))}")
        for name, least in (("seed", 0), ("chain", 0), ("n_shards", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} = {getattr(self, name)} must be at least {least}")
