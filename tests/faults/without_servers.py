"""A cluster in one process, whose master dies and starts again as the test will have it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import update

from disnplbm.messaging.messages import result_of
from disnplbm.runs.database.models import Chain
from services.bench import Bench
from unit.master.serverless import Bag, Master, Memory, Worker


class Serverless:
    """A bench with master and worker in place of the embedded engine, and no servers."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._bag, self._mirror = bench, Bag(), Memory()
        self.start_again()

    def start_again(self) -> None:
        """Another master and another worker, with nothing at hand."""
        self._bag.tasks.clear()
        self._bag.results.clear()
        self._master = Master(self._bench.database, self._bench.store, self._bag, self._mirror)
        self._worker = Worker(self._bench.store, self._bag, self._mirror, 0)
        self._bench.database.execute(update(Chain).values(published_at=None))

    def go_on(self, run: str, until: Callable[[], bool]) -> None:
        """Until something holds, or the run is over."""
        for _ in range(10_000):
            if until() or self._bench.service.run(run).state in ("SUCCEEDED", "FAILED"):
                return
            if self._bag.tasks:
                self._worker.do(self._bag.tasks.pop(0))
            elif self._bag.results:
                self._master.inbox.on_results([result_of(self._bag.results.pop(0))], lambda: None)
            else:
                self._master.reconciler.poll()
        pytest.fail("the run hangs")

    def end(self, run: str) -> None:
        self.go_on(run, lambda: False)
