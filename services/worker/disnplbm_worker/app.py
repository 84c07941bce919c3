"""The worker's Celery application: its tasks, and what happens around them."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import structlog
from celery import signals
from kombu.exceptions import OperationalError
from structlog.contextvars import bound_contextvars

from disnplbm.errors import DisnplbmError, RunError
from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app, publish_result
from disnplbm.messaging.messages import IngestTask, JobTask, PrepareTask, Result, SweepTask
from disnplbm.settings import Settings
from disnplbm_worker.losses import Losses
from disnplbm_worker.waiting import Waiting
from disnplbm_worker.workshop import Workshop

_log = structlog.get_logger(__name__)

#: Seconds that a new child of the pool may take to come up, on a machine with much else to do.
_CHILD_SECONDS = 60.0

#: Seconds that the result of a lost child may still be on its way.
_LOST_SECONDS = 1.0


class WorkerApp:
    """The tasks of a worker. Its child opens a workshop once it is forked.

    Parameters
    ----------
    settings : Settings
    worker : str
        Name of this worker.
    """

    def __init__(self, settings: Settings, worker: str) -> None:
        self._settings, self._worker = settings, worker
        self._workshop: Workshop | None = None
        self._waiting = Waiting()
        self.celery = make_app("disnplbm-worker", settings)
        self.celery.conf.update(worker_proc_alive_timeout=_CHILD_SECONDS, worker_lost_wait=_LOST_SECONDS)
        # A task whose child was lost is published again, at once, until its starts are used up.
        options = {"bind": True, "max_retries": settings.attempts - 1, "default_retry_delay": 0}
        for name, function in (
            (queues.SWEEP_TASK, self._sweep),
            (queues.INGEST_TASK, self._ingest),
            (queues.PREPARE_TASK, self._prepare),
        ):
            self.celery.task(_bindable(function), name=name, **options)
        signals.worker_process_init.connect(self._open, weak=False)
        signals.task_failure.connect(Losses(self.celery, settings, worker, self._waiting), weak=False)

    @property
    def workshop(self) -> Workshop:
        """What the child works with; RunError in any other process, or if it could not be opened."""
        if self._workshop is None:
            raise RunError("the worker could not open its object storage: its log says why")
        return self._workshop

    def _open(self, **_: Any) -> None:
        self._waiting.set(False)
        self._workshop = Workshop(self._settings, self._publish, self._waiting, self._worker)

    def _sweep(self, request: Any, message: dict[str, Any]) -> dict[str, Any]:
        task = SweepTask.from_dict(message)
        redelivered = _deliveries(request) + int(request.retries or 0)
        with (
            bound_contextvars(run=task.run, stream=task.stream, iteration=task.iteration, shard=task.shard),
            self._started(request, task),
        ):
            return self.workshop.sweeper.sweep(task, redelivered)

    def _ingest(self, request: Any, message: dict[str, Any]) -> None:
        task = IngestTask.from_dict(message)
        with bound_contextvars(dataset=task.dataset), self._started(request, task):
            self.workshop.preparer.ingest(task)

    def _prepare(self, request: Any, message: dict[str, Any]) -> None:
        task = PrepareTask.from_dict(message)
        with bound_contextvars(run=task.run), self._started(request, task):
            self.workshop.preparer.prepare(task)

    def _started(self, request: Any, task: SweepTask | JobTask) -> AbstractContextManager[None]:
        """Around a task: what was delivered before, perhaps to a worker that was lost, is noted while it lasts."""
        return self.workshop.mirror.start(task.subject, task.name) if _deliveries(request) else nullcontext()

    def _publish(self, message: Result) -> None:
        """Send a message, for as long as the task may take: given up it would be done all over.

        Raises
        ------
        Refused
            The broker does not take it, and never will.
        """
        connection = self.celery.connection_for_write()
        errors = (*connection.connection_errors, *connection.channel_errors, OperationalError)
        self._waiting.set(True)
        while True:
            try:
                publish_result(self.celery, message)
            except errors as error:
                _log.warning("the broker does not take a result: trying again", reason=str(error))
                time.sleep(1.0)
            else:
                break
        self._waiting.set(False)


def _deliveries(request: Any) -> int:
    """Deliveries of a task before this one."""
    return int(request.get("x-delivery-count") or 0)


def _bindable(function: Callable[[Any, dict[str, Any]], Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """The function as Celery wants it: given the task rather than its request."""

    def task(self: Any, message: dict[str, Any]) -> Any:
        try:
            return function(self.request, message)
        except DisnplbmError as error:
            # What goes wrong with the work itself is told before it comes here.
            _log.error("dropped a message", task=self.name, reason=str(error))
            return None

    return task
