"""The last state of a chain and its checkpoint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.checkpoint import LastState, load_checkpoint
from disnplbm.engine.drive import InMemory, Step, run_one
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.trace_row import TraceRow


@pytest.fixture
def problem() -> Problem:
    values = np.random.default_rng(0).normal(size=(12, 5, 1))
    return build_problem([values], 1, Options(), "rows", np.zeros(1), np.eye(1), 60, complete=True)


def seen(problem: Problem, last: LastState, iterations: int) -> tuple[RunState, Trace]:
    """A chain that a checkpoint watches, and its trace."""

    def see(step: Step) -> bool:
        last.see(step.state, step.trace)
        return False

    return run_one(problem, iterations, problem.start("random"), InMemory(see))


def test_what_was_seen_last_is_saved_though_the_trace_has_grown(problem: Problem, tmp_path: Path) -> None:
    last = LastState(tmp_path / "checkpoint", 0, seconds=1e9)
    state, trace = seen(problem, last, 5)
    assert not (tmp_path / "checkpoint").exists()
    # The next iteration has been recorded and its state not been seen.
    trace.append(TraceRow(0.0, 1, 1, 0.0, 1.0, 1.0))
    assert last.save() == 5
    loaded, kept = load_checkpoint(tmp_path / "checkpoint", problem.families)
    assert kept == trace.first(5)
    assert loaded.chain.broadcast.iteration == state.chain.broadcast.iteration == 6


def test_nothing_is_saved_where_nothing_is_new(problem: Problem, tmp_path: Path) -> None:
    last = LastState(tmp_path / "checkpoint", 5, seconds=1e9)
    seen(problem, last, 5)
    assert last.save() == 5
    assert list(tmp_path.iterdir()) == []


def test_it_is_saved_by_itself_when_it_is_time(problem: Problem, tmp_path: Path) -> None:
    last = LastState(tmp_path / "checkpoint", 0, seconds=0.0)
    seen(problem, last, 3)
    assert len(load_checkpoint(tmp_path / "checkpoint", problem.families)[1]) == 3


def test_who_leaves_does_not_wait_for_a_checkpoint_that_hangs(
    problem: Problem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = LastState(tmp_path / "checkpoint", 2, seconds=1e9)
    monkeypatch.setattr("disnplbm.engine.checkpoint.PATIENCE", 0.01)
    said: list[Any] = []

    def written(*_: object) -> None:
        # Another thread is here, for as long as the disk takes.
        said.append(last.save())

    monkeypatch.setattr("disnplbm.engine.checkpoint.save_checkpoint", written)
    seen(problem, last, 3)
    last.save()
    assert said == [2]
