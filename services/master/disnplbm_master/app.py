"""The Celery application of the master: the chord callback as a task, and a consumer of what the workers send."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import structlog
from amqp.exceptions import AMQPError
from celery import Celery, bootsteps
from kombu import Consumer
from kombu.message import Message

from disnplbm.errors import DisnplbmError
from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app
from disnplbm.settings import Settings
from disnplbm.storage.database import DatabaseAway
from disnplbm_master.inbox import Inbox

_log = structlog.get_logger(__name__)

#: Messages that the broker hands over ahead of their acknowledgement.
PREFETCH = 128

#: Seconds between two looks whether the database is back.
_PATIENCE = 1.0


def master_app(settings: Settings, inbox: Callable[[], Inbox]) -> Celery:
    """The application.

    Parameters
    ----------
    settings : Settings
    inbox : callable
        Gives what takes the messages, once there is a master.
    """
    app = make_app("disnplbm-master", settings)

    @app.task(name=queues.COLUMN_STEP_TASK)  # type: ignore[untyped-decorator]
    def column_step(_receipts: list[Any], run: str, stream: int, iteration: int) -> None:
        """The callback of an iteration's chord."""
        persistently(lambda: inbox().column_step(run, stream, iteration))

    def result(message: Message, acknowledge: Callable[[], None]) -> None:
        inbox().result(message.body, acknowledge)

    def dead(message: Message, _acknowledge: Callable[[], None]) -> None:
        inbox().dead(message.body, message.headers.get("task", ""))

    class Results(bootsteps.ConsumerStep):  # type: ignore[misc]
        """Consumes the results, and what the broker set aside."""

        requires = ("celery.worker.consumer.tasks:Tasks",)

        def get_consumers(self, channel: Any) -> list[Consumer]:
            return [
                Consumer(channel, queues=[queue], on_message=taking(take), prefetch_count=PREFETCH)
                for queue, take in ((queues.RESULTS, result), (queues.DEAD, dead))
            ]

    app.steps["consumer"].add(Results)
    return app


def persistently(task: Callable[[], object]) -> None:
    """Do a task, as often as it takes while the database is away: nothing is acknowledged, and nothing rejected."""
    while True:
        try:
            task()
        except DatabaseAway as error:
            _log.warning("waiting for the database", reason=str(error))
            time.sleep(_PATIENCE)
        else:
            return


def taking(take: Callable[[Message, Callable[[], None]], None]) -> Callable[[Message], None]:
    """What a consumer calls with a message: it is acknowledged once taken; one that makes no sense is let go."""

    def taken(message: Message) -> None:
        def acknowledge() -> None:
            if not message.acknowledged:
                message.ack()

        try:
            persistently(lambda: take(message, acknowledge))
        except DisnplbmError as error:
            _log.error("a message was let go", reason=str(error))
        except (AMQPError, OSError):
            # The connection is lost: the broker delivers the message again.
            raise
        except Exception:
            # The reconciler finds what is missing now; a message that came back for ever would find nothing.
            _log.exception("a message was let go")
        acknowledge()

    return taken
