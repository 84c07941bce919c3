"""A worker as a process: parent, the pool's child that sweeps, the process that reads files, heartbeat and metrics."""

from __future__ import annotations

import os
import socket

import structlog
from celery import signals

from disnplbm.cli.interruption import interruption
from disnplbm.messaging import queues
from disnplbm.messaging.consumer import WORKER_ARGUMENTS, leave_logging_alone
from disnplbm.messaging.heartbeat import Heartbeat
from disnplbm.messaging.logs import configure_logging
from disnplbm.settings import Settings
from disnplbm.storage.objects import open_store
from disnplbm_worker import metrics
from disnplbm_worker.app import WorkerApp
from disnplbm_worker.beside import Beside
from disnplbm_worker.readiness import readiness

_log = structlog.get_logger(__name__)


def run_worker(settings: Settings, name: str | None) -> int:
    """Work until told to stop; a broker that is away is waited for.

    Parameters
    ----------
    settings : Settings
    name : str, optional
        By default that of the machine, and the process.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    InputError, RunError
        The object storage cannot be opened, or a file to be kept or the metrics' port is not to be had.
    """
    name = name or f"{socket.gethostname()}-{os.getpid()}"
    configure_logging(settings)
    leave_logging_alone()
    # Only to hear of a bad address at once: the child opens its own, since threads do not survive a fork.
    open_store(settings.store_url)
    app = WorkerApp(settings, name)
    if settings.ready_file is not None:
        app.celery.steps["consumer"].add(readiness(settings.ready_file))
    metrics.serve(settings)
    with Heartbeat(settings.heartbeat_file), Beside("disnplbm_worker.files", [name, str(os.getpid())]) as reading:
        _log.info("worker starts", worker=name, store=settings.store_url)
        worker = app.celery.Worker(hostname=name, queues=[queues.SWEEP.name], **WORKER_ARGUMENTS)
        # It ends the files at hand while this process ends its shard.
        signals.worker_shutting_down.connect(lambda how, **_: reading.stop(at_once=how != "Warm"), weak=False)
        # Celery has a stop of its own: it ends the shard in hand, and at a second signal leaves it to another worker.
        interruption.hand_over()
        worker.start()
    return int(worker.exitcode or 0)
