"""The Celery application of a service; the settings here are what DESIGN's promises under faults rest on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from amqp.exceptions import AccessRefused, NotFound, PreconditionFailed
from celery import Celery
from kombu import Producer
from kombu.exceptions import EncodeError

from disnplbm.errors import RunError, first_line
from disnplbm.messaging import queues
from disnplbm.messaging.admission import CONTENT, Admission
from disnplbm.messaging.messages import Result
from disnplbm.messaging.pipeline import CONFIRM_SECONDS, Pipeline
from disnplbm.settings import Settings

#: Seconds after which a silent connection to the broker is given up: twice this.
HEARTBEAT = 20

_BACKEND = "disnplbm.messaging.backend:ChordCounter"

#: Seconds for which Redis keeps the count of a chord.
EXPIRY = 300

#: How long a publication is tried again while the broker is away.
RETRIES = {"max_retries": 8, "interval_start": 0.2, "interval_step": 0.5, "interval_max": 3.0}


class Application(Celery):  # type: ignore[misc]
    """An application that says what its members take from the broker, and that can publish many messages at a time.

    Attributes
    ----------
    admission : Admission
    """

    admission: Admission

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._batch = threading.local()

    @cached_property
    def pipeline(self) -> Pipeline:
        """The connection of what is published many at a time."""
        return Pipeline(self.connection_for_write(), RETRIES)

    def close(self) -> None:
        """Close what was opened."""
        self.pipeline.close()
        super().close()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Publish whatever this thread publishes within the block one behind the other; :meth:`Pipeline.batch`.

        A chord has no other way to be told how: it passes no producer on to its parts.
        """
        with self.pipeline.batch() as producer:
            self._batch.producer = producer
            try:
                yield
            finally:
                self._batch.producer = None

    def producer_or_acquire(self, producer: Producer | None = None) -> Any:
        """The producer that is given, or of the batch under way, or of the pool; for a ``with`` block."""
        return super().producer_or_acquire(producer or getattr(self._batch, "producer", None))


class Refused(RunError):
    """The broker does not take a message, and never will."""


#: How the broker says so.
REFUSED = (PreconditionFailed, AccessRefused, NotFound)


def make_app(name: str, settings: Settings) -> Application:
    """An application without tasks."""
    backend = f"{_BACKEND}+{settings.redis_url}"
    app = Application(name, broker=settings.broker_url, backend=backend, set_as_current=False)
    app.admission = Admission(settings)
    app.admission.register()
    app.conf.update(
        # What travels.
        task_serializer=CONTENT,
        result_serializer="json",
        accept_content=[CONTENT],
        result_accept_content=["json"],
        task_queues=list(queues.ALL),
        task_create_missing_queues=False,
        task_default_queue=queues.MASTER.name,
        task_default_exchange="",
        task_default_routing_key=queues.MASTER.name,
        # A task is the broker's until its statistics are: it comes back if its worker is lost.
        task_acks_late=True,
        task_acks_on_failure_or_timeout=True,
        task_reject_on_worker_lost=False,
        task_retry_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_cancel_long_running_tasks_on_connection_loss=True,
        task_time_limit=settings.task_seconds,
        # Messages are the broker's once it says so.
        broker_transport_options={
            "confirm_publish": True,
            "confirm_timeout": CONFIRM_SECONDS,
            "read_timeout": 2 * HEARTBEAT,
            "write_timeout": 2 * HEARTBEAT,
        },
        broker_heartbeat=HEARTBEAT,
        broker_connection_timeout=5,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        task_publish_retry=True,
        task_publish_retry_policy=RETRIES,
        # Redis counts the parts of a chord and keeps no result for long: of an iteration that takes longer, the last
        # statistics call for the step.
        task_ignore_result=True,
        result_expires=EXPIRY,
        result_chord_join_timeout=5.0,
        redis_socket_timeout=5.0,
        redis_socket_connect_timeout=3.0,
        redis_retry_on_timeout=False,
        result_backend_transport_options={"retry_policy": {"timeout": 5.0, "max_retries": 2}},
        # Nothing else on the broker: no events, no gossip, no remote control, each with queues of its own.
        worker_send_task_events=False,
        worker_enable_remote_control=False,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
    )
    return app


def publish_result(app: Application, message: Result) -> None:
    """Put a message on the results queue, and return once the broker has it; Refused if it does not take it."""
    body = app.admission.sign(message.to_bytes(), message.content)
    with app.producer_or_acquire() as producer, translate_refusals(len(body)):
        _publish(producer, body)


@contextmanager
def translate_refusals(n_bytes: int | None = None) -> Iterator[None]:
    """Around a publication: what the broker refuses for good becomes Refused, with what to do."""
    try:
        yield
    except EncodeError as error:
        raise Refused(str(error)) from error
    except REFUSED as error:
        size = "a message" if n_bytes is None else f"a message of {n_bytes} bytes"
        raise Refused(
            f"the broker refuses {size} ({first_line(error)}): raise its max_message_size, or lower"
            " DISNPLBM_INLINE_BYTES for all masters and workers"
        ) from error


def _publish(producer: Producer, body: bytes) -> None:
    options: dict[str, Any] = {"retry": True, "retry_policy": RETRIES, "delivery_mode": 2}
    producer.publish(
        body,
        exchange="",
        routing_key=queues.RESULTS.name,
        declare=[queues.RESULTS],
        content_type=CONTENT,
        content_encoding="binary",
        serializer=None,
        **options,
    )
