"""Put an iteration's work on the broker, in an order in which workers get the shards that are in their caches."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import redis
import structlog
from celery import chord
from kombu.exceptions import OperationalError

from disnplbm.errors import RunError
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, translate_refusals
from disnplbm.messaging.messages import IngestTask, Message, PrepareTask, SweepTask

_log = structlog.get_logger(__name__)

#: Seconds without a chord once Redis did not take one.
PAUSE = 60.0


class BrokerAway(RunError):
    """The broker did not take a message."""


class Publisher:
    """Publishes tasks; every method returns once the broker has them.

    Parameters
    ----------
    can_count : callable
        Whether Redis is there to count the parts of a chord.
    """

    def __init__(self, app: Application, can_count: Callable[[], bool]) -> None:
        self._app, self._can_count = app, can_count
        self._uncounted_until = 0.0
        self._losses = (*app.connection_for_write().recoverable_connection_errors, OperationalError)

    def publish_iteration(self, tasks: Sequence[SweepTask]) -> None:
        """Publish all shards of an iteration as a chord, whose callback is the column step.

        Without Redis the shards go out without a chord: the ledger says when they are complete.

        Raises
        ------
        BrokerAway
        Refused
            Nor will it.
        """
        # Asked beforehand: a chord finds out when all but one of its parts are published.
        if time.monotonic() < self._uncounted_until or not self._can_count():
            return self.publish_shards(tasks)
        first = tasks[0]
        callback = self._app.signature(
            queues.COLUMN_STEP_TASK, args=(first.run, first.stream, first.iteration), queue=queues.MASTER.name
        )
        try:
            self._publish_together(
                lambda: chord([self._sweep(task) for task in tasks], callback, app=self._app).apply_async()
            )
        except redis.RedisError as error:
            _log.warning("no chord: Redis is away, or full", reason=str(error))
            self._uncounted_until = time.monotonic() + PAUSE
            self.publish_shards(tasks)

    def publish_shards(self, tasks: Sequence[SweepTask]) -> None:
        """Publish some shards of an iteration, outside of any chord; raises BrokerAway."""

        def publish() -> None:
            for task in tasks:
                self._sweep(task).apply_async()

        self._publish_together(publish)

    def publish_job(self, task: IngestTask | PrepareTask) -> None:
        """Have an upload read, or a dataset sharded; raises BrokerAway."""
        name = queues.INGEST_TASK if isinstance(task, IngestTask) else queues.PREPARE_TASK
        self._send(name, queues.PREPARE.name, task)

    def count_waiting(self, queue: str) -> int:
        """Count the messages of a queue that no consumer has; raises BrokerAway."""
        try:
            with self._app.connection_or_acquire() as connection:
                # One that was lost is not opened again by itself.
                connection.connect()
                with connection.channel() as channel:
                    return int(channel.queue_declare(queue, passive=True).message_count)
        except (*self._app.connection_for_read().connection_errors, OperationalError) as error:
            raise BrokerAway(f"the broker cannot be asked: {error}") from error

    def _publish_together(self, publish: Callable[[], Any]) -> None:
        """Do what publishes many messages; once more, on a new connection, if the first was lost.

        Whichever of the messages the broker had then, it has twice: the ledger takes one answer a shard.
        """
        for last in (False, True):
            try:
                with translate_refusals(), self._app.batch():
                    publish()
            except self._losses as error:
                if last:
                    raise BrokerAway(f"the broker does not take messages: {error}") from error
                _log.warning("publishing again", reason=str(error))
            else:
                return

    def _sweep(self, task: SweepTask) -> Any:
        # Celery would write the arguments down for people in each message, which takes longer than all else.
        return self._app.signature(
            queues.SWEEP_TASK, args=(task.to_dict(),), queue=queues.SWEEP.name, argsrepr=task.name
        )

    def _send(self, name: str, queue: str, message: Message) -> None:
        try:
            with translate_refusals():
                self._app.send_task(name, args=(message.to_dict(),), queue=queue)
        except (OperationalError, OSError) as error:
            raise BrokerAway(f"the broker does not take messages: {error}") from error


def order_shards(taken: Iterable[tuple[Hashable, int]]) -> list[int]:
    """Order shards so that each worker is likely to be given those that it swept last.

    The broker gives the next message to the worker that has waited longest. At the start of an iteration that is the
    worker whose last result came first; so the shards go out in rounds, one of each worker a round. A worker's shards
    go out in reverse: of more than its cache holds, those swept last are still there.

    Parameters
    ----------
    taken : iterable of (worker, shard)
        Who swept what in the last iteration, in the order in which the results came.

    Returns
    -------
    list of int
        The same shards.
    """
    by_worker: dict[Hashable, list[int]] = {}
    for worker, shard in taken:
        shards = by_worker.pop(worker, [])
        shards.append(shard)
        # Taken out and put in again: in the end, workers are in the order of their last results.
        by_worker[worker] = shards
    rounds = max(map(len, by_worker.values()), default=0)
    return [shards[-1 - turn] for turn in range(rounds) for shards in by_worker.values() if turn < len(shards)]
