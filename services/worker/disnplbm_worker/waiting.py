"""Whether a worker's task waits for a server: what comes of it is then not the task's fault."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import TypeVar

from disnplbm.messaging.patience import retry_while_away

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

    def retry_while_away(self, work: Callable[[], T]) -> T:
        """Do some work and return its result; retry, with the flag up, for as long as a server is away."""
        return retry_while_away(work, self.set)
