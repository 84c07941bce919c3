"""The short chains that a chain starts from: those that wait for no other run side by side.

They have random streams of their own, and are judged by the log joint of their last states. Of a short chain, the
labels are kept and nothing else: the chain runs in full from those of the best one, so that what its draws say is not
the worse for the choice, given a burn-in. (Had whole chains been run and the best of them kept, its draws would lie
where the density is high, and not where the posterior has its mass.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.short_chains import ShortChains
from disnplbm.sampler.starts import Start, crossed

Run = Callable[[Sequence[tuple[int, Start]]], Sequence[tuple[RunState, Trace]]]
"""Runs short chains, each by its number 0, 1, ... and its start, to their ends; returns these in the same order."""


def run_shorts(problem: Problem, shorts: ShortChains, start: Start, run: Run) -> tuple[Start, list[Trace]]:
    """Where a chain starts, once its short chains have run.

    Parameters
    ----------
    problem : Problem
        Of the chain.
    start : Start
        The one that the run was asked for.
    run : callable
        Is given the short chains of a wave at once: they may run side by side.

    Returns
    -------
    start : Start
    traces : list of Trace
        Of all short chains.
    """
    seed, chain = problem.parameters.seed, problem.parameters.chain
    reached: dict[int, Start] = {}
    traces: list[Trace] = []
    joints: list[float] = []

    def begin(number: int | None) -> Start:
        origin = shorts.origin(number, joints, seed, chain)
        return start if origin is None else crossed(reached[origin.rows], reached[origin.columns])

    for wave in shorts.waves():
        for number, (state, trace) in zip(wave, run([(number, begin(number)) for number in wave]), strict=True):
            traces.append(trace)
            joints.append(trace.log_joint[-1])
            reached[number] = problem.start_at(state)
        reached = {kept: reached[kept] for kept in shorts.kept(joints)}
    return begin(None), traces


def described(options: Options, traces: Sequence[Sequence[Trace]]) -> dict[str, Any]:
    """What run.json says of the short chains of each chain."""
    shorts = options.shorts
    kept = f"best of {options.restarts} starts by log joint"
    if shorts.rounds:
        kept = f"best of {shorts.number} short chains by log joint, {2 * shorts.rounds} of them crossed"
    return {
        "kept": kept,
        "iterations": shorts.iterations,
        "log_joint": [[trace.log_joint[-1] for trace in of_chain] for of_chain in traces],
    }
