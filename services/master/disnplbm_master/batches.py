"""Results of workers, taken from the broker in batches: all that wait at the moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

import structlog
from kombu.message import Message

from disnplbm.errors import described, unexpected
from disnplbm.messaging.admission import Admission
from disnplbm.messaging.consumer import ConnectionLost, acknowledge, refuse
from disnplbm.messaging.messages import Result, Swept, result_of
from disnplbm.messaging.patience import retry_while_away

_log = structlog.get_logger(__name__)

#: Messages that the broker hands over ahead of their acknowledgement, and so the most that are taken together.
PREFETCH = 128

#: Takes some messages in, and tells the broker once they are safe.
Take = Callable[[Sequence[Result], Callable[[], None]], None]

#: A message of the broker's, and what is in it.
_Read = tuple[Message, Result]


class Batches:
    """Collects the messages that wait already, and passes them on together.

    Parameters
    ----------
    take : callable
        Takes statistics of any number of shards, or one message of another kind.
    """

    def __init__(self, admission: Admission, take: Take) -> None:
        self._admission, self._take = admission, take
        self._collected: list[Message] | None = None

    def on_message(self, message: Message) -> None:
        """Take a message, with all that come right behind it."""
        if self._collected is not None:
            self._collected.append(message)
            return
        self._collected = collected = [message]
        try:
            self._receive(message.channel.connection)
        finally:
            self._collected = None
        for group in _groups(self._read(collected)):
            self._take_group(group)

    def _receive(self, connection: Any) -> None:
        """Receive what is there already: each message calls :meth:`on_message`."""
        assert self._collected is not None
        try:
            while len(self._collected) < PREFETCH:
                connection.drain_events(timeout=0)
        except TimeoutError:
            return

    def _read(self, messages: Sequence[Message]) -> Iterator[_Read]:
        """The messages that can be read; others are refused."""
        for message in messages:
            try:
                result = result_of(self._admission.result(message))
            except Exception as error:
                refuse(message, error)
            else:
                yield message, result

    def _take_group(self, group: Sequence[_Read]) -> None:
        """Take messages together; if that fails, one by one, so that one bad message does not harm the others."""
        last = group[-1][0]
        try:
            results = [result for _, result in group]
            retry_while_away(lambda: self._take(results, lambda: _acknowledge_up_to(last)))
        except ConnectionLost as lost:
            raise lost.error from None
        except Exception as error:
            if len(group) == 1:
                refuse(last, error)
            elif last.acknowledged:
                _log.error(
                    "results are recorded, but the step after them failed",
                    reason=described(error),
                    exc_info=unexpected(error),
                )
            else:
                for one in group:
                    self._take_group([one])


def _groups(read: Iterator[_Read]) -> Iterator[list[_Read]]:
    """The messages in their order: statistics that follow each other together, others alone."""
    for swept, group in groupby(read, lambda one: isinstance(one[1], Swept)):
        if swept:
            yield list(group)
        else:
            yield from ([one] for one in group)


def _acknowledge_up_to(message: Message) -> None:
    acknowledge(message, multiple=True)
