"""What waits in the queues, asked for without making any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from amqp.exceptions import AMQPError
from kombu import Connection
from kombu.exceptions import KombuError

from disnplbm.errors import RunError, first_line
from disnplbm.messaging import queues
from disnplbm.messaging.logs import mask_passwords


@dataclass(frozen=True, slots=True)
class QueueState:
    """A queue.

    Parameters
    ----------
    waiting, consumers : int or None
        Messages that nobody has, and who listens; None if there is no such queue.
    """

    name: str
    waiting: int | None
    consumers: int | None


def inspect_queues(url: str, patience: float) -> list[QueueState]:
    """List all queues of this version.

    Parameters
    ----------
    url : str
        Of the broker.
    patience : float
        Seconds that it may take to answer.

    Raises
    ------
    RunError
        The broker is away; the message says why, and nothing else.
    """
    with Connection(url, connect_timeout=patience) as connection:
        try:
            connection.ensure_connection(max_retries=1, interval_start=0.1, timeout=patience)
            return [inspect_queue(connection, queue.name) for queue in queues.ALL]
        except (OSError, KombuError, AMQPError) as error:
            raise RunError(mask_passwords(first_line(error))) from error


def inspect_queue(connection: Any, name: str) -> QueueState:
    """Ask for one queue on a connection that is open."""
    try:
        # A channel of its own: the broker closes one on which a missing queue was asked for.
        with connection.channel() as channel:
            found = channel.queue_declare(name, passive=True)
    except connection.channel_errors:
        return QueueState(name, None, None)
    return QueueState(name, int(found.message_count), int(found.consumer_count))
