"""Master and workers without servers: whatever messages come late, twice or never, and whoever dies, the run is fit's.

The broker is a bag that messages are drawn from at random. Everything else is the product: coordinator, reconciler,
database and object storage on one side, the worker's sweeps on the other.
"""

from __future__ import annotations

import json
import random
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.options import Options
from disnplbm.messaging.messages import Result, Swept, result_of
from disnplbm.objects.store import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from disnplbm.runs.transitions import TransitionRefused
from marks import long
from services.tables import fitted

from .serverless import Bag, Master, Memory, Worker

SHARDS = 3


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    generator = np.random.default_rng(4)
    values = generator.normal(size=(60, 8)) + 3.0 * generator.integers(0, 3, (60, 1)) * generator.integers(0, 2, (1, 8))
    values[generator.random(values.shape) < 0.1] = np.nan
    path = tmp_path_factory.mktemp("table") / "x.npy"
    np.save(path, values)
    return path


@pytest.mark.parametrize("sampler", ["collapsed", "split-merge"])
@pytest.mark.parametrize("seed", [0, long(1), long(2), long(3)])
def test_the_run_is_that_of_fit(
    table: Path, tmp_path: Path, sampler: Any, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(iterations=14, burn_in=6, draws=4, chains=2, restarts=2, sampler=sampler, seed=seed)
    expected = fitted(table, tmp_path / "fit", options, n_shards=SHARDS)
    disturbed = Disturbed(table, tmp_path, options, seed, monkeypatch)
    agrees(disturbed.outcome(), expected)
    # A backup of just before the results were written, when all that they are made from has been removed.
    disturbed.restore_its_end()
    agrees(disturbed.outcome(), expected)


@pytest.mark.parametrize("seed", [4, long(5), long(6), long(7)])
def test_a_crossed_start_is_that_of_fit(
    table: Path, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("POPULATION", 3), ("CROSSED_ITERATIONS", 2)):
        monkeypatch.setattr(f"disnplbm.sampler.short_chains.{name}", value)
    options = Options(iterations=10, burn_in=6, draws=4, chains=2, start="crossed", crossings=2, seed=seed)
    expected = fitted(table, tmp_path / "fit", options, n_shards=SHARDS)
    disturbed = Disturbed(table, tmp_path, options, seed, monkeypatch)
    agrees(disturbed.outcome(), expected)
    disturbed.restore_its_end()
    agrees(disturbed.outcome(), expected)


def agrees(record: dict[str, Any], expected: dict[str, Any]) -> None:
    for part in ("digest", "posterior", "restarts"):
        assert record[part] == expected[part], part


class Disturbed:
    """A run that everything happens to."""

    def __init__(self, table: Path, folder: Path, options: Options, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self._chance = random.Random(seed)
        self._folder, self._backup, self._end = folder, folder / "backup.sqlite3", folder / "end.sqlite3"
        self._database = Database(f"sqlite:///{folder}/runs.sqlite3")
        self._database.migrate()
        self._store = open_store(folder / "store")
        self._bag, self._mirror = Bag(), Memory()
        self._service = RunService(self._database, self._store)
        dataset = self._service.add_dataset(table)
        request = Request("x", "x", n_shards=SHARDS)
        self._run = self._service.submit(dataset.id, request, options.to_dict()).id
        self._later, self._restored = 0.0, 0
        clock = time.time
        monkeypatch.setattr("disnplbm_master.reconciler.time.time", lambda: clock() + self._later)
        self._master, self._worker = self._new_master(), self._new_worker()

    def outcome(self) -> dict[str, Any]:
        """Let things happen until the run is over."""
        chance = self._chance
        done, deadline = -1, 0.0
        while self._service.run(self._run).state != "SUCCEEDED":
            assert self._service.run(self._run).error is None
            if (now := self._service.progress(self._run).done) != done:
                done, deadline = now, time.monotonic() + 120
            assert time.monotonic() < deadline, f"the run hangs after {done} iterations"
            happening = chance.random()
            if happening < 0.04:
                self._master = self._new_master()
            elif happening < 0.08:
                self._worker = self._new_worker()
            elif happening < 0.10:
                self._pause_and_resume()
            elif happening < 0.12:
                # The broker forgets everything, and time goes by.
                self._bag.tasks.clear()
                self._bag.results.clear()
            elif happening < 0.135 and self._restored < 2:
                self._back_up_or_restore()
            if self._bag.tasks and chance.random() < 0.7:
                task = self._drawn(self._bag.tasks)
                self._worker.do(task)
            if self._bag.results and chance.random() < 0.7:
                # As many at a time as wait, or fewer; some come twice.
                taken = chance.randint(1, len(self._bag.results))
                messages = [result_of(self._drawn(self._bag.results)) for _ in range(taken) if self._bag.results]
                self._take(messages)
                self._call_back(chance.choice(messages))
            if not self._bag.tasks and not self._bag.results:
                if not self._end.exists() and Books.of(self._database).runs.waiting_to_finish():
                    self._copy(self._folder / "runs.sqlite3", self._end)
                self._later += 20.0
                self._master.reconciler.poll()
                time.sleep(0.002)
        return dict(json.loads(bytes(self._store.get(f"runs/{self._run}/results/run.json"))))

    def _take(self, messages: list[Result]) -> None:
        """As the master's consumer does: statistics together, whatever else alone."""
        swept = [message for message in messages if isinstance(message, Swept)]
        for group in [swept, *([message] for message in messages if not isinstance(message, Swept))]:
            self._master.inbox.on_results(group, lambda: None)

    def _call_back(self, message: Result) -> None:
        """As a chord may, that fires at any time: also while the step was under way, which it then waited for."""
        if isinstance(message, Swept) and self._chance.random() < 0.5:
            self._master.coordinator.finish_iteration(IterationId.of(message))

    def _drawn(self, messages: list[Any]) -> Any:
        """A message at random; one in eight stays, to be delivered once more."""
        index = self._chance.randrange(len(messages))
        return messages[index] if self._chance.random() < 0.125 else messages.pop(index)

    def _pause_and_resume(self) -> None:
        # Refused where the run has not begun, or ends this moment.
        with suppress(TransitionRefused):
            self._service.pause(self._run, actor="test")
            self._service.resume(self._run, actor="test")

    def restore_its_end(self) -> None:
        """Restore the database of when all chains had ended, with all that a run works with removed since."""
        for kind in ("labels", "statistics", "states"):
            self._store.delete(self._store.list(f"runs/{self._run}/{kind}"))
        self._restore(self._end)

    def _back_up_or_restore(self) -> None:
        """By turns; what is restored is older than the objects are, of which some were removed since."""
        if not self._backup.exists():
            self._copy(self._folder / "runs.sqlite3", self._backup)
        else:
            self._restore(self._backup)
            self._backup.unlink()

    def _restore(self, backup: Path) -> None:
        # No master is at work then.
        self._master.finisher._pool.shutdown()
        self._copy(backup, self._folder / "runs.sqlite3")
        self._restored += 1
        self._master = self._new_master()

    def _copy(self, source: Path, target: Path) -> None:
        with closing(sqlite3.connect(source)) as whole, closing(sqlite3.connect(target)) as copy:
            whole.backup(copy)

    def _new_master(self) -> Master:
        # They die here more often than a run survives elsewhere.
        return Master(self._database, self._store, self._bag, self._mirror, deaths=10_000)

    def _new_worker(self) -> Worker:
        return Worker(self._store, self._bag, self._mirror, self._chance.choice([0, 2**18]))
