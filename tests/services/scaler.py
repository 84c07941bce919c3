"""Plays an autoscaler on the workers of a cluster: asks the dashboard, and starts and ends processes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from services.autoscaler import ROUND, Autoscaler
from services.cluster import Cluster, Member
from services.scaled_object import ScaledObject
from services.served import Served
from services.suspension import TALKATIVE


@dataclass(frozen=True, slots=True)
class Decision:
    """One question, and what came of it.

    Parameters
    ----------
    asked, at : float
        Seconds since the play began when the question was put, and when it was decided.
    who : {"KEDA", "HPA"}
        Its operator, or the horizontal autoscaler.
    wanted : float or None
        The answer.
    before, after : int
        Workers there should be.
    """

    asked: float
    at: float
    who: Literal["KEDA", "HPA"]
    wanted: float | None
    before: int
    after: int


class Scaler:
    """An autoscaler, and what of Kubernetes starts and ends pods.

    Parameters
    ----------
    cluster : Cluster
    dashboard : Served
    rule : ScaledObject
    speed : float
        The autoscaler's clock runs so many times as fast as that on the wall.
    grace : float
        Seconds on the wall from SIGTERM to SIGKILL.
    say : callable
        Told of every change, in one line.

    Attributes
    ----------
    decisions : list of Decision
    leaving : dict of Member to Future
        The workers that were told to stop; results are exit codes, or None for those that had to be killed.
    """

    def __init__(
        self,
        cluster: Cluster,
        dashboard: Served,
        rule: ScaledObject,
        *,
        speed: float,
        grace: float,
        say: Callable[[str], None],
    ) -> None:
        self._cluster, self._dashboard, self._speed, self._grace, self._say = cluster, dashboard, speed, grace, say
        self._autoscaler = Autoscaler(rule)
        self.decisions: list[Decision] = []
        self.workers: list[Member] = []
        self.leaving: dict[Member, Future[int | None]] = {}
        self._began = time.monotonic()
        self._over = threading.Event()
        self._pool = ThreadPoolExecutor()
        self._play: Future[None] | None = None

    def __enter__(self) -> Self:
        self._play = self._pool.submit(self._run)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._over.set()
        self._pool.shutdown()
        if error is None:
            self.check()

    @property
    def seconds(self) -> float:
        """Since the play began, on the wall."""
        return time.monotonic() - self._began

    @property
    def is_empty(self) -> bool:
        """Whether there is no worker any more, not even one that is about to go."""
        return not self.workers and all(future.done() for future in self.leaving.values())

    def check(self) -> None:
        """Raise what went wrong in the play itself."""
        if self._play is not None and self._play.done():
            self._play.result()

    def _run(self) -> None:
        keda, horizontal = 0.0, ROUND / 2.0
        while not self._over.wait(max(0.0, min(keda, horizontal) / self._speed - self.seconds)):
            now = self.seconds * self._speed
            if now >= keda:
                self._decide("KEDA", self._autoscaler.poll)
                keda = now + self._autoscaler.rule.polling
            if now >= horizontal:
                self._decide("HPA", self._autoscaler.round)
                horizontal = now + ROUND

    def _decide(self, who: Literal["KEDA", "HPA"], rule: Callable[[float, float | None], int]) -> None:
        for worker in self.workers:
            assert worker.running, f"{self.name(worker)} ended by itself:\n{worker.log.read_text()[-2000:]}"
        asked, before = self.seconds, self._autoscaler.replicas
        answer = self._dashboard.ask(self._autoscaler.rule.path)
        wanted = None if answer is None else float(answer[self._autoscaler.rule.value])
        after = rule(self.seconds * self._speed, wanted)
        if after != before:
            self._say(f"{who:<4} asks: {wanted:.0f} wanted; workers {before} -> {after}")
        while len(self.workers) < after:
            self.workers.append(self._cluster.start_worker(**TALKATIVE))
        while len(self.workers) > after:
            # The youngest first, as Kubernetes does by default; or as its pod-deletion-cost says.
            worker = self.workers.pop()
            self.leaving[worker] = self._pool.submit(self._end, worker)
        # Last, so that who sees the decision sees what came of it.
        self.decisions.append(Decision(asked, self.seconds, who, wanted, before, after))

    def _end(self, worker: Member) -> int | None:
        name, began = self.name(worker), time.monotonic()
        code = worker.leave(self._grace)
        how = "was killed" if code is None else f"ended with code {code}"
        self._say(f"{name} {how} {time.monotonic() - began:.1f} s after it was told to stop")
        return code

    def goes_next(self, worker: Member) -> None:
        """Let a worker be the first that goes, as an annotation of its pod would."""
        # At once, for the play counts them meanwhile.
        self.workers = [*(one for one in self.workers if one is not worker), worker]

    def name(self, worker: Member) -> str:
        """What a worker is called in what is said: its number, from 1."""
        return f"worker {self._cluster.workers.index(worker) + 1}"
