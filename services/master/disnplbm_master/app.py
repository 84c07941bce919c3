"""The Celery application of the master: the chord callback as a task, and a consumer of what the workers send."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import structlog
from celery import bootsteps
from kombu import Consumer
from kombu.message import Message

from disnplbm.errors import DisnplbmError
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.consumer import acknowledge, guard_consumer, refuse
from disnplbm.messaging.messages import ColumnStep
from disnplbm.messaging.patience import retry_while_away
from disnplbm.settings import Settings
from disnplbm_master.inbox import Inbox

_log = structlog.get_logger(__name__)

#: Messages that the broker hands over ahead of their acknowledgement.
PREFETCH = 128


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

    def result(message: Message) -> None:
        body = app.admission.result(message)
        retry_while_away(lambda: inbox().on_result(body, lambda: acknowledge(message)))

    def dead(message: Message) -> None:
        task, arguments = app.admission.task(message)
        retry_while_away(lambda: inbox().on_dead(task, arguments))

    class Results(bootsteps.ConsumerStep):  # type: ignore[misc]
        """Consumes the results, and what the broker set aside."""

        requires = ("celery.worker.consumer.tasks:Tasks",)

        def get_consumers(self, channel: Any) -> list[Consumer]:
            return [
                Consumer(
                    channel,
                    queues=[queue],
                    on_message=guard_consumer(acknowledge_after(take)),
                    on_decode_error=refuse,
                    prefetch_count=PREFETCH,
                )
                for queue, take in ((queues.RESULTS, result), (queues.DEAD, dead))
            ]

    app.steps["consumer"].add(Results)
    return app


def acknowledge_after(take: Callable[[Message], None]) -> Callable[[Message], None]:
    """Wrap what takes a message, so that the message is acknowledged once it is taken."""

    def taken(message: Message) -> None:
        take(message)
        acknowledge(message)

    return taken
