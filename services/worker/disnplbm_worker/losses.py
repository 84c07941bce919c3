"""What the parent tells the master of tasks whose process was lost: nobody else can."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import structlog
from celery import Celery
from celery.exceptions import TimeLimitExceeded, WorkerLostError

from disnplbm.errors import RunError
from disnplbm.messaging import queues
from disnplbm.messaging.app import publish_result
from disnplbm.messaging.messages import IngestTask, JobFailed, PrepareTask, Result, SweepTask
from disnplbm.settings import Settings
from disnplbm_worker import metrics
from disnplbm_worker.sweep import sweep_failed

_log = structlog.get_logger(__name__)

_KILLED = re.compile(r"signal 9\b")


class Losses:
    """Receives Celery's ``task_failure``; of errors within a task the task itself has told.

    Parameters
    ----------
    app : Celery
    settings : Settings
    worker : str
        Name of this worker.
    is_telling : callable
        Whether the child's task is done and waits for the broker only.
    """

    def __init__(self, app: Celery, settings: Settings, worker: str, is_telling: Callable[[], bool]) -> None:
        self._app, self._settings, self._worker, self._is_telling = app, settings, worker, is_telling

    def __call__(self, sender: Any, exception: Exception, args: Any, **_: Any) -> None:
        """Publish what was lost."""
        if isinstance(exception, TimeLimitExceeded) and self._is_telling():
            # The broker is at fault, not the task: the master asks for it again.
            _log.warning("the broker did not take a result within the task's time", task=sender.name)
            return
        if isinstance(exception, TimeLimitExceeded):
            reason = f"it took longer than {self._settings.task_seconds} s (DISNPLBM_TASK_SECONDS)"
        elif isinstance(exception, WorkerLostError):
            reason = _reason(exception)
        else:
            return
        metrics.FAILURES.labels(sender.name.rpartition(".")[2]).inc()
        starts = (sender.request.retries or 0) + 1
        _log.error("a task was lost", task=sender.name, starts=starts, reason=reason)
        try:
            publish_result(self._app, _message(sender.name, args[0], starts, reason, self._worker))
        except (RunError, OSError, *self._app.connection_for_write().connection_errors) as error:
            # The master asks for it again when its time is over.
            _log.error("the master could not be told", reason=str(error))


def _reason(error: WorkerLostError) -> str:
    if _KILLED.search(str(error)):
        return "worker process was killed (signal 9): is it out of memory?"
    return f"worker process ended: {' '.join(str(error).split())}"


def _message(name: str, record: Any, starts: int, reason: str, worker: str) -> Result:
    if name == queues.SWEEP_TASK:
        return sweep_failed(SweepTask.from_dict(record), starts, reason, worker)
    if name == queues.INGEST_TASK:
        return JobFailed("ingest", IngestTask.from_dict(record).dataset, starts, reason, False)
    return JobFailed("prepare", PrepareTask.from_dict(record).run, starts, reason, False)
