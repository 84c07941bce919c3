"""Master and workers without servers: the broker is a bag, everything else is the product."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from disnplbm.messaging.messages import IngestTask, PrepareTask, Result, SweepTask
from disnplbm.messaging.queues import SWEEP
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.iteration_id import IterationId
from disnplbm.settings import Settings
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.finishing import Finisher
from disnplbm_master.inbox import Inbox
from disnplbm_master.janitor import Janitor
from disnplbm_master.jobs import Jobs
from disnplbm_master.reconciler import Reconciler
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.prepare import Preparer
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache
from disnplbm_worker.sweep import Sweeper
from disnplbm_worker.waiting import Waiting

Task = SweepTask | IngestTask | PrepareTask

SETTINGS = Settings(task_seconds=10, grace_seconds=1)


class Bag:
    """The broker: what was published and not yet delivered."""

    def __init__(self) -> None:
        self.tasks: list[Task] = []
        self.results: list[bytes] = []

    def publish_iteration(self, tasks: Iterable[SweepTask]) -> None:
        self.tasks.extend(tasks)

    publish_shards = publish_iteration

    def publish_job(self, task: IngestTask | PrepareTask) -> None:
        self.tasks.append(task)

    def report(self, message: Result) -> None:
        self.results.append(message.to_bytes())

    def count_waiting(self, queue: str) -> int:
        return sum(isinstance(task, SweepTask) == (queue == SWEEP.name) for task in self.tasks)


class Memory:
    """The mirror."""

    def __init__(self) -> None:
        self._runs: dict[str, tuple[str, int, dict[int, int]]] = {}
        self.starts: dict[tuple[str, str], int] = {}

    def write(self, run: str, state: str, epoch: int, iterations: dict[int, int]) -> bool:
        known = self._runs.get(run, ("", 0, {}))[2]
        self._runs[run] = (state, epoch, known | iterations)
        return True

    def count_lost(self, subject: str, task: str) -> int:
        return self.starts.get((subject, task), 0)

    def is_stale(self, at: IterationId, epoch: int) -> bool:
        state, now, iterations = self._runs.get(at.run, ("RUNNING", epoch, {}))
        return state in ("CANCELLED", "SUCCEEDED") or now != epoch or iterations.get(at.stream, 0) > at.iteration


class Master:
    """A master without Celery; a new one on the same database is one that was started again.

    ``deaths`` is how many masters may die over the results of a run before it fails.
    """

    def __init__(
        self, database: Database, store: ObjectStore, bag: Any, mirror: Any, deaths: int = SETTINGS.attempts
    ) -> None:
        books, janitor = Books.of(database), Janitor(store)
        self.coordinator = Coordinator(books, store, bag, mirror, janitor, SETTINGS)
        jobs = Jobs(books, self.coordinator, bag, SETTINGS.attempts)
        self.inbox = Inbox(self.coordinator, jobs, SETTINGS.attempts, mirror.count_lost)
        self.finisher = Finisher(books, store, self.coordinator.rewind, deaths)
        self.reconciler = Reconciler(self.coordinator, jobs, self.finisher, janitor, books, bag, mirror, SETTINGS)


class Worker:
    """A worker without Celery, with nothing at hand."""

    def __init__(self, store: ObjectStore, bag: Bag, mirror: Memory, inline_bytes: int) -> None:
        cache, waiting = ShardCache(store, 2**24, None), Waiting()
        self._sweeper = Sweeper(
            store, cache, LastLabels(store), Problems(store), mirror, bag.report, waiting, inline_bytes, "w"
        )
        self._preparer = Preparer(store, bag.report, SETTINGS.task_seconds)

    def do(self, task: Task) -> None:
        if isinstance(task, SweepTask):
            self._sweeper.sweep(task, 0)
        elif isinstance(task, IngestTask):
            self._preparer.ingest(task)
        else:
            self._preparer.prepare(task)
