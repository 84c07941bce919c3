"""What reaches the master, by kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from disnplbm.messaging.messages import (
    ColumnStep,
    Ingested,
    JobFailed,
    Prepared,
    Result,
    SweepFailed,
    SweepTask,
    Swept,
    job_failed,
    sweep_failed,
    task_of,
)
from disnplbm.messaging.queues import COLUMN_STEP_TASK, DELIVERIES
from disnplbm.runs.iteration_id import IterationId
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.jobs import Jobs
from disnplbm_master.metrics import DEAD_LETTERS

#: What a worker is lost to most often, for a reason a person can act on.
_LOST = (
    f"no worker came to an end of it in {DELIVERIES} deliveries: is the worker out of memory, or does the broker refuse"
    " its messages? The worker's log says more"
)


class Inbox:
    """Takes messages in.

    Parameters
    ----------
    attempts : int
        Starts that may end in an error.
    lost : callable
        How many starts of a subject's task no worker came to the end of; see :meth:`Mirror.count_lost`.
    """

    def __init__(self, coordinator: Coordinator, jobs: Jobs, attempts: int, lost: Callable[[str, str], int]) -> None:
        self._coordinator, self._jobs, self._attempts, self._lost = coordinator, jobs, attempts, lost

    def on_column_step(self, message: ColumnStep) -> None:
        """Tell the coordinator that the chord of an iteration is done."""
        self._coordinator.on_called_back(IterationId.of(message))

    def on_results(self, messages: Sequence[Result], acknowledge: Callable[[], None]) -> None:
        """Pass on what workers report: one message of whatever kind, or statistics of any number of shards.

        Parameters
        ----------
        acknowledge : callable
            Tells the broker that all of them are safe.
        """
        swept = [message for message in messages if isinstance(message, Swept)]
        if swept:
            self._coordinator.on_swept(swept, acknowledge)
        for message in messages:
            if isinstance(message, SweepFailed):
                self._coordinator.on_failed(message)
            elif isinstance(message, Ingested):
                self._jobs.on_ingested(message)
            elif isinstance(message, Prepared):
                self._jobs.on_prepared(message)
            elif isinstance(message, JobFailed):
                self._jobs.on_failed(message)
        acknowledge()

    def on_dead(self, task: str, arguments: Sequence[Any]) -> None:
        """The broker set a task aside, of which it lost the worker too often; RunError if it cannot be read.

        It says so to everybody who may write to it: what counts are starts that workers noted themselves. Without
        them the task is asked for again.
        """
        DEAD_LETTERS.labels(task).inc()
        if task == COLUMN_STEP_TASK:
            return
        lost = task_of(task, arguments[0] if arguments else None)
        # All starts that may fail, or none.
        starts = self._attempts if self._lost(lost.subject, lost.name) >= DELIVERIES // 2 else 0
        if isinstance(lost, SweepTask):
            self._coordinator.on_failed(sweep_failed(lost, starts, _LOST))
        else:
            self._jobs.on_failed(job_failed(lost, starts, _LOST))
