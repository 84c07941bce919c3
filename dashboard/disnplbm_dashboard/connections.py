"""The server's connections: how many there may be, how long each may take, and who may send a large body."""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask
from waitress.utilities import RequestEntityTooLarge

from disnplbm.runs.partial import UPLOAD_PART_BYTES

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]

#: A body of at most so many bytes is taken from anybody. The sender of a larger one is judged before it is taken.
TAKEN_FROM_ANYBODY = 4 * 2**10

#: In the environment of a request: whether its body was thrown away, since its sender was refused.
UNREAD = "disnplbm.unread"

#: Seconds that a connection may be silent between requests, and before its first.
IDLE_SECONDS = 30.0

#: Seconds from the first byte of a request to the last one of its headers, and of a small body.
HEADER_SECONDS, BODY_SECONDS = 10.0, 20.0

#: Seconds of silence within a large body, and seconds in which a body that is thrown away must be over.
SILENT_SECONDS, REFUSED_SECONDS = 60.0, 60.0

#: Seconds between two looks at all connections.
_LOOK = 2

#: Requests at a time; a live stream is one for as long as it lasts.
_THREADS = 256

#: Connections at a time, and those from one address.
CONNECTIONS, CONNECTIONS_OF_ONE = 1000, 400


class _Nothing:
    """A buffer that keeps nothing."""

    def append(self, _data: bytes) -> None:
        """Throw bytes away."""

    def __len__(self) -> int:
        return 0

    def getfile(self) -> io.BytesIO:
        """What is kept."""
        return io.BytesIO()

    def close(self) -> None:
        """Do nothing."""


class _Parser(HTTPRequestParser):  # type: ignore[misc]
    """A request while it comes in.

    Attributes
    ----------
    most : int
        Bytes that its body may have.
    judged : bool
        Whether the sender of a large body has been judged.
    unread : bool
        Whether the body is thrown away.
    """

    most, judged, unread = TAKEN_FROM_ANYBODY, False, False
    completed: bool

    @property
    def is_large(self) -> bool:
        """Whether the body is more than is taken from anybody, or of unknown length."""
        return bool(self.headers_finished and (self.chunked or self.content_length > TAKEN_FROM_ANYBODY))

    def received(self, data: bytes) -> int:
        """Take bytes in; the number of those that were used."""
        used: int = super().received(data)
        if self.chunked and not self.completed and self.judged and self.body_bytes_received > self.most:
            self.error, self.completed = RequestEntityTooLarge(f"exceeds {self.most} bytes"), True
        return used

    def keep(self, most: int) -> None:
        """Go on with the body: keep so many bytes of it, or throw it away."""
        self.most, self.judged, self.unread = most, True, most == 0
        if self.unread:
            self.most = 2 * UPLOAD_PART_BYTES
            self.body_rcv.buf = _Nothing()


class _Task(WSGITask):  # type: ignore[misc]
    """A request that is answered."""

    def get_environment(self) -> dict[str, Any]:
        """What the application is told."""
        found: dict[str, Any] = super().get_environment()
        return found | {UNREAD: self.request.unread}


class _Judgement:
    """The task that judges the sender of a large body, in a thread that may ask the database."""

    def __init__(self, channel: _Channel, request: _Parser) -> None:
        self._channel, self._request = channel, request

    def service(self) -> None:
        """Judge."""
        most = 0
        try:
            most = self._channel.server.admit(_Task(self._channel, self._request).get_environment())
        finally:
            self._request.keep(most)
            self._channel.judging = False
            self._channel.server.pull_trigger()

    def cancel(self) -> None:
        """The server ends."""
        self._channel.cancel()


class _Channel(HTTPChannel):  # type: ignore[misc]
    """A connection.

    Attributes
    ----------
    judging : bool
        Whether nothing is read until the sender has been judged.
    began : float
        When the first byte of the current request came.
    """

    parser_class, task_class = _Parser, _Task
    judging = False
    began = 0.0

    def readable(self) -> bool:
        """Whether more bytes are taken in."""
        return not self.judging and bool(super().readable())

    def received(self, data: bytes) -> bool:
        """Take bytes in."""
        before = self.request
        found: bool = super().received(data)
        request = self.request
        if request is not before:
            self.began = time.time()
        if request is not None and request.is_large and not (request.judged or self.judging):
            self.judging = True
            self.server.add_task(_Judgement(self, request))
        return found

    def is_overdue(self, now: float) -> bool:
        """Whether the connection is silent, or its request takes, too long."""
        if self.requests or self.judging:
            return False
        request, silent = self.request, float(now - self.last_activity)
        if request is None:
            return silent > IDLE_SECONDS
        lasted = now - self.began
        if not request.headers_finished:
            return lasted > HEADER_SECONDS
        if not request.is_large:
            return lasted > BODY_SECONDS
        return silent > SILENT_SECONDS or (request.unread and lasted > REFUSED_SECONDS)


class Server(TcpWSGIServer):  # type: ignore[misc]
    """A server on a socket that listens.

    Parameters
    ----------
    application : callable
        As WSGI has it.
    admit : callable
        Given the environment of a request, how many bytes its body may have; 0 if its sender is refused. It is asked
        before a large body is taken.
    of_one : int
        Connections at a time from one address.
    """

    def __init__(
        self,
        application: Application,
        admit: Callable[[dict[str, Any]], int],
        listening: socket.socket,
        of_one: int = CONNECTIONS_OF_ONE,
        threads: int = _THREADS,
    ) -> None:
        self.admit, self._of_one = admit, of_one
        adjustments = Adjustments(
            sockets=[listening],
            threads=threads,
            connection_limit=CONNECTIONS,
            # The application refuses what is larger than a part, and says so.
            max_request_body_size=2 * UPLOAD_PART_BYTES,
            # The application does not believe them. It sees by them that there is a proxy.
            clear_untrusted_proxy_headers=False,
            asyncore_use_poll=True,
            cleanup_interval=_LOOK,
            ident="disnplbm",
        )
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.set_thread_count(threads)
        place = (listening.family, listening.type, listening.proto, listening.getsockname())
        super().__init__(
            application,
            {},
            True,
            listening,
            dispatcher=dispatcher,
            adj=adjustments,
            bind_socket=False,
            sockinfo=place,
        )

    def channel_class(self, _server: Server, connection: socket.socket, address: Any, *rest: Any, **more: Any) -> None:
        """Take a connection, or close it if there are enough from its address."""
        of_one = sum(channel.addr[0] == address[0] for channel in list(self.active_channels.values()))
        if of_one >= self._of_one:
            connection.close()
        else:
            _Channel(self, connection, address, *rest, **more)

    def maintenance(self, now: float) -> None:
        """Close the connections that take too long."""
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now):
                channel.will_close = True
