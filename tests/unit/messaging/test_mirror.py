"""The mirror without Redis: nothing is stale, and nobody waits for answers again and again."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from disnplbm.messaging import mirror
from disnplbm.messaging.mirror import Mirror
from disnplbm.runs.iteration_id import IterationId


@pytest.fixture
def frozen() -> Iterator[socket.socket]:
    """What takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        yield listener


def connections(listener: socket.socket) -> int:
    """How many came since the last look."""
    found = 0
    while True:
        try:
            listener.accept()[0].close()
        except BlockingIOError:
            return found
        found += 1


def test_redis_that_was_away_is_left_alone_for_a_while(frozen: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(mirror.time, "monotonic", lambda: now)
    redis = Mirror(f"redis://127.0.0.1:{frozen.getsockname()[1]}/0")
    assert not redis.is_reachable()
    assert connections(frozen) > 0
    assert not redis.is_reachable()
    assert not redis.write("run", "RUNNING", 0, {0: 1})
    assert not redis.is_stale(IterationId("run", 0, 0), 0)
    assert connections(frozen) == 0
    now += mirror.PAUSE
    assert not redis.is_stale(IterationId("run", 0, 0), 0)
    assert connections(frozen) > 0


class _Redis:
    """Counts what is asked, and answers what it is told to."""

    def __init__(self) -> None:
        self.asked, self.answer = 0, ["RUNNING", "1", "5"]

    def hmget(self, _key: str, _fields: list[str]) -> list[str]:
        self.asked += 1
        return self.answer


def test_a_chain_that_somebody_waits_for_is_not_asked_for_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(mirror.time, "monotonic", lambda: now)
    known, redis = Mirror("redis://127.0.0.1:1/0"), _Redis()
    monkeypatch.setattr(known, "_redis", redis)
    at = IterationId("run", 0, 5)
    assert [known.is_stale(at, 1), known.is_stale(at, 1), known.is_stale(at.shifted(1), 1)] == [False] * 3
    assert redis.asked == 1
    # Of another chain, another epoch or an earlier iteration it knows nothing.
    redis.answer = ["RUNNING", "2", "5"]
    assert not known.is_stale(IterationId("run", 1, 5), 2)
    assert known.is_stale(at, 1)
    assert known.is_stale(at.shifted(-1), 2)
    assert redis.asked == 4
    # Nor of what happened since, for long.
    assert not known.is_stale(at, 2)
    redis.answer = ["CANCELLED", "2", "5"]
    now += mirror.FRESH
    assert known.is_stale(at, 2)
    assert known.is_stale(at, 2)
