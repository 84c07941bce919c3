"""What governs a chain, besides the data and the prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from disnplbm.described import check
from disnplbm.errors import InputError
from disnplbm.samplers import SAMPLERS

View = Literal["global", "local"]
JoinMode = Literal["blockwise", "averaged"]

#: Pairs tried by merge and split moves in an iteration, for rows (with one shard) and for columns.
PAIR_TRIES = 10


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of a chain, in shard orientation: "rows" are the items that are sharded. Checked when made.

    Parameters
    ----------
    sampler : str
        One of :data:`disnplbm.samplers.SAMPLERS`.
    alpha, beta : float
        Concentrations of rows and of columns, above 0; where the chain starts if they are learned.
    learn_alpha, learn_beta : bool
        Whether they are drawn anew in every iteration, under a prior of their own.
    row_limit, column_limit : int, optional
        Clusters there may be: a symmetric Dirichlet in place of the Chinese restaurant process.
    power : float
        Likelihood power in (0, 1].
    anneal : int
        Iterations at the start in which the power rises to this one.
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
    axis : {"rows", "columns"}
        What the user calls the items; the chain does not depend on it.
    approach : int
        Iterations at the start in which ``split-merge`` uses moves that are exact for one shard only.
    """

    sampler: str = "collapsed"
    alpha: float = 1.0
    beta: float = 1.0
    learn_alpha: bool = False
    learn_beta: bool = False
    row_limit: int | None = None
    column_limit: int | None = None
    power: float = 1.0
    anneal: int = 0
    view: View = "global"
    join: JoinMode = "blockwise"
    pair_moves: bool = True
    seed: int = 0
    chain: int = 0
    n_shards: int = 1
    axis: Literal["rows", "columns"] = "rows"
    approach: int = 0

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "power", "seed"):
            check(name, getattr(self, name))
        for name, choices in (("sampler", tuple(SAMPLERS)), ("view", get_args(View)), ("join", get_args(JoinMode))):
            value = getattr(self, name)
            if value not in choices:
                raise InputError(f"{name} = {value!r} is unknown; choose {' or '.join(choices)}")
        for name, least in (("chain", 0), ("n_shards", 1), ("approach", 0), ("anneal", 0)):
            if getattr(self, name) < least:
                raise InputError(f"{name} = {getattr(self, name)} must be at least {least}")
        for axis, limit, learned in (
            ("row", self.row_limit, self.learn_alpha),
            ("column", self.column_limit, self.learn_beta),
        ):
            if limit is not None:
                check(f"fix_{axis}_clusters", limit)
            if limit is not None and learned:
                raise InputError(
                    f"the concentration of {axis}s cannot be learned while the number of {axis} clusters is fixed;"
                    " leave out one of the two"
                )
        if not SAMPLERS[self.sampler].variants and (self.view, self.join) != ("global", "blockwise"):
            raise InputError(f"the {self.sampler} sampler has the global view and the blockwise join only")
