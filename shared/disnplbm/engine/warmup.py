"""Compile the kernels before a chain runs, so that first use is said and timed apart from sampling."""

from __future__ import annotations

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.engine.drive import InMemory, run_one
from disnplbm.engine.options import Options
from disnplbm.engine.problem import build_problem
from disnplbm.kernels.choice import choose, log_gammas


def warm_up(dimension: int, asked: Options, *, complete: bool) -> None:
    """Run short chains on a tiny table of the same kind, with one shard and with two.

    Takes milliseconds where Numba's cache on disk holds the kernels, and some seconds a kind where it does not.

    Parameters
    ----------
    dimension : int
        Numbers in a cell.
    asked : Options
        Of the run: its sampler and covariance say which kernels it takes.
    complete : bool
        That no cell is missing.
    """
    if asked.diagonal:
        # One kernel takes the numbers of a cell one by one, however many there are.
        dimension = min(dimension, 2)
    values = np.random.default_rng(0).normal(size=(8, 4, dimension))
    if not complete:
        values[0, 0] = np.nan
    observed = 31 if not complete else 32
    # After the first iteration split-merge draws given parameters, and proposes.
    options = Options(sampler=asked.sampler, covariance=asked.covariance, iterations=4, burn_in=1)
    for n_shards in (1, 2):
        shards = [values[slice_of(index, n_shards)].copy() for index in range(n_shards)]
        problem = build_problem(
            shards,
            n_shards,
            options,
            "rows",
            np.zeros(dimension),
            np.eye(dimension),
            observed,
            complete=complete,
        )
        run_one(problem, options.iterations, problem.start("random"), InMemory())
    # What the join needs for new clusters, and merges after their first iterations.
    choose(np.zeros(2), 0.5)
    log_gammas([2.0])
