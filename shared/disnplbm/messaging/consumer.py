"""Celery's consumer: it takes what we send and nothing else, declares no queues of its own, and leaves logs alone."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import structlog
from amqp.exceptions import AccessRefused, AMQPError, NotAllowed
from celery import Celery, signals
from celery.apps.worker import Worker
from celery.exceptions import WorkerShutdown
from celery.platforms import SecurityWarning
from celery.worker.consumer import Consumer
from celery.worker.state import maybe_shutdown
from kombu import Connection
from kombu.message import Message

from disnplbm.errors import described, first_line, unexpected
from disnplbm.messaging.addresses import shown

_log = structlog.get_logger(__name__)

#: Seconds between two tries to connect to a broker that is away: at first, more with each, and at most.
RECONNECTION = {"interval_start": 1, "interval_step": 1, "interval_max": 3}

#: Errors of a broker that does not let us in: waiting does not help.
REFUSALS = (AccessRefused, NotAllowed)

#: What the log says of a message that a member does not take; docs/runbook/dead-letters.md and tests look for it.
MESSAGE_REFUSED = "a message was refused"

_DELAYED = "celery.worker.consumer.delayed_delivery:DelayedDelivery"


class PlainConsumer(Consumer):  # type: ignore[misc]
    """Consumes tasks, and nothing besides.

    Where it sees quorum queues Celery declares 28 more of them, for tasks with a countdown. Ours have none.
    """

    class Blueprint(Consumer.Blueprint):  # type: ignore[misc]
        """The steps that are left."""

        default_steps = tuple(step for step in Consumer.Blueprint.default_steps if step != _DELAYED)

    def create_task_handler(self, *arguments: Any, **options: Any) -> Callable[[Message], None]:
        """What takes a task: one that is not ours, or that Celery stumbles over, goes back to the broker for good."""
        handle = super().create_task_handler(*arguments, **options)

        def handled(message: Message) -> None:
            self.app.admission.task(message)
            handle(message)

        return guard_consumer(handled)

    def on_decode_error(self, message: Message, error: Exception) -> None:
        """Refuse what kombu could not read, such as a compressed message."""
        refuse(message, error)

    def ensure_connected(self, conn: Connection) -> Connection:
        """Connect, however often it takes: Celery's own pauses would grow to half a minute.

        Raises
        ------
        WorkerShutdown
            The broker is there, and refuses us.
        """
        try:
            return conn.ensure_connection(make_wait_notice(conn), callback=maybe_shutdown, **RECONNECTION)
        except REFUSALS as error:
            _log.error(describe_refusal(conn, error))
            raise WorkerShutdown(1) from error


class PlainWorker(Worker):  # type: ignore[misc]
    """Celery's worker, which leaves signals to :mod:`disnplbm.messaging.departure`."""

    def install_platform_tweaks(self, worker: Worker) -> None:
        """Install nothing."""


class ConnectionLost(Exception):
    """The broker went away while a message was acknowledged: it delivers the message again.

    Parameters
    ----------
    error : Exception
        How it showed.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


def acknowledge(message: Message, *, multiple: bool = False) -> None:
    """Tell the broker that a message is safe, unless it knows; ConnectionLost if it cannot be told.

    Parameters
    ----------
    multiple : bool
        So are all that came before it on its channel.
    """
    if not message.acknowledged:
        try:
            message.ack(multiple=multiple)
        except (AMQPError, OSError) as error:
            raise ConnectionLost(error) from error


def refuse(message: Message, error: Exception) -> None:
    """Log why a message is not taken, and have the broker set it aside; raises what says that the broker is away."""
    _log.error(MESSAGE_REFUSED, reason=described(error), exc_info=unexpected(error))
    if not message.acknowledged:
        message.reject()


def guard_consumer(take: Callable[[Message], None]) -> Callable[[Message], None]:
    """Wrap what takes a message, so that no message ends the process, whatever is in it."""

    def taken(message: Message) -> None:
        try:
            take(message)
        except ConnectionLost as lost:
            raise lost.error from None
        except Exception as error:
            refuse(message, error)

    return taken


def describe_refusal(connection: Connection, error: Exception) -> str:
    """Say in one line why a broker that is there refuses us."""
    return (
        f"the broker {shown(connection)} refuses the connection ({first_line(error)}): check user, password and"
        " virtual host in DISNPLBM_BROKER_URL"
    )


def make_wait_notice(connection: Connection) -> Callable[[Exception, float], None]:
    """Make what says, of an error and the seconds until the next try, that a broker is waited for."""

    def say(error: Exception, _interval: float) -> None:
        _log.warning("waiting for the broker", address=shown(connection), reason=str(error))

    return say


def leave_logging_alone() -> None:
    """Keep Celery from setting up logging once more, and from warning of root because of pickle, which is not used."""
    signals.setup_logging.connect(_ignore, weak=False)
    warnings.simplefilter("ignore", SecurityWarning)


def _ignore(**_: object) -> None:
    """Do nothing: that somebody listens is enough."""


#: Of a service: one process, one task at a time, no events, no remote control.
_ARGUMENTS: dict[str, Any] = {
    "consumer_cls": PlainConsumer,
    "pool_cls": "prefork",
    "concurrency": 1,
    "without_gossip": True,
    "without_mingle": True,
    "without_heartbeat": True,
    "task_events": False,
    "quiet": True,
}


def make_worker(app: Celery, **arguments: Any) -> PlainWorker:
    """Make the worker of an application, ready to start; the arguments are Celery's."""
    made: PlainWorker = app.subclass_with_self(PlainWorker)(**_ARGUMENTS | arguments)
    return made
