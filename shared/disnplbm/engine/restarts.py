"""Restarts: a chain starts where the best of several short ones ended.

The short chains are a tenth as long as the chain, have random streams of their own, and are judged by the log joint of
their last states. Of the best, the labels are kept and nothing else: the chain runs in full from there, so that what
its draws say is not the worse for the choice, given a burn-in. (Had whole chains been run and the best of them kept,
its draws would lie where the density is high, and not where the posterior has its mass.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start
from disnplbm.sampler.streams import short_length, short_stream


def short_iterations(options: Options) -> int:
    """Length of a short chain; 0 where there are no restarts."""
    return short_length(options.iterations) if options.restarts > 1 else 0


def best_start(
    problem: Problem, restarts: int, run: Callable[[Problem, int], tuple[RunState, Trace]]
) -> tuple[Start, list[Trace]]:
    """Where a chain starts.

    Parameters
    ----------
    problem : Problem
        Of the chain.
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
    best: tuple[float, Start] | None = None
    for number in range(restarts):
        short = problem.of_chain(short_stream(problem.parameters.chain, number))
        state, trace = run(short, number)
        traces.append(trace)
        if best is None or trace.log_joint[-1] > best[0]:
            best = (trace.log_joint[-1], short.start_at(state))
    assert best is not None
    return best[1], traces


def described(options: Options, traces: Sequence[Sequence[Trace]]) -> dict[str, Any]:
    """What run.json says of the short chains of each chain."""
    return {
        "kept": f"best of {options.restarts} starts by log joint",
        "iterations": short_iterations(options),
        "log_joint": [[trace.log_joint[-1] for trace in of_chain] for of_chain in traces],
    }
