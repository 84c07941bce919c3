"""Run a chain for a number of iterations, or until someone asks it to stop."""

from __future__ import annotations

import time
from collections.abc import Callable

from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.engine.problem import Problem
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start

#: Called after every iteration with the state and the trace so far; True asks the chain to stop there.
Watch = Callable[[RunState, Trace], bool]


def run_chain(
    problem: Problem,
    iterations: int,
    threads: int,
    start: Start | RunState,
    trace: Trace,
    watch: Watch | None = None,
) -> RunState:
    """Run a chain.

    Parameters
    ----------
    problem : Problem
    iterations : int
        Length of the whole chain; the iterations that ``trace`` holds already are not done again.
    threads : int
    start : Start or RunState
        Where to start, or the state after the last iteration in ``trace``.
    trace : Trace
        Added to.
    watch : callable, optional
    """
    with LocalEngine(problem.shards, problem.parameters, problem.hyper, threads) as engine:
        state = engine.start(start) if isinstance(start, Start) else start
        while len(trace) < iterations:
            began = time.perf_counter()
            state = engine.step(state)
            problem.record(trace, state, time.perf_counter() - began)
            if watch is not None and watch(state, trace):
                break
    return state
