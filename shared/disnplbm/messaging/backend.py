"""Redis as what counts the parts of a chord, and as nothing else."""

from __future__ import annotations

from celery.backends.redis import RedisBackend, ResultConsumer


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
