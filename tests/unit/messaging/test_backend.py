"""Parts of a chord are counted beside what the worker does next."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from queue import Queue

import pytest
import redis
from celery.backends.redis import RedisBackend
from structlog.testing import capture_logs

from disnplbm.messaging import backend
from disnplbm.messaging.app import make_app
from disnplbm.messaging.backend import ChordCounter
from disnplbm.settings import Settings

SECONDS = 30.0


class Counted:
    """Redis, which counts once it is let."""

    def __init__(self) -> None:
        self.parts: Queue[object] = Queue()
        self.open = threading.Event()
        self.open.set()

    def __call__(self, _backend: object, part: object) -> None:
        assert self.open.wait(SECONDS)
        self.parts.put(part)
        if isinstance(part, Exception):
            raise part

    def take(self, number: int) -> list[object]:
        return [self.parts.get(timeout=SECONDS) for _ in range(number)]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    found = Counted()
    monkeypatch.setattr(RedisBackend, "on_chord_part_return", lambda *arguments: found(*arguments))
    return found


@pytest.fixture
def counter(counted: Counted) -> Iterator[ChordCounter]:
    with make_app("test", Settings()) as app:
        assert isinstance(app.backend, ChordCounter)
        yield app.backend
        # Nothing of the thread outlives the test.
        counted.open.set()


def test_the_next_task_does_not_wait_for_the_count(counter: ChordCounter, counted: Counted) -> None:
    counted.open.clear()
    counter.on_chord_part_return("first")
    counter.on_chord_part_return("second")
    assert counted.parts.empty()
    counted.open.set()
    assert counted.take(2) == ["first", "second"]


@pytest.mark.parametrize("error", [redis.ConnectionError("away"), ValueError("a surprise")])
def test_a_part_that_could_not_be_counted_holds_up_no_other(
    counter: ChordCounter, counted: Counted, error: Exception
) -> None:
    counter.on_chord_part_return(error)
    counter.on_chord_part_return("next")
    assert counted.take(2) == [error, "next"]


def test_of_too_many_that_wait_some_are_not_counted(counter: ChordCounter, counted: Counted) -> None:
    counted.open.clear()
    most = backend.MOST_WAITING
    with capture_logs() as logs:
        for part in range(most + 3):
            counter.on_chord_part_return(part)
    # One may be at Redis already.
    assert len(logs) in (2, 3)
    counted.open.set()
    assert counted.take(most) == list(range(most))


def test_a_forked_process_counts_for_itself(counter: ChordCounter, counted: Counted) -> None:
    counter.on_chord_part_return("parent")
    assert counted.take(1) == ["parent"]
    assert _in_a_fork(lambda: (counter.on_chord_part_return("child"), counted.take(1))[1] == ["child"])


def _in_a_fork(check: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        held = False
        try:
            held = check()
        finally:
            os._exit(0 if held else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
