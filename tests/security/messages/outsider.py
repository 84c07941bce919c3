"""Somebody with the broker's password, and nothing else."""

from __future__ import annotations

from typing import Any

from amqp.exceptions import AMQPError
from kombu import Connection, Queue

from disnplbm.messaging import queues
from disnplbm.messaging.admission import CONTENT
from faults.waiting import until
from services.cluster import Cluster

#: Headers of a task of ours.
HEADERS: dict[str, Any] = {
    "lang": "py",
    "task": queues.SWEEP_TASK,
    "id": "0",
    "eta": None,
    "expires": None,
    "retries": 0,
    "timelimit": [None, None],
    "argsrepr": "",
    "kwargsrepr": "",
    "origin": "",
}

EMBEDDED: dict[str, Any] = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}


class Outsider:
    """Puts messages on queues, and takes them from there.

    Parameters
    ----------
    connection : Connection
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, queue: Queue, body: bytes, headers: dict[str, Any], content_type: str = CONTENT) -> bool:
        """Put a message on a queue; False if the broker does not bear it, and ends the connection."""
        try:
            self._connection.Producer().publish(
                body,
                exchange="",
                routing_key=queue.name,
                headers=headers,
                content_type=content_type,
                content_encoding="binary",
                serializer=None,
            )
        except (AMQPError, OSError):
            self._connection.close()
            return False
        return True

    def take(self, queue: Queue) -> tuple[bytes, dict[str, Any]] | None:
        """Take a message from a queue for good, with its headers; None if there is none."""
        found = queue.bind(self._connection.default_channel).get(no_ack=True)
        return None if found is None else (bytes(found.body), dict(found.headers))

    def next(self, cluster: Cluster, queue: Queue) -> tuple[bytes, dict[str, Any]]:
        """Wait for the next message of a queue, and take it for good."""
        found: list[tuple[bytes, dict[str, Any]]] = []

        def look() -> bool:
            message = self.take(queue)
            if message is not None:
                found.append(message)
            return bool(found)

        until(cluster, f"a message on {queue.name}", look)
        return found[0]
