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
