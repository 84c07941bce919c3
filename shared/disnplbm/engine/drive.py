"""Run the chains of a run: one loop, whoever keeps what comes of it.

A :class:`Recorder` knows where a chain stood when it was last seen, and is told each step. In nothing else do
``fit``, the estimator, ``calibrate`` and the server differ.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
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

Reached = tuple[RunState, Trace]
"""A stream's last state, and its trace up to there."""


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
    """Keeps what chains come to.

    Short chains run side by side, so that steps of several streams come in turn, each stream's in order; never two at
    the same time.
    """

    def restored(self, stream: Stream) -> Reached | None:
        """Where a stream stood when it was last seen; None if it starts now."""
        ...

    def commit(self, step: Step) -> bool:
        """Keep a step; True asks to stop here. A start and the last step of a stream do not stop."""
        ...


class OneByOne:
    """Tells a recorder the steps of streams on several threads, one step at a time.

    Once it is stopped, it asks all of them to stop after the iteration that they are at.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder, self._lock, self._stopped = recorder, threading.Lock(), False

    def stop(self) -> None:
        """Ask all streams to stop."""
        self._stopped = True

    def restored(self, stream: Stream) -> Reached | None:
        """Where a stream stood when it was last seen."""
        with self._lock:
            return self._recorder.restored(stream)

    def commit(self, step: Step) -> bool:
        """Keep a step."""
        with self._lock:
            return self._recorder.commit(step) or self._stopped


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

        def run(wave: Sequence[tuple[int, Start]], shorts: Sequence[Stream] = tuple(shorts)) -> list[Reached]:
            return _advance_together(problem, [(shorts[number], begin) for number, begin in wave], recorder, threads)

        begin, starts = run_shorts(here, options.shorts, start, run)
        state, trace = advance(here, main, begin, recorder, threads, options.is_kept)
        ended.append(Ended(trace, starts, state if chain == 0 else None))
    return ended


def _advance_together(
    problem: Problem, wave: Sequence[tuple[Stream, Start]], recorder: Recorder, threads: int
) -> list[Reached]:
    """Bring streams to their ends, as many side by side as there are threads for the shards of each."""
    together = OneByOne(recorder)

    def run(stream: Stream, start: Start, threads: int) -> Reached:
        return advance(problem.of_chain(stream.stream), stream, start, together, threads)

    at_once = min(len(wave), max(1, threads // len(problem.shards)))
    if at_once == 1:
        return [run(stream, start, threads) for stream, start in wave]
    with ThreadPoolExecutor(at_once, thread_name_prefix="chain") as pool:
        futures = [pool.submit(run, stream, start, threads // at_once) for stream, start in wave]
        try:
            for future in wait(futures, return_when=FIRST_EXCEPTION).done:
                future.result()
        finally:
            # Where one failed, or the user interrupts, no other goes on.
            together.stop()
            for future in futures:
                future.cancel()
    return [future.result() for future in futures]


def advance(
    problem: Problem,
    stream: Stream,
    start: Start,
    recorder: Recorder,
    threads: int,
    is_kept: Callable[[int], bool] = lambda iteration: False,  # noqa: ARG005
) -> Reached:
    """Bring one stream to its end; Stopped if the recorder asks for it earlier.

    Parameters
    ----------
    problem : Problem
        Of the stream.
    is_kept : callable
        Whether an iteration has a draw.
    """
    with LocalEngine(problem.shards, problem.parameters, problem.families, threads) as engine:
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


def run_one(problem: Problem, iterations: int, start: Start, recorder: Recorder) -> Reached:
    """Run a single chain without draws, on one thread."""
    chain = problem.parameters.chain
    return advance(problem, Stream(chain, chain, None, iterations), start, recorder, 1)
