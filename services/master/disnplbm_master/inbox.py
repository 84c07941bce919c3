"""What reaches the master, by kind."""

from __future__ import annotations

from collections.abc import Callable

from disnplbm.errors import RunError
from disnplbm.messaging.codec import unpack
from disnplbm.messaging.messages import (
    Ingested,
    IngestTask,
    JobFailed,
    Prepared,
    PrepareTask,
    SweepFailed,
    SweepTask,
    Swept,
    result_of,
)
from disnplbm.messaging.queues import DELIVERIES, INGEST_TASK, PREPARE_TASK, SWEEP_TASK
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.jobs import Jobs
from disnplbm_master.metrics import DEAD_LETTERS

#: What a worker is lost to most often, for a reason a person can act on.
_LOST = f"its worker, or the worker's connection, was lost {DELIVERIES} times: is the worker out of memory?"


class Inbox:
    """Takes messages in.

    Parameters
    ----------
    coordinator : Coordinator
    jobs : Jobs
    attempts : int
        Starts that may end in an error.
    """

    def __init__(self, coordinator: Coordinator, jobs: Jobs, attempts: int) -> None:
        self._coordinator, self._jobs, self._attempts = coordinator, jobs, attempts

    def column_step(self, run: str, stream: int, iteration: int) -> None:
        """A chord's callback fired."""
        self._coordinator.called_back(run, stream, iteration)

    def result(self, body: bytes, acknowledge: Callable[[], None]) -> None:
        """A worker reports; RunError if what it says cannot be understood."""
        message = result_of(body)
        if isinstance(message, Swept):
            self._coordinator.swept(message, acknowledge)
        elif isinstance(message, SweepFailed):
            self._coordinator.failed(message)
        elif isinstance(message, Ingested):
            self._jobs.ingested(message)
        elif isinstance(message, Prepared):
            self._jobs.prepared(message)
        elif isinstance(message, JobFailed):
            self._jobs.failed(message)

    def dead(self, body: bytes, task: str) -> None:
        """The broker set a task aside, of which it lost the worker too often."""
        # Whoever can reach the broker can put anything there: no names but ours.
        DEAD_LETTERS.labels(task if task in (SWEEP_TASK, INGEST_TASK, PREPARE_TASK) else "other").inc()
        arguments = unpack(body)
        try:
            record = arguments[0][0]
        except (IndexError, KeyError, TypeError) as error:
            raise RunError("a task that the broker set aside cannot be read") from error
        if task == SWEEP_TASK:
            sweep = SweepTask.from_dict(record)
            place = (sweep.run, sweep.stream, sweep.iteration, sweep.shard, sweep.epoch)
            self._coordinator.failed(SweepFailed(*place, self._attempts, _LOST, labels_missing=False, worker=""))
        elif task == INGEST_TASK:
            dataset = IngestTask.from_dict(record).dataset
            self._jobs.failed(JobFailed("ingest", dataset, self._attempts, _LOST, final=False))
        elif task == PREPARE_TASK:
            run = PrepareTask.from_dict(record).run
            self._jobs.failed(JobFailed("prepare", run, self._attempts, _LOST, final=False))
