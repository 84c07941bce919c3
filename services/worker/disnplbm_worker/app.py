"""The Celery application that sweeps for a worker: its task, and what happens around it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from celery import signals
from structlog.contextvars import bound_contextvars

from disnplbm.errors import RunError
from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app
from disnplbm.messaging.messages import Result, SweepTask
from disnplbm.settings import Settings
from disnplbm_worker.lost_sweeps import LostSweeps
from disnplbm_worker.tasks import deliveries, make_bindable, publish_until_taken
from disnplbm_worker.waiting import Waiting
from disnplbm_worker.workshop import Workshop

#: Seconds that a new child of the pool may take to come up, on a machine with much else to do.
_CHILD_SECONDS = 60.0

#: Seconds that the result of a lost child may still be on its way.
_LOST_SECONDS = 1.0


class WorkerApp:
    """The sweeps of a worker. Its child opens a workshop once it is forked.

    Parameters
    ----------
    worker : str
        Name of this worker.

    Attributes
    ----------
    waiting : Waiting
    """

    def __init__(self, settings: Settings, worker: str) -> None:
        self._settings, self._worker = settings, worker
        self._workshop: Workshop | None = None
        self.waiting = Waiting()
        self.celery = make_app("disnplbm-worker", settings)
        self.celery.conf.update(worker_proc_alive_timeout=_CHILD_SECONDS, worker_lost_wait=_LOST_SECONDS)
        # A task whose child was lost is published again, at once, until its starts are used up.
        options = {"bind": True, "max_retries": settings.attempts - 1, "default_retry_delay": 0}
        self.celery.task(make_bindable(self._sweep), name=queues.SWEEP_TASK, **options)
        signals.worker_process_init.connect(self._open, weak=False)
        signals.task_failure.connect(LostSweeps(self.celery, settings, worker, self.waiting), weak=False)

    @property
    def workshop(self) -> Workshop:
        """What the child works with; RunError in any other process, or if it could not be opened."""
        if self._workshop is None:
            raise RunError("the worker could not open its object storage: its log says why")
        return self._workshop

    def _open(self, **_: Any) -> None:
        self.waiting.set(False)
        self._workshop = Workshop(self._settings, self._publish, self.waiting, self._worker)

    def _sweep(self, request: Any, message: dict[str, Any]) -> dict[str, Any]:
        task = SweepTask.from_dict(message)
        before = deliveries(request)
        # What was delivered before, perhaps to a worker that was lost, is noted while it lasts.
        noted = self.workshop.mirror.start(task.subject, task.name) if before else nullcontext()
        with bound_contextvars(run=task.run, stream=task.stream, iteration=task.iteration, shard=task.shard), noted:
            return self.workshop.sweeper.sweep(task, before + int(request.retries or 0))

    def _publish(self, message: Result) -> None:
        self.waiting.set(True)
        publish_until_taken(self.celery, message)
        self.waiting.set(False)
