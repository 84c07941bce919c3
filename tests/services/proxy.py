"""A TCP proxy on 127.0.0.1 that disturbs the connections of one server while a test runs."""

from __future__ import annotations

import select
import socket
import struct
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

Mode = Literal["pass", "drop", "delay", "reset"]

_TICK = 0.02
"""Seconds after which a connection at the latest notices another mode."""

_PIECE = 65536

_RESET = struct.pack("ii", 1, 0)
"""A linger of 0 seconds: closing sends a reset."""


@dataclass
class _Way:
    """One direction of a connection, with the bytes that wait to go on."""

    source: socket.socket
    sink: socket.socket
    held: bytes = b""
    due: float = 0.0
    ended: bool = False


class Proxy:
    """Forwards connections to one port of 127.0.0.1, as the mode of the moment says.

    pass
        Bytes go on at once.
    drop
        A cut cable: nothing goes on in either direction, connections stay open, new ones are accepted and lead
        nowhere. What was sent meanwhile arrives when the cable is mended, as TCP's own repetition would have it.
    delay
        Every piece goes on after so many seconds.
    reset
        Open connections are reset, and so is every new one.

    Parameters
    ----------
    target : int
        The server's port.
    """

    def __init__(self, target: int) -> None:
        self._target = target
        self._mode: Mode = "pass"
        self._delay = 0.0
        self._closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    @property
    def port(self) -> int:
        """Where clients connect to, on 127.0.0.1."""
        return int(self._listener.getsockname()[1])

    def url(self, server_url: str) -> str:
        """A server's address with this proxy's port in place of its own."""
        return server_url.replace(f":{self._target}", f":{self.port}")

    def switch(self, mode: Mode, seconds: float = 0.0) -> None:
        """Change the mode of open and coming connections; `seconds` is for delay."""
        self._delay = seconds
        self._mode = mode

    def close(self) -> None:
        """Close every connection and stop listening."""
        self._closed.set()
        for thread in self._threads:
            thread.join()
        self._listener.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closed.is_set():
            if not select.select([self._listener], [], [], _TICK)[0]:
                continue
            client, _ = self._listener.accept()
            thread = threading.Thread(target=self._serve, args=(client,), daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self, client: socket.socket) -> None:
        with client:
            while self._mode == "drop" and not self._closed.is_set():
                time.sleep(_TICK)
            try:
                server = socket.create_connection(("127.0.0.1", self._target))
            except OSError:
                # The server is down: the client learns it as it would without a proxy.
                _reset(client)
                return
            with server:
                try:
                    self._forward([_Way(client, server), _Way(server, client)])
                except OSError:
                    _reset(client, server)

    def _forward(self, ways: list[_Way]) -> None:
        for way in ways:
            way.source.setblocking(False)
        while not self._closed.is_set() and not all(way.ended for way in ways):
            if self._mode == "reset":
                raise ConnectionResetError
            if self._mode == "drop":
                time.sleep(_TICK)
                continue
            now = time.monotonic()
            readable, writable, _ = select.select(
                [way.source for way in ways if not way.held and not way.ended],
                [way.sink for way in ways if way.held and way.due <= now],
                [],
                _TICK,
            )
            if self._mode in ("drop", "reset"):
                continue
            for way in ways:
                if way.source in readable:
                    self._take(way)
                elif way.held and way.sink in writable:
                    way.held = way.held[way.sink.send(way.held) :]

    def _take(self, way: _Way) -> None:
        way.held = way.source.recv(_PIECE)
        way.due = time.monotonic() + (self._delay if self._mode == "delay" else 0.0)
        if not way.held:
            way.ended = True
            way.sink.shutdown(socket.SHUT_WR)


def _reset(*connections: socket.socket) -> None:
    for connection in connections:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
