"""What reaches the master, by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from disnplbm.messaging.messages import (
    ColumnStep,
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
    lost : callable
        How many starts of a subject's task no worker came to the end of; see :meth:`Mirror.lost`.
    """

    def __init__(self, coordinator: Coordinator, jobs: Jobs, attempts: int, lost: Callable[[str, str], int]) -> None:
        self._coordinator, self._jobs, self._attempts, self._lost = coordinator, jobs, attempts, lost

    def column_step(self, message: ColumnStep) -> None:
        """A chord's callback fired."""
        self._coordinator.called_back(message.run, message.stream, message.iteration)

    def result(self, body: bytes | memoryview, acknowledge: Callable[[], None]) -> None:
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

    def dead(self, task: str, arguments: Sequence[Any]) -> None:
        """The broker set a task aside, of which it lost the worker too often; RunError if it cannot be read.

        It says so to everybody who may write to it: what counts are starts that workers noted themselves. Without
        them the task is asked for again.
        """
        DEAD_LETTERS.labels(task).inc()
        record = arguments[0] if arguments else None
        if task == SWEEP_TASK:
            sweep = SweepTask.from_dict(record)
            place = (sweep.run, sweep.stream, sweep.iteration, sweep.shard, sweep.epoch, sweep.attempt)
            failed = SweepFailed(*place, self._starts(sweep), _LOST, labels_missing=False, worker="")
            self._coordinator.failed(failed)
        elif task == INGEST_TASK:
            ingest = IngestTask.from_dict(record)
            starts = self._starts(ingest)
            self._jobs.failed(JobFailed("ingest", ingest.dataset, ingest.attempt, starts, _LOST, final=False))
        elif task == PREPARE_TASK:
            prepare = PrepareTask.from_dict(record)
            starts = self._starts(prepare)
            self._jobs.failed(JobFailed("prepare", prepare.run, prepare.attempt, starts, _LOST, final=False))

    def _starts(self, task: SweepTask | IngestTask | PrepareTask) -> int:
        """Starts that a task's being set aside counts for: all that may fail, or none."""
        return self._attempts if self._lost(task.subject, task.name) >= DELIVERIES // 2 else 0
