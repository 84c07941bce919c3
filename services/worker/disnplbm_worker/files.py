"""The process of a worker that has files read and sharded, beside its sweeps: ``python -m disnplbm_worker.files``.

Each file is read in a process of its own (:mod:`disnplbm.engine.apart`), so this one only waits, in a thread for each
of a few files. The process that sweeps does not wait for files: its shards would wait too. Its parent does not either,
since it forks: threads, also the object storage's, do not survive a fork.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import structlog
from celery.worker import state
from structlog.contextvars import bound_contextvars

from disnplbm.cli.interruption import interruption
from disnplbm.errors import DisnplbmError
from disnplbm.leaving import leave, on_leaving
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.consumer import leave_logging_alone, make_worker
from disnplbm.messaging.logs import configure_logging
from disnplbm.messaging.messages import IngestTask, JobTask, PrepareTask
from disnplbm.messaging.mirror import Mirror
from disnplbm.settings import Settings, settings
from disnplbm_worker.in_hand import give_back, list_in_hand
from disnplbm_worker.prepare import Preparer
from disnplbm_worker.tasks import deliveries, make_bindable, publish_until_taken
from disnplbm_worker.workshop import open_in_time

_log = structlog.get_logger(__name__)

#: Files that a worker reads at a time: one that takes long keeps no other one waiting.
AT_A_TIME = 2

#: Seconds between two looks at whether the worker is still there.
_LOOK_SECONDS = 1.0


def files_app(settings: Settings) -> Application:
    """The application whose tasks read and shard files.

    Raises
    ------
    InputError, RunError
        The object storage cannot be opened.
    """
    app = make_app("disnplbm-worker-files", settings)
    # A thread cannot be ended. What it does is done once, whoever is told to.
    app.conf.worker_cancel_long_running_tasks_on_connection_loss = False
    mirror = Mirror(settings.redis_url)
    preparer = Preparer(
        open_in_time(settings), lambda message: publish_until_taken(app, message), settings.task_seconds
    )

    def note_start(request: Any, task: JobTask) -> AbstractContextManager[None]:
        """Note, for as long as a task lasts, that it is under way, if it was delivered before."""
        return mirror.start(task.subject, task.name) if deliveries(request) else nullcontext()

    def ingest(request: Any, message: dict[str, Any]) -> None:
        task = IngestTask.from_dict(message)
        with bound_contextvars(dataset=task.dataset), note_start(request, task):
            preparer.ingest(task)

    def prepare(request: Any, message: dict[str, Any]) -> None:
        task = PrepareTask.from_dict(message)
        with bound_contextvars(run=task.run), note_start(request, task):
            preparer.prepare(task)

    app.task(make_bindable(ingest), name=queues.INGEST_TASK, bind=True)
    app.task(make_bindable(prepare), name=queues.PREPARE_TASK, bind=True)
    return app


def main(worker: str, parent: int) -> int:
    """Take files from the broker until told to stop, or until the worker is gone.

    Parameters
    ----------
    worker : str
        Its name.
    parent : int
        Its process.

    Returns
    -------
    int
        Exit code.
    """
    configure_logging(settings())
    leave_logging_alone()
    threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    try:
        app = files_app(settings())
    except DisnplbmError as error:
        _log.error("no files can be read", reason=str(error))
        return 1
    arguments: dict[str, Any] = {"pool_cls": "threads", "concurrency": AT_A_TIME}
    consumer = make_worker(app, hostname=f"{worker}-files", queues=[queues.PREPARE.name], **arguments)
    with on_leaving(lambda: give_back(list_in_hand(), settings().redis_url)):
        consumer.start()
    return int(consumer.exitcode or 0)


class _Departure:
    """Told by the worker, which says what happens: the files in hand are finished, or left at once when told again."""

    def on_signal(self, code: int) -> bool:
        """Take no further file."""
        if list_in_hand():
            state.should_stop = code
            return True
        return False


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    leave()
    os._exit(1)


if __name__ == "__main__":
    interruption.install()
    interruption.attend(_Departure())
    try:
        ended = main(sys.argv[1], int(sys.argv[2]))
    except SystemExit as told:
        ended = int(told.code or 0)
    interruption.exit(ended)
