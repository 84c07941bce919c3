"""A run, a master and a worker without servers, whose messages a test may change on their way."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from disnplbm.engine.options import Options
from disnplbm.errors import RunError
from disnplbm.messaging.messages import Swept, result_of
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.database import Database
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from services.tables import fitted

from .serverless import Bag, Master, Memory, Task, Worker

OPTIONS = Options(iterations=5, seed=2, sampler="split-merge")
SHARDS = 3


def write_table(folder: Path) -> Path:
    """Write a table for a run at the desk; its path."""
    generator, path = np.random.default_rng(4), folder / "x.npy"
    np.save(path, generator.normal(size=(40, 6)) + 3.0 * generator.integers(0, 3, (40, 1)))
    return path


def digest_of_fit(table: Path, folder: Path) -> str:
    """The digest that a run at the desk must come to: the one of ``fit``."""
    return str(fitted(table, folder / "run", OPTIONS, n_shards=SHARDS)["digest"])


class Desk:
    """A run, a master and a worker; what the worker reports can be changed on its way."""

    def __init__(self, table: Path, database: Database, store: ObjectStore) -> None:
        self.database, self.store = database, store
        self.bag, self.mirror = Bag(), Memory()
        self.done: list[Task] = []
        self.service = RunService(self.database, self.store)
        request = Request("x", "x", n_shards=SHARDS)
        dataset = self.service.add_dataset(table)
        self.run = self.service.submit(dataset.id, request, OPTIONS.to_dict()).id
        self.new_master()
        self.worker = Worker(self.store, self.bag, self.mirror, 2**18)

    def new_master(self) -> None:
        """A master that has seen nothing yet."""
        self.master = Master(self.database, self.store, self.bag, self.mirror)

    def to_iteration(self, iteration: int) -> list[Swept]:
        """Go on until the results of an iteration wait; these."""
        self.go_on(
            lambda: any(isinstance(m, Swept) and m.iteration == iteration for m in map(result_of, self.bag.results))
        )
        while self.bag.tasks:
            self.work()
        bodies, self.bag.results = self.bag.results, []
        return [message for message in map(result_of, bodies) if isinstance(message, Swept)]

    def late(self) -> Swept:
        """A result of iteration 2, which is over by then."""
        results = self.to_iteration(2)
        self.master.inbox.on_results(results, lambda: None)
        return results[0]

    def work(self) -> None:
        """Do the next task."""
        task = self.bag.tasks.pop(0)
        self.done.append(task)
        self.worker.do(task)

    def take(self, body: bytes) -> None:
        """Let the master take a message, as its consumer does: what it refuses changes nothing."""
        with suppress(RunError):
            self.master.inbox.on_results([result_of(body)], lambda: None)

    def go_on(self, until: Callable[[], bool]) -> None:
        """Let everybody work."""
        deadline = time.monotonic() + 60
        while not until():
            assert time.monotonic() < deadline, "the run hangs"
            if self.bag.tasks:
                self.work()
            elif self.bag.results:
                self.take(self.bag.results.pop(0))
            else:
                self.master.reconciler.poll()

    def digest(self) -> str:
        """Let the run come to its end; its digest."""
        self.go_on(lambda: self.service.run(self.run).state in ("SUCCEEDED", "FAILED"))
        assert self.service.run(self.run).error is None
        return str(json.loads(bytes(self.store.get(f"runs/{self.run}/results/run.json")))["digest"])
