"""Workers stopped short in the middle of a sweep."""

from __future__ import annotations

import os
import signal
import time

from disnplbm.storage.objects import ObjectStore
from services.cluster import WAIT_SECONDS, Member

#: For a worker that says when a sweep begins and ends.
TALKATIVE = {"DISNPLBM_LOG_LEVEL": "debug"}


def suspended_in_a_sweep(
    worker: Member,
    killed: int = 0,
    seconds: float = WAIT_SECONDS,
    store: ObjectStore | None = None,
    **of: int | str,
) -> int | None:
    """Suspend the child of a talkative worker while it sweeps.

    Parameters
    ----------
    worker : Member
    killed : int
        Children that were killed in a sweep before, which never said that it ended.
    seconds : float
        How long to try.
    store : ObjectStore, optional
        Suspend it before the labels are there; else what came of the sweep may be on its way already.
    **of : int or str
        While it sweeps what has these marks in the log: its run, stream, iteration or shard.

    Returns
    -------
    int or None
        The process; None if it did not sweep all the while.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for child in worker.children():
            try:
                os.kill(child, signal.SIGSTOP)
                log = worker.log.read_text()
                at_work = log.count("sweep begins") - log.count("swept") > killed
                last = log[log.rfind("sweep begins") :].partition("\n")[0]
                marks = dict(part.split("=", 1) for part in last.split() if "=" in part)
                at_work = at_work and all(marks[name] == str(value) for name, value in of.items())
                if at_work and (store is None or not _labels(store, marks)):
                    return child
                os.kill(child, signal.SIGCONT)
            except ProcessLookupError:
                continue
        time.sleep(0.003)
    return None


def _labels(store: ObjectStore, marks: dict[str, str]) -> list[str]:
    """The labels of a shard that are there."""
    folder = "runs/{run}/labels/{stream}/{iteration}".format(**marks)
    return [key for key in store.list(folder) if key.startswith(f"{folder}/{marks['shard']}-")]
