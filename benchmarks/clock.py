"""What a piece of work takes: processor time, with the programs that it starts, and time on the wall."""

from __future__ import annotations

import resource
import time
from typing import NamedTuple


class Taken(NamedTuple):
    """Seconds of a piece of work; other work on the machine hardly changes the first, and may double the second."""

    processor: float
    wall: float


class Clock:
    """Measures from when it is made."""

    def __init__(self) -> None:
        self._began = _now()

    def taken(self) -> Taken:
        """Seconds since the clock was made."""
        return Taken(*(now - began for now, began in zip(_now(), self._began, strict=True)))


def _now() -> Taken:
    """User and system time of this process and of those that it started and that ended; and the time."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(time.process_time() + children.ru_utime + children.ru_stime, time.perf_counter())
