"""Jobs: reading a dataset, sharding it for a run."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.orm import Session

from disnplbm.errors import RunError
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Job
from disnplbm.runs.part import Part, now
from disnplbm.runs.records import JobRecord
from disnplbm.runs.rows import job_record


class JobStore(Part):
    """Jobs, made with their dataset or run."""

    def fetch(self, kind: str, subject: str) -> JobRecord:
        """One job; RunError if its dataset or run is not there."""
        with self._database.reading() as session:
            row = session.get(Job, (kind, subject))
            if row is None:
                raise RunError(f"there is no job {kind} of {subject}; it was deleted")
            return job_record(row)

    def mark_published(self, kind: str, subject: str) -> bool:
        """Write down that a job was published, now; False if it is over."""
        return self._change(kind, subject, state="PUBLISHED", published_at=now())

    def fail(self, kind: str, subject: str, error: str) -> bool:
        """A job failed for good; False if it was over already."""
        return self._change(kind, subject, state="FAILED", error=error)

    def retry(self, kind: str, subject: str, attempt: int, count: int, error: str) -> int:
        """Count starts of a job that ended in an error, once an attempt, and let it be published again.

        Returns
        -------
        int
            How many there were in all; 0 if the job is over.
        """
        with self._database.session() as session:
            row = session.get(Job, (kind, subject), with_for_update=True)
            if row is None or row.state not in _OPEN:
                return 0
            if row.attempts == attempt:
                row.attempts += count
                row.error, row.state, row.published_at = error, "WAITING", None
            return row.attempts

    def _change(self, kind: str, subject: str, **values: object) -> bool:
        with self._database.session() as session:
            return change_job(session, kind, subject, **values)


_OPEN = ("WAITING", "PUBLISHED")


def change_job(session: Session, kind: str, subject: str, **values: object) -> bool:
    """Change a job that is not over; False if it is."""
    open_job = (Job.kind == kind, Job.subject == subject, Job.state.in_(_OPEN))
    return execute_counted(session, update(Job).where(*open_job).values(values)) == 1


def add_job(session: Session, kind: str, subject: str) -> None:
    """Make a job that waits."""
    session.add(Job(kind=kind, subject=subject, state="WAITING", published_at=None, attempts=0, error=None))


def renew_jobs(session: Session, subject: str) -> None:
    """Let the jobs of a subject that are not done wait anew, with no attempt spent."""
    session.execute(
        update(Job)
        .where(Job.subject == subject, Job.state != "DONE")
        .values(state="WAITING", published_at=None, attempts=0, error=None)
    )
