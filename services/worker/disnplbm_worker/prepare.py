"""Reading an upload into a dataset, and sharding a dataset: done once, whoever is told to, and how often."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog

from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import Progress
from disnplbm.data.factors import GIVEN
from disnplbm.data.sharding import PAYING
from disnplbm.engine.known import load_request
from disnplbm.engine.preparation import read_once, shard_once
from disnplbm.errors import InputError, RunError, described, unexpected
from disnplbm.messaging.messages import Ingested, IngestTask, JobTask, Prepared, PrepareTask, Result, job_failed
from disnplbm.messaging.patience import retry_while_away
from disnplbm.objects.store import ObjectStore
from disnplbm_worker import metrics

_log = structlog.get_logger(__name__)


class _GivenUp(Exception):
    """A server was away until the task's time was over."""


@dataclass(frozen=True, slots=True)
class Preparer:
    """Reads and shards data; several threads may use it.

    Parameters
    ----------
    publish : callable
        Sends a message to the master, and returns once it cannot be lost.
    seconds : float
        Longest time that a task may take.
    """

    store: ObjectStore
    publish: Callable[[Result], None]
    seconds: float

    def ingest(self, task: IngestTask) -> None:
        """Read an upload and tell the master, whatever comes of it."""
        self._tell(task, lambda progress: self._ingest(task, progress))

    def prepare(self, task: PrepareTask) -> None:
        """Shard a dataset and tell the master, whatever comes of it."""
        self._tell(task, lambda progress: self._prepare(task, progress))

    def _tell(self, task: JobTask, work: Callable[[Progress], Result]) -> None:
        deadline = time.monotonic() + self.seconds

        def check_time(*_: int) -> None:
            if time.monotonic() > deadline:
                raise RunError(f"it took longer than {self.seconds:g} s (DISNPLBM_TASK_SECONDS)")

        def may_wait(waiting: bool) -> None:
            if waiting and time.monotonic() > deadline:
                raise _GivenUp

        try:
            message = retry_while_away(lambda: work(check_time), may_wait)
        except _GivenUp:
            # The server failed, not the task: the master asks for it again.
            _log.warning("a server was away when the task's time was over", task=task.job)
            return
        except Exception as error:
            metrics.FAILURES.labels(task.job).inc()
            reason = described(error)
            _log.error(f"{task.job} failed", reason=reason, exc_info=unexpected(error))
            message = job_failed(task, 1, reason, final=isinstance(error, InputError))
        self.publish(message)

    def _ingest(self, task: IngestTask, progress: Progress) -> Ingested:
        dataset = read_once(
            self.store,
            task.prefix,
            task.upload_key,
            task.reading,
            size=task.upload_bytes,
            sha256=task.upload_sha256,
            progress=progress,
        )
        return Ingested(
            task.dataset,
            task.prefix,
            dataset.n,
            dataset.p,
            dataset.dimension,
            dataset.sha256,
            dataset.missing,
            dataset.seal,
        )

    def _prepare(self, task: PrepareTask, progress: Progress) -> Prepared:
        manifest = shard_once(
            self.store,
            task.prefix,
            seal=task.seal,
            # Here each shard is a message, unlike in one process.
            n_shards=PAYING if task.n_shards == "auto" else task.n_shards,
            axis=task.axis,
            transform=task.transform,
            cells=task.cells,
            exposure=task.exposure,
            asked=load_request(self.store, task.run, task.request_seal).asked
            if task.exposure == GIVEN or task.cells == RESPONSES
            else None,
            progress=progress,
        )
        return Prepared(task.run, manifest.prefix, manifest.n_shards, manifest.seal)
