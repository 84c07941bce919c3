"""What is stale: a mirror of the runs' states in Redis, for workers that have no database.

Losing it costs time, not results: what is missing or cannot be read counts as not stale, and the ledger decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import redis
import structlog

from disnplbm.runs.iteration_id import IterationId

_log = structlog.get_logger(__name__)

#: States in which a run's messages are of no use.
_DEAD = frozenset({"FAILED", "CANCELLED", "SUCCEEDED"})

#: The mirror of a run that nothing was written to for this long, in seconds, is let go.
EXPIRY = 24 * 3600

#: Seconds for which a chain that somebody waits for is taken to be waited for: a worker has several shards in them.
FRESH = 0.25

#: Seconds for which Redis is taken for away once it was: one that is frozen takes its time to every question.
PAUSE = 5.0


class Mirror:
    """The mirror; of the master to write, of workers to read.

    Parameters
    ----------
    url : str
        Of Redis.
    """

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url, decode_responses=True, socket_timeout=2.0, socket_connect_timeout=2.0, health_check_interval=30
        )
        self._away_until = 0.0
        # Of each chain: the epoch and the iteration last found to be waited for, and until when that is taken for so.
        self._fresh: dict[tuple[str, int], tuple[int, int, float]] = {}

    def is_reachable(self) -> bool:
        """Whether Redis is there; it is not asked if it was away a moment ago."""
        return self._ask(self._redis.ping) is not None

    def write(self, run: str, state: str, epoch: int, iterations: Mapping[int, int]) -> bool:
        """Write a run's state and the iteration of some of its streams; False if Redis is away."""
        record: dict[Any, Any] = {f"stream-{stream}": iteration for stream, iteration in iterations.items()}
        record |= {"state": state, "epoch": epoch}

        def ask() -> list[Any]:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hset(_key(run), mapping=record)
                pipeline.expire(_key(run), EXPIRY)
                return pipeline.execute()

        return self._ask(ask) is not None

    def is_stale(self, at: IterationId, epoch: int) -> bool:
        """Whether a message is known to be of no use, as Redis has it or had it a moment ago."""
        known, iteration, until = self._fresh.get(at[:2], (epoch, 0, 0.0))
        if known == epoch and iteration <= at.iteration and time.monotonic() < until:
            return False
        found = self._ask(lambda: self._redis.hmget(_key(at.run), ["state", "epoch", f"stream-{at.stream}"]))
        if found is None:
            return False
        state, now, current = found
        stale = (
            state in _DEAD
            or (now is not None and int(now) != epoch)
            or (current is not None and int(current) > at.iteration)
        )
        # One chain alone: a worker has the shards of an iteration behind each other.
        self._fresh = {} if stale else {at[:2]: (epoch, at.iteration, time.monotonic() + FRESH)}
        return stale

    @contextmanager
    def start(self, subject: str, task: str) -> Iterator[None]:
        """Note, around a task that was delivered before, that it is under way.

        The note stays if the worker is lost, or if the task ends in an error of which the master hears nothing.
        """
        self._note(subject, task, 1)
        told = True
        try:
            yield
        except Exception:
            told = False
            raise
        finally:
            if told:
                self._note(subject, task, -1)

    def withdraw(self, subject: str, task: str) -> None:
        """Withdraw the note of a worker that gave the task back on purpose."""
        self._note(subject, task, -1)

    def count_lost(self, subject: str, task: str) -> int:
        """Count the starts of a task that no worker finished, as far as is known."""
        return int(self._ask(lambda: self._redis.hget(_starts(subject), task)) or 0)

    def _note(self, subject: str, task: str, by: int) -> None:
        def ask() -> list[Any]:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.hincrby(_starts(subject), task, by)
                pipeline.expire(_starts(subject), EXPIRY)
                return pipeline.execute()

        self._ask(ask)

    def _ask(self, question: Callable[[], Any]) -> Any:
        """What Redis answers; None if it is away."""
        if time.monotonic() < self._away_until:
            return None
        try:
            return question()
        except redis.RedisError as error:
            _log.warning("Redis is away: going on without it", reason=str(error))
            self._away_until = time.monotonic() + PAUSE
            return None


def _key(run: str) -> str:
    return f"disnplbm:run:{run}"


def _starts(subject: str) -> str:
    return f"disnplbm:starts:{subject}"
