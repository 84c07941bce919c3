"""A server's process as the system sees it: memory, threads, open connections to its database."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.cluster.processor import processor_seconds
from benchmarks.dashboard.figures import Sample
from benchmarks.tables import Figure

_PAGE = os.sysconf("SC_PAGE_SIZE")

_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    """Bytes of memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE


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
        user, nice, system, _idle, _waiting, *rest = map(int, Path("/proc/stat").read_text().split()[1:9])
        return (user + nice + system + sum(rest)) * _TICK - processor_seconds({"own": os.getpid()})["own"]


@contextmanager
def watched(pid: int, interval: float = 0.02) -> Iterator[list[Sample]]:
    """Look at the memory of a process now and then, from a thread; the samples so far."""
    samples = [Sample(time.time(), resident(pid))]
    over = threading.Event()

    def look() -> None:
        while not over.wait(interval):
            samples.append(Sample(time.time(), resident(pid)))

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield samples
    finally:
        over.set()
        looking.join()
