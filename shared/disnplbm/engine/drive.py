"""Run the chains of a run: one loop, whoever keeps what comes of it.

A :class:`Recorder` knows where a chain stood when it was last seen, and is told each step. In nothing else do
``fit``, the estimator, ``calibrate`` and the server differ.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.shorts import run_shorts
from disnplbm.posterior.draws import Draw
from disnplbm.posterior.result import Result
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start
from disnplbm.sampler.streams import Stream, streams


class Stopped(Exception):
    """The recorder asked to stop before all chains were at their ends."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A stream after an iteration.

    Parameters
    ----------
    iteration : int
        0 is the start.
    trace : Trace
        Of all iterations so far; it grows with the next step.
    draw : Draw or None
        What is kept of this iteration.
    seconds : sequence of float
        What each shard took.
    """

    stream: Stream
    iteration: int
    state: RunState
    trace: Trace
    draw: Draw | None
    seconds: Sequence[float]

    @property
    def ends(self) -> bool:
        """Whether the stream is at its end."""
        return self.iteration == self.stream.iterations


class Recorder(Protocol):
    """Keeps what chains come to."""

    def restored(self, stream: Stream) -> tuple[RunState, Trace] | None:
        """Where a stream stood when it was last seen; None if it starts now."""
        ...

    def commit(self, step: Step) -> bool:
        """Keep a step; True asks to stop here. A start and the last step of a stream do not stop."""
        ...


class InMemory:
    """A recorder that keeps nothing itself.

    Parameters
    ----------
    see : callable, optional
        Is shown each iteration's step; True asks to stop there.
    """

    def __init__(self, see: Callable[[Step], bool] = lambda step: False) -> None:  # noqa: ARG005
        self._see = see

    def restored(self, stream: Stream) -> None:
        """Every stream starts now."""

    def commit(self, step: Step) -> bool:
        """Show an iteration."""
        return step.iteration > 0 and self._see(step)


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """A chain at its end.

    Parameters
    ----------
    starts : list of Trace
        Traces of its short chains, if it has some: the chain starts where the best of them ended.
    state : RunState, optional
        Its last one, which is needed of the first chain only.
    """

    trace: Trace
    starts: Sequence[Trace] = ()
    state: RunState | None = None


def last_result(problem: Problem, ended: Sequence[Ended]) -> Result:
    """The last state of the first chain, with the traces of all."""
    first, *others = ended
    assert first.state is not None
    return replace(problem.result(first.state, first.trace), more_traces=tuple(chain.trace for chain in others))


def drive(problem: Problem, options: Options, start: Start, recorder: Recorder, threads: int) -> list[Ended]:
    """Run all chains to their ends, one after another, from where the recorder last saw them.

    Parameters
    ----------
    start : Start
        Of each chain, or of its first short ones.

    Raises
    ------
    Stopped
    """
    ended: list[Ended] = []
    for chain in range(options.chains):
        here = problem.of_chain(chain)
        main, *shorts = (
            stream for stream in streams(options.chains, options.iterations, options.shorts) if stream.chain == chain
        )

        def short(number: int, begin: Start, shorts: Sequence[Stream] = tuple(shorts)) -> tuple[RunState, Trace]:
            stream = shorts[number]
            return advance(problem.of_chain(stream.stream), stream, begin, recorder, threads)

        begin, starts = run_shorts(here, options.shorts, start, short)
        state, trace = advance(here, main, begin, recorder, threads, options.is_kept)
        ended.append(Ended(trace, starts, state if chain == 0 else None))
    return ended


def advance(
    problem: Problem,
    stream: Stream,
    start: Start,
    recorder: Recorder,
    threads: int,
    is_kept: Callable[[int], bool] = lambda iteration: False,  # noqa: ARG005
) -> tuple[RunState, Trace]:
    """Bring one stream to its end; Stopped if the recorder asks for it earlier.

    Parameters
    ----------
    problem : Problem
        Of the stream.
    is_kept : callable
        Whether an iteration has a draw.
    """
    with LocalEngine(problem.shards, problem.parameters, problem.family, threads) as engine:
        restored = recorder.restored(stream)
        if restored is None:
            state, trace = engine.start(start), Trace()
            recorder.commit(Step(stream, 0, state, trace, None, engine.seconds))
        else:
            state, trace = restored
        for iteration in range(len(trace) + 1, stream.iterations + 1):
            began = time.perf_counter()
            state = engine.step(state)
            row = problem.trace_row(state, time.perf_counter() - began)
            trace.append(row)
            draw = problem.draw(state, row, iteration) if is_kept(iteration) else None
            step = Step(stream, iteration, state, trace, draw, engine.seconds)
            if recorder.commit(step) and not step.ends:
                raise Stopped
    return state, trace


def run_one(problem: Problem, iterations: int, start: Start, recorder: Recorder) -> tuple[RunState, Trace]:
    """Run a single chain without draws, on one thread."""
    chain = problem.parameters.chain
    return advance(problem, Stream(chain, chain, None, iterations), start, recorder, 1)
