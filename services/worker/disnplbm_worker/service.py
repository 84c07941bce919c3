"""A worker as a process: parent, the pool's child that sweeps, the process that reads files, heartbeat and metrics."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from functools import partial

import structlog

from disnplbm.leaving import on_leaving
from disnplbm.messaging import queues
from disnplbm.messaging.consumer import leave_logging_alone, make_worker
from disnplbm.messaging.departure import Departure
from disnplbm.messaging.heartbeat import Heartbeat
from disnplbm.messaging.logs import configure_logging
from disnplbm.objects.store import open_store
from disnplbm.settings import Settings
from disnplbm_worker import metrics
from disnplbm_worker.app import WorkerApp
from disnplbm_worker.beside import Beside
from disnplbm_worker.in_hand import InHand
from disnplbm_worker.readiness import readiness

_log = structlog.get_logger(__name__)


def run_worker(settings: Settings, name: str | None, departure: Departure) -> int:
    """Work until told to stop; a broker that is away is waited for.

    Parameters
    ----------
    name : str, optional
        By default the name of the machine and the process.

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
    metrics.serve(settings)
    with ExitStack() as stack:
        stack.enter_context(Heartbeat(settings.heartbeat_file))
        if settings.ready_file is not None:
            app.celery.steps["consumer"].add(readiness(settings.ready_file))
            stack.enter_context(on_leaving(partial(settings.ready_file.unlink, missing_ok=True)))
        reading = stack.enter_context(Beside("disnplbm_worker.files", [name, str(os.getpid())]))
        app.celery.steps["consumer"].add(reading.step())
        _log.info("worker starts", worker=name, store=settings.store_url)
        worker = make_worker(app.celery, hostname=name, queues=[queues.SWEEP.name])
        in_hand = InHand(worker, app.waiting, reading, settings.redis_url)
        departure.attend(in_hand)
        stack.enter_context(on_leaving(in_hand.give_back))
        worker.start()
    return int(worker.exitcode or 0)
