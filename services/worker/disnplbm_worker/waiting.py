"""Whether a worker's task waits for a server: what comes of it is then not the task's fault."""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from disnplbm.errors import Away

_log = structlog.get_logger(__name__)

#: Seconds between two tries.
_PATIENCE = 1.0

T = TypeVar("T")


class Waiting:
    """A flag that the pool's child raises and its parent reads, which outlives the child."""

    def __init__(self) -> None:
        self._flag = mmap.mmap(-1, 1)

    @property
    def is_waiting(self) -> bool:
        """Whether the child's task waits for a server."""
        return bool(self._flag[0])

    def set(self, waiting: bool) -> None:
        """Say whether it does."""
        self._flag[0] = waiting

    def persistently(self, work: Callable[[], T]) -> T:
        """What work gives; it is done again for as long as a server is away."""
        while True:
            try:
                done = work()
            except Away as error:
                self.set(True)
                _log.warning("waiting for a server", reason=str(error))
                time.sleep(_PATIENCE)
            else:
                self.set(False)
                return done
