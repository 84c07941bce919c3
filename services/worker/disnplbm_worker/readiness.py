"""A file that is there while a worker takes tasks from the broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from celery import bootsteps

from disnplbm.errors import RunError


def readiness(path: Path) -> type[bootsteps.StartStopStep]:
    """A step of the consumer that keeps the file.

    Whoever steers the roll-out of a new version looks at it; that a broker is away is no reason to end a worker, for
    which the heartbeat file is.

    Parameters
    ----------
    path : Path
        Removed at once, in case a worker that was killed left it.

    Raises
    ------
    RunError
        Its folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(f"cannot write the file {path}: {error.strerror}; set DISNPLBM_READY_FILE to another") from error

    class Readiness(bootsteps.StartStopStep):  # type: ignore[misc]
        """There once tasks are consumed, gone when the connection is lost or the worker is told to stop."""

        requires = ("celery.worker.consumer.tasks:Tasks",)

        def start(self, _consumer: Any) -> None:
            path.touch()

        def stop(self, _consumer: Any) -> None:
            path.unlink(missing_ok=True)

    return Readiness
