"""Celery's consumer without what would declare queues of its own, and without its ideas of logging."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import structlog
from amqp.exceptions import AccessRefused, NotAllowed
from celery import signals
from celery.exceptions import WorkerShutdown
from celery.platforms import SecurityWarning
from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown
from kombu import Connection

from disnplbm.errors import first_line
from disnplbm.messaging.addresses import shown

_log = structlog.get_logger(__name__)

#: Seconds between two tries to connect to a broker that is away: at first, more with each, and at most.
RECONNECTION = {"interval_start": 1, "interval_step": 1, "interval_max": 3}

#: Errors of a broker that does not let us in: waiting does not help.
REFUSALS = (AccessRefused, NotAllowed)

_DELAYED = "celery.worker.consumer.delayed_delivery:DelayedDelivery"


class PlainConsumer(Consumer):  # type: ignore[misc]
    """Consumes tasks, and nothing besides.

    Where it sees quorum queues Celery declares 28 more of them, for tasks with a countdown. Ours have none.
    """

    class Blueprint(Consumer.Blueprint):  # type: ignore[misc]
        """The steps that are left."""

        default_steps = tuple(step for step in Consumer.Blueprint.default_steps if step != _DELAYED)

    def ensure_connected(self, conn: Connection) -> Connection:
        """Connect, however often it takes: Celery's own pauses would grow to half a minute.

        Raises
        ------
        WorkerShutdown
            The broker is there, and refuses us.
        """
        try:
            return conn.ensure_connection(waiting(conn), callback=maybe_shutdown, **RECONNECTION)
        except REFUSALS as error:
            _log.error(refusal(conn, error))
            raise WorkerShutdown(1) from error


def refusal(connection: Connection, error: Exception) -> str:
    """One line on a broker that is there and refuses us."""
    return (
        f"the broker {shown(connection)} refuses the connection ({first_line(error)}): check user, password and"
        " virtual host in DISNPLBM_BROKER_URL"
    )


def waiting(connection: Connection) -> Callable[[Exception, float], None]:
    """What says, of an error and the seconds until the next try, that a broker is waited for."""

    def say(error: Exception, _interval: float) -> None:
        _log.warning("waiting for the broker", address=shown(connection), reason=str(error))

    return say


def leave_logging_alone() -> None:
    """Keep Celery from setting up logging once more, and from warning of root because of pickle, which is not used."""
    signals.setup_logging.connect(_heard, weak=False)
    warnings.simplefilter("ignore", SecurityWarning)


def _heard(**_: object) -> None:
    """Do nothing: that somebody listens is enough."""


#: Arguments of ``app.Worker`` of a service: one process, one task at a time, no events, no remote control.
WORKER_ARGUMENTS: dict[str, Any] = {
    "consumer_cls": PlainConsumer,
    "pool_cls": "prefork",
    "concurrency": 1,
    "without_gossip": True,
    "without_mingle": True,
    "without_heartbeat": True,
    "task_events": False,
    "quiet": True,
}
