"""Timing on a machine that others use too.

Compared tasks take turns, ratios are taken within a turn, and the clock is the processor time of this process: waiting
for a processor does not count. Tasks keep one thread busy.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: Repeats a task until it has taken at least this many seconds, so that the clock's grain does not show.
LEAST_SECONDS = 0.004


@dataclass(frozen=True)
class Times:
    """Seconds of each task in every round."""

    seconds: Mapping[str, list[float]]

    def median(self, task: str) -> float:
        """Median seconds of a task."""
        return statistics.median(self.seconds[task])

    def ratio(self, task: str, other: str) -> float:
        """Median over the rounds of one task's time divided by another's."""
        pairs = zip(self.seconds[task], self.seconds[other], strict=True)
        return statistics.median(a / b for a, b in pairs)


def interleaved(tasks: Mapping[str, Callable[[], object]], rounds: int) -> Times:
    """Time tasks in turns, A B A B, after one call of each to warm up.

    Parameters
    ----------
    tasks : mapping of str to callable
    rounds : int
    """
    repeats = {name: _repeats(task) for name, task in tasks.items()}
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            began = time.process_time()
            for _ in range(repeats[name]):
                task()
            seconds[name].append((time.process_time() - began) / repeats[name])
    return Times(seconds)


def _repeats(task: Callable[[], object]) -> int:
    """How many calls take :data:`LEAST_SECONDS`; the first call, which may compile, does not count."""
    task()
    began = time.process_time()
    task()
    return max(1, round(LEAST_SECONDS / max(time.process_time() - began, 1e-6)))
