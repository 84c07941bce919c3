"""Waiting for what must come, with a deadline that fails."""

from __future__ import annotations

import time
from collections.abc import Callable

from services.cluster import WAIT_SECONDS, Cluster


def until(cluster: Cluster, what: str, holds: Callable[[], bool]) -> None:
    """Return once something holds; AssertionError, with the ends of the logs, if it does not come to."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, f"not within {WAIT_SECONDS} s: {what}\n{cluster.logs()}"
        time.sleep(0.05)
