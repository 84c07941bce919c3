"""One iteration of a whole chain at its true blocks, on one thread."""

from __future__ import annotations

import numpy as np

from benchmarks.problems import ALPHA, BETA, Table
from disnplbm.dealing import slice_of
from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.problem import build_problem
from disnplbm.sampler.shard import Shard


class Iteration:
    """Call it for one iteration.

    Parameters
    ----------
    table : Table
    shards : int
    sampler : {"collapsed", "split-merge"}
    fresh : bool
        That shards forget their statistics first, so that the iteration passes over the data twice, as it does while
        the chain still moves; otherwise the chain is at rest.
    """

    def __init__(self, table: Table, shards: int, sampler: str = "collapsed", *, fresh: bool = False) -> None:
        mean, covariance = table.moments()
        observed = int((~np.isnan(table.values[..., 0])).sum())
        self._problem = build_problem(
            (np.ascontiguousarray(table.values[slice_of(index, shards)]) for index in range(shards)),
            shards,
            # An iteration past the burn-in, if the sampler knows one.
            Options(alpha=ALPHA, beta=BETA, sampler=sampler, iterations=2, burn_in=1),
            "rows",
            mean,
            covariance,
            observed,
            complete=table.complete,
        )
        self._fresh = fresh
        self._engine = self._new_engine()
        self._state = self._engine.start(self._problem.start("given", table.rows, table.columns))
        for _ in range(2):
            self._state = self._engine.step(self._state)

    def __call__(self) -> None:
        if self._fresh:
            self._engine = self._new_engine()
        self._state = self._engine.step(self._state)

    def _new_engine(self) -> LocalEngine:
        problem = self._problem
        shards = [Shard([part.cells for part in shard.parts], shard.index, shard.n_shards) for shard in problem.shards]
        return LocalEngine(shards, problem.parameters, problem.families, 1)
