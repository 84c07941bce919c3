"""What the master is told of lost tasks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from celery import Celery
from celery.exceptions import TimeLimitExceeded, WorkerLostError

from disnplbm.messaging.app import make_app
from disnplbm.messaging.messages import Result, SweepFailed, SweepTask
from disnplbm.messaging.queues import SWEEP, SWEEP_TASK
from disnplbm.settings import Settings
from disnplbm_worker import lost_sweeps
from disnplbm_worker.waiting import Waiting

SETTINGS = Settings(task_seconds=20)

TASK = SweepTask("run", 0, 7, 3, 0, "shards/x", {}, b"", None, b"", None, "key", 0, 0.0, None)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Result]:
    """What was published."""
    messages: list[Result] = []
    monkeypatch.setattr(lost_sweeps, "publish_result", lambda app, message: messages.append(message))
    return messages


def lose(exception: Exception, *, is_waiting: bool) -> None:
    waiting = Waiting()
    waiting.set(is_waiting)
    sender: Any = SimpleNamespace(name=SWEEP_TASK, request=SimpleNamespace(retries=1))
    tell = lost_sweeps.LostSweeps(make_app("test", SETTINGS), SETTINGS, "worker", waiting)
    tell(sender, exception, [TASK.to_dict()])


@pytest.mark.parametrize(
    ("exception", "reason"),
    [
        (TimeLimitExceeded(20), "it took longer than 20 s"),
        (WorkerLostError("Worker exited prematurely: signal 9 (SIGKILL)"), "is it out of memory?"),
        (WorkerLostError("Worker exited prematurely: exitcode 3"), "worker process ended"),
    ],
)
def test_lost(told: list[Result], exception: Exception, reason: str) -> None:
    lose(exception, is_waiting=False)
    (message,) = told
    assert isinstance(message, SweepFailed)
    assert (message.run, message.iteration, message.shard, message.starts) == ("run", 7, 3, 2)
    assert reason in message.reason


def test_a_task_that_waited_for_a_server_is_given_back_and_no_failure(
    told: list[Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(Celery, "send_task", lambda app, name, **more: sent.append((name, more)))
    lose(TimeLimitExceeded(20), is_waiting=True)
    assert told == []
    assert sent == [(SWEEP_TASK, {"args": [TASK.to_dict()], "queue": SWEEP.name})]


def test_an_error_within_the_task_was_told_by_the_task(told: list[Result]) -> None:
    lose(ValueError("no"), is_waiting=False)
    assert told == []
