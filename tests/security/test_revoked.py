"""A token that was revoked, or a session that ended: live streams end with it."""

from __future__ import annotations

import socket
from collections.abc import Callable

import pytest

from disnplbm_dashboard import tailer

from .conftest import Site


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heartbeats and looks come often."""
    monkeypatch.setattr(tailer, "HEARTBEAT", 0.05)
    monkeypatch.setattr(tailer, "INTERVAL", 0.01)


def _listening(site: Site, header: str, path: str = "/events/stream?after=0") -> bytes:
    return f"GET /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n\r\n".encode()


def _heard(stream: socket.socket, wanted: bytes) -> None:
    """Listen until something is heard."""
    said = b""
    while wanted not in said:
        found = stream.recv(1000)
        assert found, said
        said += found


def _ends(stream: socket.socket) -> None:
    """Listen until the stream ends, however much is said meanwhile."""
    while stream.recv(2**16):
        pass


def _session(site: Site) -> str:
    return site.backend.tokens.open_session("reader")


ENDINGS: dict[str, Callable[[Site, str], None]] = {
    "the token is revoked": lambda site, cookie: site.backend.tokens.revoke("reader"),
    "the session is closed": lambda site, cookie: site.backend.tokens.close_session(cookie),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_stream_ends_with_what_opened_it(site: Site, ending: str) -> None:
    cookie = _session(site)
    with site.raw(_listening(site, f"Cookie: disnplbm_session={cookie}")) as stream:
        _heard(stream, b"still here")
        ENDINGS[ending](site, cookie)
        _ends(stream)


def test_a_stream_that_is_never_silent_ends_too(site: Site) -> None:
    """Heartbeats come by the clock, and not only while nothing happens."""
    site.backend.tailer.start()
    with site.raw(_listening(site, f"Authorization: Bearer {site.reader}")) as stream:
        _heard(stream, b"retry")
        site.dataset()
        _heard(stream, b"uploaded")
        site.backend.tokens.revoke("reader")
        clients = list(site.backend.tailer._clients)
        assert len(clients) == 1

        def talk(*_: object, **__: object) -> tailer.Message:
            return tailer.Message("progress", None, "{}")

        clients[0].waiting.get = talk  # type: ignore[method-assign]
        _ends(stream)


def test_a_stream_of_a_good_token_goes_on(site: Site) -> None:
    with site.raw(_listening(site, f"Authorization: Bearer {site.reader}")) as stream:
        for _ in range(5):
            _heard(stream, b"still here")


def test_a_stream_that_was_open_to_this_machine_ends_once_there_is_a_token(site: Site) -> None:
    """The site of these tests has tokens: nobody listens without one."""
    with site.raw(_listening(site, "Accept: */*")) as stream:
        assert stream.recv(100).startswith(b"HTTP/1.1 401")
