"""Compile the kernels before a chain runs, so that first use is said and timed apart from sampling."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.data.typed import deal_cells
from disnplbm.dealing import slice_of
from disnplbm.engine.drive import InMemory, run_one
from disnplbm.engine.options import Options
from disnplbm.engine.problem import build_problem, problem_of_dealt
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
    if asked.cells not in ("auto", DENSE):
        _warm_up_typed(asked, complete=complete)
        return
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


class _Tiny(NamedTuple):
    """A table to warm up on."""

    n: int = 8
    p: int = 4
    dimension: int = 1


def _warm_up_typed(asked: Options, *, complete: bool) -> None:
    values = np.random.default_rng(0).integers(2, size=(_Tiny().n, _Tiny().p)).astype(np.float64)
    if not complete:
        values[0, 0] = np.nan
    options = Options(sampler=asked.sampler, cells=asked.cells, exposure=asked.exposure, iterations=4, burn_in=1)
    for n_shards in (1, 2):
        dealt = deal_cells(
            _Tiny(),
            [(0, csr_array(values))],
            ["", "", "", ""],
            cells=asked.cells,
            exposure=asked.exposure,
            transform="none",
            n_shards=n_shards,
            axis="rows",
        )
        problem = problem_of_dealt(dealt.prepared, dealt.shards, options)
        run_one(problem, options.iterations, problem.start("random"), InMemory())
    choose(np.zeros(2), 0.5)
    log_gammas([2.0])
