"""What comes before a run's first iteration: its data are read and sharded by workers, each at most once."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from disnplbm.errors import InputError, described
from disnplbm.messaging.app import Refused
from disnplbm.messaging.messages import Ingested, IngestTask, JobFailed, Prepared, PrepareTask
from disnplbm.notes import from_lines
from disnplbm.runs.books import Books
from disnplbm.runs.records import DatasetRecord, JobRecord, RunRecord
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.publication import BrokerAway, Publisher

_log = structlog.get_logger(__name__)


class Jobs:
    """Has datasets read and sharded.

    Parameters
    ----------
    attempts : int
        Starts that may end in an error.
    """

    def __init__(self, books: Books, coordinator: Coordinator, publisher: Publisher, attempts: int) -> None:
        self._books, self._coordinator, self._publisher, self._attempts = books, coordinator, publisher, attempts

    def poll(self, overdue: Callable[[float], bool]) -> None:
        """Publish the jobs that pending runs wait for.

        Parameters
        ----------
        overdue : callable
            Whether a task that was published at a time, in seconds since 1970, and is not waiting, should be over.
        """
        with self._coordinator.lock:
            for run in self._books.runs.pending():
                dataset = self._books.datasets.fetch(run.dataset_id)
                if dataset.state == "FAILED":
                    self._books.runs.fail(run.id, str(dataset.error))
                elif dataset.state == "UPLOADED":
                    job = self._books.jobs.fetch("ingest", dataset.id)
                    if _is_due(job, overdue):
                        self._publish(job, _ingestion(dataset, job.attempts))
                else:
                    job = self._books.jobs.fetch("prepare", run.id)
                    if _is_due(job, overdue):
                        self._publish(job, _preparation(run, dataset, job.attempts))

    def on_ingested(self, message: Ingested) -> None:
        """Write down that a dataset was read, and publish what waits for it."""
        with self._coordinator.lock:
            self._books.datasets.mark_ready(
                message.dataset,
                n=message.n,
                p=message.p,
                dimension=message.dimension,
                sha256=message.sha256,
                missing=message.missing,
                prefix=message.prefix,
                seal=message.seal,
            )
            self.poll(_never)

    def on_prepared(self, message: Prepared) -> None:
        """Write down that a run's data were sharded, and begin its chains."""
        with self._coordinator.lock:
            try:
                started = self._books.runs.start(message.run, message.shards_prefix, message.n_shards, message.seal)
            except InputError as error:
                self._books.runs.fail(message.run, described(error))
                return
            if started:
                for chain in self._books.chains.of_run(message.run):
                    self._coordinator.publish(chain)

    def on_failed(self, message: JobFailed) -> None:
        """Try a job that failed again, or fail what waits for it."""
        with self._coordinator.lock:
            reason = from_lines(message.reason)
            _log.warning("a job failed", job=message.job, subject=message.subject, reason=reason)
            total = self._books.jobs.retry(message.job, message.subject, message.attempt, message.starts, reason)
            if total == 0:
                # It was told twice, or published twice and done: what waited for it goes on.
                return
            if not message.final and total < self._attempts:
                self.poll(_never)
                return
            self._fail(message.job, message.subject, reason)
            self.poll(_never)

    def _fail(self, kind: str, subject: str, reason: str) -> None:
        """A job failed for good, and with it what waits for it."""
        if kind == "ingest":
            # Its job ends with it.
            self._books.datasets.fail(subject, reason)
        else:
            # The job last: of one that is over nothing is done any more, should this be broken off and come again.
            self._books.runs.fail(subject, reason)
            self._books.jobs.fail(kind, subject, reason)

    def _publish(self, job: JobRecord, task: IngestTask | PrepareTask) -> None:
        try:
            self._publisher.publish_job(task)
        except Refused as error:
            self._fail(job.kind, job.subject, error.note)
        except BrokerAway as error:
            _log.warning("not published", job=job.kind, subject=job.subject, reason=str(error))
        else:
            self._books.jobs.mark_published(job.kind, job.subject)


def _is_due(job: JobRecord, overdue: Callable[[float], bool]) -> bool:
    """Whether a job waits to be published, or was published so long ago that it is lost."""
    if job.state == "PUBLISHED":
        return job.published_at is not None and overdue(job.published_at.timestamp())
    return job.state == "WAITING"


def _ingestion(dataset: DatasetRecord, attempt: int) -> IngestTask:
    return IngestTask(
        dataset=dataset.id,
        upload_key=dataset.upload_key,
        upload_bytes=dataset.upload_bytes,
        upload_sha256=dataset.upload_sha256,
        reading=dataset.reading,
        prefix=dataset.prefix,
        attempt=attempt,
    )


def _preparation(run: RunRecord, dataset: DatasetRecord, attempt: int) -> PrepareTask:
    return PrepareTask(
        run=run.id,
        prefix=dataset.prefix,
        n_shards=run.n_shards_wanted,
        axis=run.axis_wanted,
        transform=run.transform,
        attempt=attempt,
        seal=dataset.seal,
        cells=run.cells,
        exposure=run.exposure,
        request_seal=run.request_seal,
    )


def _never(_published: float) -> bool:
    return False
