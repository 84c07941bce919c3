"""Simulated time, and what is shared in it."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from itertools import count

Action = Callable[[], None]


class Clock:
    """Runs actions in the order of their times; of the same time, in the order of asking."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[tuple[float, int, Action]] = []
        self._numbers = count()
        self._shared: list[Shared] = []

    def after(self, seconds: float, action: Action) -> None:
        """Run an action so many seconds from now."""
        heapq.heappush(self._timers, (self.now + seconds, next(self._numbers), action))

    def shared(self, capacity: float) -> Shared:
        """Something that only so many jobs have to themselves at a time; infinity is one for each job."""
        made = Shared(self, capacity)
        if math.isfinite(capacity):
            self._shared.append(made)
        return made

    def run(self, until: Callable[[], bool]) -> None:
        """Go on until something is so, or nothing is left to do."""
        while not until():
            at = self._timers[0][0] if self._timers else math.inf
            busy = [shared for shared in self._shared if shared.busy]
            times = [shared.next for shared in busy]
            earliest = min([at, *times])
            if earliest == math.inf:
                return
            for shared in busy:
                shared.advance(earliest)
            self.now = earliest
            if at == earliest:
                heapq.heappop(self._timers)[2]()
            else:
                busy[times.index(earliest)].pop()()


class Shared:
    """Processors, or a link: n jobs at a time advance at the rate min(1, capacity / n) each.

    All jobs advance alike, so that a job ends when the progress of one that never ends has grown by its size.

    Parameters
    ----------
    clock : Clock
    capacity : float
    """

    def __init__(self, clock: Clock, capacity: float) -> None:
        self._clock, self._capacity = clock, capacity
        self._progress, self._at = 0.0, 0.0
        self._jobs: list[tuple[float, int, Action]] = []
        self._numbers = count()

    def serve(self, seconds: float, action: Action) -> None:
        """Run an action after a job that takes so many seconds where it has all that it can use."""
        if not math.isfinite(self._capacity):
            self._clock.after(seconds, action)
            return
        self.advance(self._clock.now)
        heapq.heappush(self._jobs, (self._progress + seconds, next(self._numbers), action))

    @property
    def busy(self) -> bool:
        """Whether there are jobs."""
        return bool(self._jobs)

    @property
    def next(self) -> float:
        """When the next job ends, if none comes in between."""
        return self._at + max(self._jobs[0][0] - self._progress, 0.0) / self._rate

    def advance(self, now: float) -> None:
        """Let the jobs advance up to a time at which none of them ends earlier."""
        if self._jobs:
            self._progress += (now - self._at) * self._rate
        self._at = now

    def pop(self) -> Action:
        """End the next job; what it was for."""
        end, _, action = heapq.heappop(self._jobs)
        # Rounding must not bring the time of the others back.
        self._progress = max(self._progress, end)
        return action

    @property
    def _rate(self) -> float:
        return min(1.0, self._capacity / len(self._jobs))
