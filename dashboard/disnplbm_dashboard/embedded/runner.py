"""A thread that takes runs from their submission to their results, one at a time, the oldest first."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace

import structlog

from disnplbm.data.covariates import RESPONSES
from disnplbm.data.factors import GIVEN
from disnplbm.engine.drive import Ended, Stopped, drive
from disnplbm.engine.known import Known, load_request, load_run
from disnplbm.engine.memory import give_back
from disnplbm.engine.outcome import store_outcome
from disnplbm.engine.preparation import read_once, shard_once
from disnplbm.errors import InputError, described, unexpected
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database, DatabaseAway
from disnplbm.runs.records import DatasetRecord, RunRecord
from disnplbm.runs.results import work_prefixes
from disnplbm.runs.states import TERMINAL, State
from disnplbm.runs.undertakings import Undertakings
from disnplbm_dashboard.embedded.recording import ACTOR, DatabaseRecorder

_log = structlog.get_logger(__name__)

#: Seconds between two looks for work, if nobody says that there is some.
_INTERVAL = 0.5

AT_A_TIME = 4
"""Files that are read at a time: a run whose file takes long keeps no other one waiting."""

AHEAD = 10.0
"""Seconds that a newer run lets the data of an older one be read, so that runs go in their order."""

#: Seconds between two looks whether a run whose data are read is still wanted.
_ASK = 0.5


@dataclass(frozen=True)
class _Reading:
    """A file that is being read, or was: for a run, since a time of the monotonic clock."""

    run: str
    began: float
    dataset: Future[DatasetRecord]


class Runner:
    """Runs what is submitted.

    Parameters
    ----------
    inline_bytes : int
        Larger states of chains are objects.
    attempts : int
        Processes that may die at the same place of a run before it fails.
    """

    def __init__(
        self,
        database: Database,
        store: ObjectStore,
        threads: int,
        inline_bytes: int = 256 * 2**10,
        attempts: int = 3,
    ) -> None:
        self._books, self._store = Books.of(database), store
        self._threads, self._inline_bytes = threads, inline_bytes
        self._undertakings = Undertakings(self._books.runs, attempts, ACTOR)
        self._stop, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="runner", daemon=True)
        self._readers = ThreadPoolExecutor(max_workers=AT_A_TIME, thread_name_prefix="reader")
        self._reading: dict[str, _Reading] = {}

    def start(self) -> None:
        """Look for work, again and again, from a thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look now: something was submitted, or resumed."""
        self._wake.set()

    def stop(self, seconds: float = 30.0) -> None:
        """Stop after the iteration that is under way; a run goes on when a runner is started again."""
        self._stop.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        self._readers.shutdown(wait=False, cancel_futures=True)
        for reading in self._reading.values():
            with suppress(DatabaseAway):
                self._undertakings.put_down(reading.run)

    def poll(self) -> bool:
        """Take the next run as far as it goes, once the data of one are read; False if there is none.

        Raises
        ------
        DatabaseAway
        """
        waited = False
        while (run := self._find_next()) is None:
            if self._stop.is_set() or not self._reading:
                return waited
            wait([reading.dataset for reading in self._reading.values()], _INTERVAL, FIRST_COMPLETED)
            waited = True
        if not self._undertakings.take_up(run.id):
            return True
        try:
            self._drive(run)
        except Stopped:
            if any(left.state in TERMINAL for left in self._books.runs.of_interest([run.id]) if left.id == run.id):
                self._clear(run.id)
        except DatabaseAway:
            raise
        except Exception as error:
            reason = described(error)
            _log.warning("a run failed", run=run.id, reason=reason, exc_info=unexpected(error))
            self._books.runs.fail(run.id, reason, ACTOR)
        self._undertakings.put_down(run.id)
        give_back()
        return True

    def _run(self) -> None:
        while not self._stop.is_set():
            self._wake.clear()
            try:
                found = self.poll()
            except Exception as error:
                # It must go on, whatever the database says.
                _log.warning("the runner could not look", reason=str(error))
                found = False
            if not found:
                self._wake.wait(_INTERVAL)

    def _find_next(self) -> RunRecord | None:
        """Find the run that is under way, or the oldest one whose data are read; begin to read the others."""
        for run in self._books.runs.of_interest(()):
            if run.state == State.RUNNING:
                return run
        pending, ahead = self._books.runs.pending(), False
        for run in pending:
            dataset = self._books.datasets.fetch(run.dataset_id)
            if dataset.state == "UPLOADED":
                reading = self._begin_reading(run, dataset)
                if reading is None:
                    continue
                if not reading.dataset.done():
                    ahead = ahead or time.monotonic() - reading.began < AHEAD
                    continue
            if not ahead:
                return run
        self._forget_readings({run.dataset_id for run in pending})
        return None

    def _begin_reading(self, run: RunRecord, dataset: DatasetRecord) -> _Reading | None:
        """Begin to read the data of a run, unless that is done; None if the run ended too many processes."""
        if dataset.id not in self._reading:
            # What is read may be what kills the process.
            if not self._undertakings.take_up(run.id):
                return None
            read = self._readers.submit(self._read, dataset, self._make_check(run.id))
            self._reading[dataset.id] = _Reading(run.id, time.monotonic(), read)
        return self._reading[dataset.id]

    def _forget_readings(self, wanted: set[str]) -> None:
        """Let go of files that are read and that no run waits for."""
        for key, reading in list(self._reading.items()):
            if key not in wanted and reading.dataset.done():
                self._undertakings.put_down(reading.run)
                del self._reading[key]

    def _drive(self, run: RunRecord) -> None:
        """Take a run to its end."""
        if run.state == State.PENDING:
            run = self._prepare(run)
        here = load_run(self._store, run.sources, with_shards=True)
        families = here.problem.families
        recorder = DatabaseRecorder(self._books, self._store, run.id, families, self._inline_bytes, self._stop.is_set)
        self._finish(run, here, drive(here.problem, here.options, here.start(), recorder, self._threads))

    def _prepare(self, run: RunRecord) -> RunRecord:
        """Read and shard the data of a run, and start it."""
        wanted = self._make_check(run.id)
        dataset = self._books.datasets.fetch(run.dataset_id)
        if (reading := self._reading.pop(dataset.id, None)) is not None:
            dataset = reading.dataset.result()
        if dataset.state == "FAILED":
            raise InputError(dataset.error or "")
        manifest = shard_once(
            self._store,
            dataset.prefix,
            seal=dataset.seal,
            n_shards=run.n_shards_wanted,
            axis=run.axis_wanted,
            transform=run.transform,
            cells=run.cells,
            exposure=run.exposure,
            asked=load_request(self._store, run.id, run.request_seal).asked
            if run.exposure == GIVEN or run.cells == RESPONSES
            else None,
            progress=wanted,
        )
        if not self._books.runs.start(run.id, manifest.prefix, manifest.n_shards, manifest.seal, ACTOR):
            raise Stopped
        return replace(
            run,
            state=State.RUNNING,
            shards_prefix=manifest.prefix,
            n_shards=manifest.n_shards,
            shards_seal=manifest.seal,
        )

    def _read(self, dataset: DatasetRecord, wanted: Callable[[int, int], None]) -> DatasetRecord:
        try:
            table = read_once(
                self._store,
                dataset.prefix,
                dataset.upload_key,
                dataset.reading,
                size=dataset.upload_bytes,
                sha256=dataset.upload_sha256,
                progress=wanted,
            )
        except InputError as error:
            self._books.datasets.fail(dataset.id, described(error), ACTOR)
            raise
        self._books.datasets.mark_ready(
            dataset.id,
            n=table.n,
            p=table.p,
            dimension=table.dimension,
            sha256=table.sha256,
            missing=table.missing,
            prefix=dataset.prefix,
            seal=table.seal,
            actor=ACTOR,
        )
        return self._books.datasets.fetch(dataset.id)

    def _make_check(self, run: str) -> Callable[[int, int], None]:
        """Make what is called while data are read; it raises Stopped once nobody waits for them."""
        asked = time.monotonic()

        def ask(_done: int, _total: int) -> None:
            nonlocal asked
            if self._stop.is_set():
                raise Stopped
            if time.monotonic() - asked > _ASK:
                asked = time.monotonic()
                if all(pending.id != run for pending in self._books.runs.pending()):
                    raise Stopped

        return ask

    def _finish(self, run: RunRecord, here: Known, ended: list[Ended]) -> None:
        """Write the results of chains that ended."""
        # One shard in memory from here on.
        if isinstance(here.problem.shards, list):
            here.problem.shards.clear()
        draw_seals = self._books.chains.draw_seals(run.id)
        stored = store_outcome(
            self._store, run.id, here, ended, lambda: self._books.runs.is_running(run.id), draw_seals
        )
        if stored is not None and self._books.runs.succeed(run.id, *stored, ACTOR):
            self._clear(run.id)

    def _clear(self, run: str) -> None:
        """Remove what a run that is over needed while it was under way."""
        for prefix in work_prefixes(run):
            self._store.clear(prefix)
