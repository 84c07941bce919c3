"""What a worker has in hand when it is told to stop."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import Any

import structlog
from celery.apps.worker import Worker
from celery.worker import state

from disnplbm.errors import RunError
from disnplbm.messaging.messages import SweepTask, task_of
from disnplbm.messaging.mirror import Mirror
from disnplbm_worker.beside import Beside
from disnplbm_worker.tasks import deliveries
from disnplbm_worker.waiting import Waiting

_log = structlog.get_logger(__name__)

#: Seconds that the process that reads files may take to leave if it has none.
_LEAVE_SECONDS = 0.5

#: Seconds that Redis may take to hear that a task is given back.
_REDIS_SECONDS = 0.5


class InHand:
    """The shard that the pool's child sweeps, as its parent knows it, and the files that are read beside.

    Parameters
    ----------
    worker : Worker
        Of Celery.
    waiting : Waiting
        Whether the sweep waits for a server.
    reading : Beside
        The process that reads files.
    redis_url : str
        Where starts of a task are noted.
    """

    def __init__(self, worker: Worker, waiting: Waiting, reading: Beside, redis_url: str) -> None:
        self._worker, self._waiting, self._reading, self._redis_url = worker, waiting, reading, redis_url

    def finish(self, code: int) -> str | None:
        """Take no further task; what is finished first, for people; None if there is nothing."""
        self._reading.stop()
        what = self._shard()
        if what is None and self._reading.has_ended(_LEAVE_SECONDS):
            return None
        state.should_stop = code
        return what or "the files that it reads"

    def _shard(self) -> str | None:
        requests = list_in_hand()
        if not requests or self._waiting.is_waiting:
            return None
        with contextlib.suppress(RunError):
            task = task_of(requests[0].name, requests[0].args[0])
            if isinstance(task, SweepTask):
                return f"shard {task.shard} of run {task.run}, iteration {task.iteration},"
        return None

    def give_back(self) -> None:
        """End the child, and leave what it did to another worker. This process must end soon: so the broker knows."""
        requests = list_in_hand()
        self._reading.stop(at_once=True)
        for process in getattr(getattr(self._worker.pool, "_pool", None), "_pool", ()):
            with contextlib.suppress(ProcessLookupError, TypeError):
                os.kill(process.pid, signal.SIGKILL)
        give_back(requests, self._redis_url)


def list_in_hand() -> list[Any]:
    """List Celery's requests of the tasks in hand. There are no others, since tasks are acknowledged late."""
    return list(state.requests.values())


def give_back(requests: list[Any], redis_url: str) -> None:
    """Say that tasks are given back: starts of them that were noted are no lost ones."""
    for request in requests:
        _log.warning("left to another worker", task=request.name)
    noted = [request for request in requests if deliveries(request.message.headers)]

    def delete_entries() -> None:
        mirror = Mirror(redis_url)
        for request in noted:
            task = task_of(request.name, request.args[0])
            mirror.withdraw(task.subject, task.name)

    if noted:
        noting = threading.Thread(target=delete_entries, daemon=True)
        noting.start()
        noting.join(_REDIS_SECONDS)
