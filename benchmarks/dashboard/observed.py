"""A server's process as the system sees it: memory, threads, open connections to its database."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.cluster.processor import busy_seconds, processor_seconds, resident
from benchmarks.dashboard.figures import Sample
from benchmarks.tables import Figure

#: Seconds between two looks at the memory of a process.
_INTERVAL = 0.02


def threads(pid: int) -> int:
    """How many there are."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def open_files(pid: int, ending: str = "") -> int:
    """How many files, sockets and pipes are open; or files whose names end so."""
    count = 0
    for link in Path(f"/proc/{pid}/fd").iterdir():
        # It may be closed while it is looked at.
        with suppress(OSError):
            count += str(link.readlink()).endswith(ending)
    return count


class Others:
    """Processor time of all that is no part of the benchmark, since this was made: the machine is not ours alone."""

    def __init__(self) -> None:
        self._began, self._before = time.perf_counter(), self._seconds()

    def figure(self) -> Figure:
        """How much of it there was."""
        share = (self._seconds() - self._before) / (time.perf_counter() - self._began)
        return Figure(
            "processor time of what is no part of this, meanwhile", f"{1000 * max(share, 0.0):.0f} ms a second"
        )

    def _seconds(self) -> float:
        return busy_seconds() - processor_seconds({"own": os.getpid()})["own"]


@contextmanager
def watched(pid: int) -> Iterator[list[Sample]]:
    """Look at the memory of a process now and then, from a thread; the samples so far."""
    samples = [Sample(time.time(), resident(pid))]
    over = threading.Event()

    def look() -> None:
        while not over.wait(_INTERVAL):
            samples.append(Sample(time.time(), resident(pid)))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield samples
    finally:
        over.set()
        looking.join()
