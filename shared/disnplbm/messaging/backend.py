"""Redis as what counts the parts of a chord, and as nothing else."""

from __future__ import annotations

from typing import Any

import redis
import structlog
from celery.backends.redis import RedisBackend, ResultConsumer

_log = structlog.get_logger(__name__)


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
    """

    ResultConsumer = _Deaf

    def on_chord_part_return(self, *arguments: Any, **options: Any) -> None:
        """Count a part; one that Redis does not take, since it is full or away, the ledger knows of."""
        try:
            super().on_chord_part_return(*arguments, **options)
        except redis.RedisError as error:
            _log.warning("not counted: Redis does not take it", reason=str(error))
