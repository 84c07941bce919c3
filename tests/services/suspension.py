"""Workers stopped short in the middle of a sweep."""

from __future__ import annotations

import os
import signal
import time
from typing import NamedTuple

from disnplbm.objects.store import ObjectStore
from services.cluster import WAIT_SECONDS, Member

#: For a worker that says when a sweep begins and ends.
TALKATIVE = {"DISNPLBM_LOG_LEVEL": "debug"}


class Suspended(NamedTuple):
    """A process that stands still in the middle of a sweep."""

    worker: Member
    child: int


def suspended_in_a_sweep(
    *workers: Member,
    killed: int = 0,
    seconds: float = WAIT_SECONDS,
    store: ObjectStore | None = None,
    **of: int | str,
) -> Suspended | None:
    """Suspend a child of a talkative worker while it sweeps.

    Parameters
    ----------
    *workers : Member
        The first of them that sweeps is taken.
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
    Suspended or None
        None if nobody was seen to sweep all the while.
    """
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for worker in workers:
            for child in worker.sweeping():
                try:
                    os.kill(child, signal.SIGSTOP)
                    if _sweeps(worker, killed, store, of):
                        return Suspended(worker, child)
                    os.kill(child, signal.SIGCONT)
                except ProcessLookupError:
                    continue
        time.sleep(0.003)
    return None


def _sweeps(worker: Member, killed: int, store: ObjectStore | None, of: dict[str, int | str]) -> bool:
    """Whether it is in a sweep with these marks, by its log."""
    log = worker.log.read_text()
    if log.count("sweep begins") - log.count("swept") <= killed:
        return False
    last = log[log.rfind("sweep begins") :].partition("\n")[0]
    marks = dict(part.split("=", 1) for part in last.split() if "=" in part)
    if any(marks[name] != str(value) for name, value in of.items()):
        return False
    return store is None or not _labels(store, marks)


def _labels(store: ObjectStore, marks: dict[str, str]) -> list[str]:
    """The labels of a shard that are there."""
    folder = "runs/{run}/labels/{stream}/{iteration}".format(**marks)
    return [key for key in store.list(folder) if key.startswith(f"{folder}/{marks['shard']}-")]
