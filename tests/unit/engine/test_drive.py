"""The loop that runs chains: what a recorder is told, and what it is asked."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from disnplbm.engine.drive import InMemory, Step, Stopped, drive
from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem
from disnplbm.errors import RunError
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start
from disnplbm.sampler.streams import APART, Stream, streams

OPTIONS = Options(iterations=20, burn_in=10, draws=5, chains=2, restarts=2, seed=4)
CROSSED = replace(OPTIONS, restarts=1, start="crossed", crossings=3)


@pytest.fixture
def problem() -> Problem:
    values = np.random.default_rng(0).normal(size=(12, 5, 1))
    return build_problem([values], 1, OPTIONS, "rows", np.zeros(1), np.eye(1), 60, complete=True)


class Leaving:
    """Keeps everything, and asks to stop after some steps."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self.draws: list[bytes] = []
        self.patience = 0
        self._last: dict[int, tuple[RunState, Trace]] = {}

    def restored(self, stream: Stream) -> tuple[RunState, Trace] | None:
        found = self._last.get(stream.stream)
        return None if found is None else (found[0], found[1].first(len(found[1])))

    def commit(self, step: Step) -> bool:
        self.steps.append((step.stream.stream, step.iteration))
        if step.draw is not None:
            self.draws.append(step.draw.row_labels.tobytes())
        self._last[step.stream.stream] = step.state, step.trace.first(len(step.trace))
        self.patience -= 1
        return self.patience <= 0


def joints(ended: list[Trace]) -> list[list[float]]:
    return [trace.log_joint for trace in ended]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("options", "patience"), [(OPTIONS, 1), (OPTIONS, 7), (CROSSED, 33)])
def test_chains_that_are_stopped_and_restored_come_to_the_same_bits(
    problem: Problem, options: Options, patience: int, threads: int
) -> None:
    start, leaving = problem.start("random"), Leaving()
    undisturbed = drive(problem, options, start, InMemory(), 1)
    while True:
        leaving.patience = patience
        try:
            ended = drive(problem, options, start, leaving, threads)
        except Stopped:
            continue
        break
    assert [one.trace.log_joint for one in ended] == [one.trace.log_joint for one in undisturbed]
    assert [joints(list(one.starts)) for one in ended] == [joints(list(one.starts)) for one in undisturbed]
    assert ended[0].state is not None
    assert undisturbed[0].state is not None
    assert ended[0].state.chain.log_joint == undisturbed[0].state.chain.log_joint
    # Each step is told once, in the order in which it is done; draws are of chains, and not of short ones.
    order = [stream for chain in range(2) for stream in _in_turn(options, chain)]
    told = leaving.steps if threads == 1 else sorted(leaving.steps, key=_place_in(order))
    assert told == [(stream.stream, at) for stream in order for at in range(stream.iterations + 1)]
    assert len(leaving.draws) == 2 * OPTIONS.n_draws


def _place_in(order: list[Stream]) -> Callable[[tuple[int, int]], int]:
    """Sorts steps by stream, and leaves each stream's in their order."""
    places = {stream.stream: place for place, stream in enumerate(order)}
    return lambda step: places[step[0]]


RESTARTS = replace(OPTIONS, chains=1, restarts=6)


def test_short_chains_run_side_by_side_on_as_many_threads(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    others = threading.Barrier(3)

    class Meeting(LocalEngine):
        def start(self, start: Start) -> RunState:
            if self._parameters.chain >= APART:
                others.wait(60)
            return super().start(start)

    monkeypatch.setattr("disnplbm.engine.drive.LocalEngine", Meeting)
    assert len(drive(problem, RESTARTS, problem.start("random"), InMemory(), 3)[0].starts) == 6


def test_where_one_of_them_fails_the_others_stop(problem: Problem) -> None:
    steps: list[Step] = []

    def see(step: Step) -> bool:
        steps.append(step)
        if step.stream.short == 1:
            raise RunError("the disk is full")
        return False

    endless = replace(RESTARTS, iterations=10_000_000)
    with pytest.raises(RunError, match="the disk is full"):
        drive(problem, endless, problem.start("random"), InMemory(see), 3)
    assert not any(step.ends for step in steps)


def _in_turn(options: Options, chain: int) -> list[Stream]:
    """A chain's short ones, then itself."""
    main, *shorts = (one for one in streams(2, options.iterations, options.shorts) if one.chain == chain)
    return [*shorts, main]


def test_the_best_short_chain_is_where_the_chain_starts(problem: Problem) -> None:
    seen: dict[int, list[RunState]] = {}

    def look(step: Step) -> bool:
        seen.setdefault(step.stream.stream, []).append(step.state)
        return False

    class Looking(InMemory):
        def commit(self, step: Step) -> bool:
            return look(step)

    ended, *_ = drive(problem, CROSSED, problem.start("random"), Looking(), 1)
    joints = [trace.log_joint[-1] for trace in ended.starts]
    main, *shorts = (one.stream for one in streams(1, CROSSED.iterations, CROSSED.shorts))

    def labels(stream: int, at: int) -> tuple[bytes, bytes]:
        state = seen[stream][at]
        return state.row_labels(12).tobytes(), state.chain.broadcast.parts[0].column_labels.tobytes()

    assert labels(main, 0) == labels(shorts[int(np.argmax(joints))], -1)
    for number in range(CROSSED.shorts.first, CROSSED.shorts.number):
        origin = CROSSED.shorts.origin(number, joints, CROSSED.seed, 0)
        assert origin is not None
        rows, columns = (labels(shorts[parent], -1)[axis] for axis, parent in enumerate(origin))
        assert labels(shorts[number], 0) == (rows, columns)


def test_a_request_to_stop_at_the_end_of_the_last_chain_is_no_stop(problem: Problem) -> None:
    def at_the_end(step: Step) -> bool:
        return step.ends

    assert len(drive(problem, OPTIONS, problem.start("random"), InMemory(at_the_end), 1)) == OPTIONS.chains
