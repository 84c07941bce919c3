"""Restarts: a chain starts where the best of several short ones ended.

The short chains are a tenth as long as the chain, have random streams of their own, and are judged by the log joint of
their last states. Of the best, the labels are kept and nothing else: the chain runs in full from there, so that what
its draws say is not the worse for the choice, given a burn-in. (Had whole chains been run and the best of them kept,
its draws would lie where the density is high, and not where the posterior has its mass.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.posterior.result import Result
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start

#: A short chain is this part of the chain.
PART = 10

#: Short chain r of chain c has the streams of chain c + (r + 1) of these, which no chain of a run has.
_APART = 2**20


def short_iterations(options: Options) -> int:
    """Length of a short chain; 0 where there are no restarts."""
    return max(options.iterations // PART, 1) if options.restarts > 1 else 0


def best_start(
    problem: Problem, restarts: int, run: Callable[[Problem, int], tuple[RunState, Trace]]
) -> tuple[Start, list[Trace]]:
    """Where a chain starts.

    Parameters
    ----------
    problem : Problem
        Of the chain.
    restarts : int
    run : callable
        Runs the short chain of a problem and a number 0, 1, ... to its end.

    Returns
    -------
    start : Start
        Where the best one ended; of equal ones, the first.
    traces : list of Trace
        Of all of them.
    """
    traces: list[Trace] = []
    best: Result | None = None
    for number in range(restarts):
        short = problem.of_chain(problem.parameters.chain + (number + 1) * _APART)
        state, trace = run(short, number)
        traces.append(trace)
        if best is None or trace.log_joint[-1] > best.log_joint:
            best = short.result(state, trace)
    assert best is not None
    return problem.start("given", best.row_labels, best.column_labels), traces


def described(options: Options, traces: list[list[Trace]]) -> dict[str, Any]:
    """What run.json says of the short chains of each chain."""
    return {
        "kept": f"best of {options.restarts} starts by log joint",
        "iterations": short_iterations(options),
        "log_joint": [[trace.log_joint[-1] for trace in of_chain] for of_chain in traces],
    }
