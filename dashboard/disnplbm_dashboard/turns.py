"""Work of requests of which only some is done at a time; the others wait for their turn."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from disnplbm_dashboard.problems import HttpProblem


class Turns:
    """A few turns at a time.

    Parameters
    ----------
    seconds : float
        That a request waits for its turn.
    what : str
        What is worked on, in messages.
    """

    def __init__(self, at_a_time: int, seconds: float, what: str) -> None:
        self._free = threading.BoundedSemaphore(at_a_time)
        self._at_a_time, self._seconds, self._what = at_a_time, seconds, what

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """Wait for a turn, and keep it for as long as the block runs; Problem if the turn does not come."""
        if not self._free.acquire(timeout=self._seconds):
            raise HttpProblem(
                "limit", f"{self._at_a_time} other {self._what} are looked at: try again in a few seconds"
            )
        try:
            yield
        finally:
            self._free.release()
