"""Every few seconds: what should have happened and has not.

The chord and the results queue drive a run as long as nothing fails. What they lose, a look at the database finds.
"""

from __future__ import annotations

import threading
import time

import structlog

from disnplbm.errors import DisnplbmError
from disnplbm.messaging.mirror import Mirror
from disnplbm.messaging.queues import PREPARE, SWEEP
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import ChainRecord
from disnplbm.runs.states import TERMINAL, State
from disnplbm.settings import Settings
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.finishing import Finisher
from disnplbm_master.janitor import Janitor
from disnplbm_master.jobs import Jobs
from disnplbm_master.metrics import LATE_ITERATIONS, RUNS_FINISHED
from disnplbm_master.publication import Publisher

_log = structlog.get_logger(__name__)


class Reconciler:
    """Looks after the runs."""

    def __init__(
        self,
        coordinator: Coordinator,
        jobs: Jobs,
        finisher: Finisher,
        janitor: Janitor,
        books: Books,
        publisher: Publisher,
        mirror: Mirror,
        settings: Settings,
    ) -> None:
        self._coordinator, self._jobs, self._finisher, self._janitor = coordinator, jobs, finisher, janitor
        self._books, self._publisher, self._mirror, self._settings = books, publisher, mirror, settings
        self._waited: dict[str, float] = {}
        self._ahead: dict[float, float] = {}
        self._seen: dict[str, tuple[str, int]] = {}
        self._untold: set[str] = set()

    def start(self) -> None:
        """Look again and again, from a thread."""
        threading.Thread(target=self._run, name="reconciler", daemon=True).start()

    def poll(self) -> None:
        """Compare the database with what is published, once.

        Raises
        ------
        DisnplbmError
            The database, the broker or the object storage is away; what was not looked at will be the next time.
        """
        self._announce_states()
        self._ahead = {published: seen for published, seen in self._ahead.items() if published > time.time()}
        for queue in (SWEEP.name, PREPARE.name):
            if self._publisher.count_waiting(queue) > 0:
                self._waited[queue] = time.time()
        self._jobs.poll(lambda published: self._overdue(PREPARE.name, published))
        for chain in self._books.chains.live():
            self._look_after_chain(chain)
        for run in self._books.runs.waiting_to_finish():
            self._finisher.begin(run)

    def _run(self) -> None:
        while True:
            try:
                self.poll()
            except DisnplbmError as error:
                _log.warning("the reconciler could not look at everything", reason=str(error))
            except Exception:
                # It must go on: it is what brings the runs out of anything else.
                _log.exception("the reconciler failed")
            time.sleep(self._settings.reconcile_seconds)

    def _look_after_chain(self, seen: ChainRecord) -> None:
        run, stream, iteration = seen.run, seen.stream, seen.iteration
        with self._coordinator.lock:
            if self._coordinator.finish_iteration(IterationId.of(seen)) or not self._is_due(seen):
                return
            # Again, now that nobody else is at it: when it was seen, its publication may have been under way.
            chain = self._books.chains.find(run, stream)
            if chain is None or chain.iteration != iteration or not self._is_due(chain):
                return
            if chain.published_at is not None:
                LATE_ITERATIONS.inc()
                _log.warning("an iteration is late: asking again for what is missing", run=run, iteration=iteration)
                # A mirror that missed a step back would have the workers drop what is asked for.
                self._mirror.write(run, chain.run_state, chain.epoch, {stream: iteration})
            self._coordinator.publish(chain)

    def _is_due(self, chain: ChainRecord) -> bool:
        """Whether an iteration is to be published: for the first time, or again since it is late."""
        published = chain.published_at
        return published is None or self._overdue(SWEEP.name, published.timestamp())

    def _overdue(self, queue: str, published: float) -> bool:
        """Whether a task published then, or last seen waiting, should be over. Waiting costs nothing."""
        now = time.time()
        if published > now:
            # By a clock that is ahead of this one: taken for published when it was first seen.
            published = self._ahead.setdefault(published, now)
        since = max(published, self._waited.get(queue, 0.0))
        return now - since > self._settings.task_seconds + self._settings.grace_seconds

    def _announce_states(self) -> None:
        """Tell the workers which runs changed, and drop what is kept of runs that are over."""
        found = {run.id: (run.state, run.epoch) for run in self._books.runs.of_interest(list(self._seen))}
        for run, (state, epoch) in found.items():
            if self._seen.get(run) == (state, epoch):
                continue
            self._seen[run] = (state, epoch)
            self._untold.add(run)
            self._coordinator.reload(run)
            if state in TERMINAL | {State.FAILED}:
                self._coordinator.evict(run)
            if state in TERMINAL:
                RUNS_FINISHED.labels(state).inc()
                self._janitor.clear(run)
        self._untold &= found.keys()
        self._tell()
        self._seen = {
            run: seen
            for run, seen in self._seen.items()
            if run in found and (run in self._untold or seen[0] not in TERMINAL)
        }

    def _tell(self) -> None:
        """Tell the workers, if Redis is there, of what they have not been told."""
        for run in sorted(self._untold):
            state, epoch = self._seen[run]
            iterations = {chain.stream: chain.iteration for chain in self._books.chains.of_run(run)}
            if not self._mirror.write(run, state, epoch, iterations):
                return
            self._untold.discard(run)
