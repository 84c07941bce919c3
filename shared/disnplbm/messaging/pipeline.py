"""Many messages at a time: they go out one behind the other, and the broker's answers to all are awaited at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from kombu import Connection, Producer

#: Seconds that the broker may say nothing while its answers are awaited.
CONFIRM_SECONDS = 30


class NotTaken(OSError):
    """The broker says that it could not take a message."""


class Pipeline:
    """A connection for many messages at a time.

    Parameters
    ----------
    connection : Connection
        For nothing else. It need not be open, and is opened anew after an error.
    patience : dict
        How long a broker that is away is waited for: options of :meth:`kombu.Connection.ensure_connection`.

    Attributes
    ----------
    connection : Connection
    """

    def __init__(self, connection: Connection, patience: dict[str, float]) -> None:
        # Else a channel awaits the answer to each message.
        connection.transport_options = {**connection.transport_options, "confirm_publish": False}
        self.connection, self._patience = connection, patience
        self._lock = threading.Lock()
        self._channel: Any = None
        self._sent = 0
        # The tags of messages without an answer, in the order in which they were sent.
        self._awaited: dict[int, None] = {}
        self._refused = False
        self._declared: set[str] = set()

    @contextmanager
    def batch(self) -> Iterator[Producer]:
        """Publish messages within the block by a producer; the broker has all of them when the block is left.

        Raises
        ------
        OSError, AMQPError, OperationalError
            The broker may lack some of them: it went away, was silent, or refused one.
        """
        with self._lock:
            try:
                yield _Producer(self._open_channel(), self)
                self._await_answers()
            except BaseException:
                self._drop()
                raise

    def close(self) -> None:
        """Close the connection, politely."""
        with self._lock:
            self._channel = None
            self.connection.release()

    def note_sent(self) -> None:
        """Expect one more answer."""
        self._sent += 1
        self._awaited[self._sent] = None

    def is_new(self, queue: str) -> bool:
        """Whether a queue has not been asked for on this connection; now it has."""
        new = queue not in self._declared
        self._declared.add(queue)
        return new

    def _open_channel(self) -> Any:
        if self._channel is None:
            self.connection.ensure_connection(**self._patience)
            channel = self.connection.channel()
            channel.confirm_select()
            channel.events["basic_ack"].add(self._on_taken)
            channel.events["basic_nack"].add(self._on_refused)
            channel.basic_publish = self._counting(channel.basic_publish)
            self._channel, self._sent, self._refused = channel, 0, False
            self._awaited.clear()
            self._declared.clear()
        return self._channel

    def _counting(self, publish: Callable[..., Any]) -> Callable[..., Any]:
        """Publish and count: the broker numbers, and answers, every message of a channel, whoever sends it."""

        def counted(*arguments: Any, **options: Any) -> Any:
            published = publish(*arguments, **options)
            self.note_sent()
            return published

        return counted

    def _await_answers(self) -> None:
        while self._awaited and not self._refused:
            self.connection.drain_events(timeout=CONFIRM_SECONDS)
        if self._refused:
            raise NotTaken("the broker could not take a message")

    def _on_taken(self, tag: int, multiple: bool) -> None:
        if not multiple:
            self._awaited.pop(tag, None)
            return
        while self._awaited and (first := next(iter(self._awaited))) <= tag:
            del self._awaited[first]

    def _on_refused(self, _tag: int, _multiple: bool) -> None:
        self._refused = True

    def _drop(self) -> None:
        self._channel = None
        with suppress(Exception):
            # Not closed politely: whoever is at the other end may not answer.
            self.connection.collect()


class _Producer(Producer):  # type: ignore[misc]
    """A producer that sends a message once, since a second connection would not know what the first one sent."""

    def __init__(self, channel: Any, pipeline: Pipeline) -> None:
        super().__init__(channel, auto_declare=False)
        self._pipeline = pipeline

    def publish(self, body: Any, **options: Any) -> Any:
        """Publish as kombu does; the answer is not awaited."""
        # Declared once a connection: kombu makes sure of it again with each message, which takes as long as to send it.
        options["declare"] = [queue for queue in options.get("declare") or () if self._pipeline.is_new(queue.name)]
        return super().publish(body, **{**options, "retry": False})
