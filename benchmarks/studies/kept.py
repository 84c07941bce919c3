"""Posterior draws of a small complete table under a prior of fixed numbers."""

from __future__ import annotations

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.engine.drive import InMemory, Step, drive
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draws import Draw


def problem_of(values: Floats, prior: NIWPrior, n_shards: int, options: Options) -> Problem:
    """A table, shape (n, p, d), with its rows in shards."""
    cells = values.reshape(-1, values.shape[2])
    return build_problem(
        [values[slice_of(shard, n_shards)].copy() for shard in range(n_shards)],
        n_shards,
        options,
        "rows",
        cells.mean(axis=0),
        np.atleast_2d(np.cov(cells.T, bias=True)),
        len(cells),
        complete=True,
        prior=prior,
    )


def kept_draws(problem: Problem, options: Options) -> list[Draw]:
    """The draws that a run with these options keeps."""
    kept: list[Draw] = []

    def see(step: Step) -> bool:
        if step.draw is not None:
            kept.append(step.draw)
        return False

    drive(problem, options, problem.start(options.first_start), InMemory(see), 1)
    return kept
