"""Connections that do nothing: they end soon, and there are only so many from one address."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from disnplbm_dashboard import connections
from integration.console import PATIENCE

from .conftest import Site

QUICK = {"IDLE_SECONDS": 0.3, "HEADER_SECONDS": 0.3, "BODY_SECONDS": 0.3, "SILENT_SECONDS": 0.3, "REFUSED_SECONDS": 0.3}

#: What is sent, and no more: nothing, a byte, half of the headers, headers without their body.
BEGINNINGS = {
    "nothing": b"",
    "a byte": b"G",
    "half a line": b"GET /api/v1/health HT",
    "half of the headers": b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
    "no body": b"POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{",
    "no large body": b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\n{",
}


@pytest.fixture
def hasty(site: Site, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server that waits for less than a second, and looks often."""
    for name, seconds in QUICK.items():
        monkeypatch.setattr(connections, name, seconds)
    site._server.adj.cleanup_interval = 0
    return site


def _ends(connection: socket.socket) -> bool:
    """Whether the server closes a connection, without an answer."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", BEGINNINGS)
def test_a_connection_that_comes_to_nothing_is_closed(hasty: Site, sent: str) -> None:
    with hasty.raw(BEGINNINGS[sent]) as connection:
        assert _ends(connection)


@pytest.mark.parametrize("sent", ["a byte", "half of the headers", "no body", "no large body"])
def test_a_byte_now_and_then_does_not_keep_it(hasty: Site, sent: str) -> None:
    """The time counts from the first byte, not from the last."""
    with hasty.raw(BEGINNINGS[sent]) as connection:
        began, tick, over = time.monotonic(), threading.Event(), False
        connection.settimeout(0.05)
        while not over:
            assert time.monotonic() - began < PATIENCE
            try:
                connection.sendall(b"x")
                over = connection.recv(100) == b""
            except TimeoutError:
                tick.wait(0.01)
            except OSError:
                over = True


def test_a_connection_that_is_used_stays(hasty: Site) -> None:
    """A request that takes longer than any of these times is answered."""
    tick = threading.Event()

    def slow(app: Callable[..., object], environment: dict[str, object], start: object) -> object:
        tick.wait(1.0)
        return app(environment, start)

    hasty.around = slow  # type: ignore[assignment]
    assert hasty.ask("GET", "/health")[0] == 200


def test_the_times_are_seconds_and_not_minutes() -> None:
    assert connections.HEADER_SECONDS <= 10
    assert connections.BODY_SECONDS <= 20
    assert connections.IDLE_SECONDS <= 30


def test_one_address_leaves_room_for_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand connections that send one byte."""
    monkeypatch.setattr(connections, "HEADER_SECONDS", 2 * PATIENCE)
    site = Site(tmp_path)
    with ExitStack() as stack:
        most = connections.CONNECTIONS_OF_ONE
        begun = [stack.enter_context(site.raw(b"G")) for _ in range(most + 50)]
        # They are taken in the order in which they came.
        assert all(_ends(connection) for connection in begun[most:])
        assert len(site._server.active_channels) == most
        other = stack.enter_context(
            socket.create_connection(("127.0.0.1", site.port), PATIENCE, source_address=("127.0.0.2", 0))
        )
        other.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert other.recv(100).startswith(b"HTTP/1.1 200")
    site.close()


def test_two_hundred_silent_streams_stop_nobody(tmp_path: Path) -> None:
    site = Site(tmp_path, threads=256)
    with ExitStack() as stack:
        head = f"GET /api/v1/events/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {site.reader}\r\n\r\n"
        for _ in range(200):
            stream = stack.enter_context(site.raw(head.encode()))
            assert stream.recv(100).startswith(b"HTTP/1.1 200")
        assert site.backend.tailer.clients == 200
        began = time.monotonic()
        assert site.ask("GET", "/runs", token=site.reader)[0] == 200
        assert time.monotonic() - began < 10
    site.close()
