"""What the parent tells the master of sweeps whose process was lost: nobody else can."""

from __future__ import annotations

import re
from typing import Any

import structlog
from celery.exceptions import TimeLimitExceeded, WorkerLostError
from kombu.exceptions import OperationalError

from disnplbm.errors import RunError
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, publish_result, translate_refusals
from disnplbm.messaging.messages import SweepTask, sweep_failed
from disnplbm.settings import Settings
from disnplbm_worker import metrics
from disnplbm_worker.waiting import Waiting

_log = structlog.get_logger(__name__)

#: What is raised where the broker does not take a message, whether it is away or not.
_UNSENT = (RunError, OSError, OperationalError)

_KILLED = re.compile(r"signal 9\b")


class LostSweeps:
    """Receives Celery's ``task_failure``; of errors within a task the task itself has told.

    Parameters
    ----------
    worker : str
        Name of this worker.
    waiting : Waiting
        Whether the child's task waits for a server.
    """

    def __init__(self, app: Application, settings: Settings, worker: str, waiting: Waiting) -> None:
        self._app, self._settings, self._worker, self._waiting = app, settings, worker, waiting

    def __call__(self, sender: Any, exception: Exception, args: Any, **_: Any) -> None:
        """Tell the master of a lost sweep, or give the task back if a server was away."""
        if isinstance(exception, TimeLimitExceeded) and self._waiting.is_waiting:
            _log.warning("a server was away when the task's time was over: the task is given back", task=sender.name)
            self._publish_again(sender.name, args)
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
            lost = SweepTask.from_dict(args[0])
            publish_result(self._app, sweep_failed(lost, starts, f"{lost.place}: {reason}", self._worker))
        except _UNSENT as error:
            # The master asks for it again when its time is over.
            _log.error("the master could not be told", reason=str(error))

    def _publish_again(self, name: str, args: Any) -> None:
        """Publish a task again: the server failed, and once it is back a worker takes the task at once."""
        try:
            with translate_refusals():
                self._app.send_task(name, args=args, queue=queues.SWEEP.name)
        except _UNSENT as error:
            # The master asks for it again when its time is over.
            _log.error("the task could not be given back", reason=str(error))


def _reason(error: WorkerLostError) -> str:
    if _KILLED.search(str(error)):
        return "worker process was killed (signal 9): is it out of memory?"
    return f"worker process ended: {' '.join(str(error).split())}"
