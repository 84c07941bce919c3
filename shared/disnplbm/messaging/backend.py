"""Redis as what counts the parts of a chord, and as nothing else."""

from __future__ import annotations

import os
import threading
from queue import Full, Queue
from typing import Any

import redis
import structlog
from celery.backends.redis import RedisBackend, ResultConsumer

from disnplbm.errors import described, unexpected

_log = structlog.get_logger(__name__)

#: Parts that may wait to be counted, while Redis is slow; others are not counted at all.
MOST_WAITING = 64


class _Deaf(ResultConsumer):  # type: ignore[misc]
    """Waits for no result."""

    def consume_from(self, task_id: str) -> None:
        """Do nothing, where Celery subscribes."""

    def cancel_for(self, task_id: str) -> None:
        """Do nothing, where Celery ends a subscription."""


class ChordCounter(RedisBackend):  # type: ignore[misc]
    """A result backend whose results nobody waits for.

    Celery's own subscribes to the result of every part of a chord that it publishes, asked to ignore it or not: a
    channel each, until the garbage collector finds it, and one more way to fail while Redis is away.

    A worker's next task does not wait for the count of the last one: a thread counts beside it. A count that is lost
    with the process is one of those that the ledger makes up for.
    """

    ResultConsumer = _Deaf

    def on_chord_part_return(self, *arguments: Any, **options: Any) -> None:
        """Count a part, beside whatever comes next."""
        try:
            self._counted_beside().put_nowait((arguments, options))
        except Full:
            _log.warning("not counted: Redis is slow")

    def count(self, *arguments: Any, **options: Any) -> None:
        """Count a part; one that Redis does not take, since it is full or away, the ledger knows of."""
        try:
            super().on_chord_part_return(*arguments, **options)
        except redis.RedisError as error:
            _log.warning("not counted: Redis does not take it", reason=str(error))

    def _counted_beside(self) -> Queue[tuple[tuple[Any, ...], dict[str, Any]]]:
        """What a thread of this process counts: threads do not survive a fork."""
        ours = getattr(self, "_beside", None)
        if ours is None or ours[0] != os.getpid():
            waiting: Queue[tuple[tuple[Any, ...], dict[str, Any]]] = Queue(MOST_WAITING)
            ours = self._beside = os.getpid(), waiting
            threading.Thread(target=self._count_all, args=(waiting,), name="counter", daemon=True).start()
        return ours[1]

    def _count_all(self, waiting: Queue[tuple[tuple[Any, ...], dict[str, Any]]]) -> None:
        while True:
            arguments, options = waiting.get()
            try:
                self.count(*arguments, **options)
            except Exception as error:
                # Whatever it is, the next part is counted all the same.
                _log.error("not counted", reason=described(error), exc_info=unexpected(error))
