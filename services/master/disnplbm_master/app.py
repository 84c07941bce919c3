"""The Celery application of the master: the chord callback as a task, and a consumer of what the workers send."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import structlog
from celery import bootsteps
from kombu import Consumer, Queue
from kombu.message import Message

from disnplbm.errors import DisnplbmError
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.consumer import acknowledge, guard_consumer, refuse
from disnplbm.messaging.messages import ColumnStep, Result
from disnplbm.messaging.patience import retry_while_away
from disnplbm.settings import Settings
from disnplbm_master.batches import PREFETCH, Batches
from disnplbm_master.inbox import Inbox

_log = structlog.get_logger(__name__)


def master_app(settings: Settings, inbox: Callable[[], Inbox]) -> Application:
    """The application.

    Parameters
    ----------
    inbox : callable
        Gives what takes the messages, once there is a master.
    """
    app = make_app("disnplbm-master", settings)

    @app.task(name=queues.COLUMN_STEP_TASK)  # type: ignore[untyped-decorator]
    def on_column_step(*arguments: Any) -> None:
        """The callback of an iteration's chord: the receipts, and of which iteration."""
        try:
            called = ColumnStep.from_arguments(arguments[1:])
            retry_while_away(lambda: inbox().on_column_step(called))
        except DisnplbmError as error:
            _log.error("dropped a message", task=queues.COLUMN_STEP_TASK, reason=str(error))

    def take(results: Sequence[Result], done: Callable[[], None]) -> None:
        inbox().on_results(results, done)

    def dead(message: Message) -> None:
        task, arguments = app.admission.task(message)
        retry_while_away(lambda: inbox().on_dead(task, arguments))

    class Results(_Consumed):
        """Consumes the results."""

        queue = queues.RESULTS

        def make_taker(self) -> Callable[[Message], None]:
            return Batches(app.admission, take).on_message

    class SetAside(_Consumed):
        """Consumes what the broker set aside."""

        queue = queues.DEAD

        def make_taker(self) -> Callable[[Message], None]:
            return guard_consumer(acknowledge_after(dead))

    app.steps["consumer"].add(Results)
    app.steps["consumer"].add(SetAside)
    return app


class _Consumed(bootsteps.ConsumerStep):  # type: ignore[misc]
    """Consumes a queue, on a channel of its own: an acknowledgement of many messages is of none of another queue."""

    requires = ("celery.worker.consumer.tasks:Tasks",)
    queue: Queue

    def make_taker(self) -> Callable[[Message], None]:
        """Make what takes a message."""
        raise NotImplementedError

    def get_consumers(self, channel: Any) -> list[Consumer]:
        return [
            Consumer(
                channel,
                queues=[self.queue],
                on_message=self.make_taker(),
                on_decode_error=refuse,
                prefetch_count=PREFETCH,
            )
        ]


def acknowledge_after(take: Callable[[Message], None]) -> Callable[[Message], None]:
    """Wrap what takes a message, so that the message is acknowledged once it is taken."""

    def taken(message: Message) -> None:
        take(message)
        acknowledge(message)

    return taken
