"""Reading an upload into a dataset, and sharding a dataset: done once, whoever is told to, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import structlog

from disnplbm.engine.preparation import read_once, shard_once
from disnplbm.errors import InputError, described, unexpected
from disnplbm.messaging.messages import Ingested, IngestTask, JobTask, Prepared, PrepareTask, Result, job_failed
from disnplbm.storage.objects import ObjectStore
from disnplbm_worker import metrics
from disnplbm_worker.waiting import Waiting

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Preparer:
    """Reads and shards data.

    Parameters
    ----------
    store : ObjectStore
    publish : callable
        Sends a message to the master, and returns once it cannot be lost.
    waiting : Waiting
    """

    store: ObjectStore
    publish: Callable[[Result], None]
    waiting: Waiting

    def ingest(self, task: IngestTask) -> None:
        """Read an upload and tell the master, whatever comes of it."""
        self._tell(task, lambda: self._ingested(task))

    def prepare(self, task: PrepareTask) -> None:
        """Shard a dataset and tell the master, whatever comes of it."""
        self._tell(task, lambda: self._prepared(task))

    def _tell(self, task: JobTask, work: Callable[[], Result]) -> None:
        try:
            message = self.waiting.persistently(work)
        except Exception as error:
            metrics.FAILURES.labels(task.job).inc()
            reason = described(error)
            _log.error(f"{task.job} failed", reason=reason, exc_info=unexpected(error))
            message = job_failed(task, 1, reason, final=isinstance(error, InputError))
        self.publish(message)

    def _ingested(self, task: IngestTask) -> Ingested:
        dataset = read_once(
            self.store,
            task.prefix,
            task.upload_key,
            task.reading,
            size=task.upload_bytes,
            sha256=task.upload_sha256,
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

    def _prepared(self, task: PrepareTask) -> Prepared:
        manifest = shard_once(
            self.store,
            task.prefix,
            seal=task.seal,
            n_shards=task.n_shards,
            axis=task.axis,
            transform=task.transform,
        )
        return Prepared(task.run, manifest.prefix, manifest.n_shards, manifest.seal)
