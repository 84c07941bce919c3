"""What becomes of files that were uploaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Dataset, Run
from disnplbm.runs.events import add_event
from disnplbm.runs.jobs import add_job, change_job
from disnplbm.runs.lookup import find_dataset
from disnplbm.runs.part import Part, now
from disnplbm.runs.records import DatasetRecord
from disnplbm.runs.rows import dataset_record
from disnplbm.runs.states import State
from disnplbm.runs.transitions import try_transition


def add_uploaded(
    session: Session,
    dataset_id: str,
    *,
    name: str,
    path: str,
    key: str,
    size: int,
    sha256: str,
    reading: dict[str, Any],
    actor: str,
) -> DatasetRecord:
    """Add a dataset that is to be read from its upload, and the job of reading it, in the session's transaction.

    Parameters
    ----------
    session : Session
        That writes.
    key : str
        Of the object.
    size : int
        In bytes.
    reading : dict
        How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    actor : str
        For the event.
    """
    row = Dataset(
        id=dataset_id,
        name=name,
        path=path,
        state="UPLOADED",
        upload_key=key,
        upload_bytes=size,
        upload_sha256=sha256,
        reading=reading,
        prefix=f"datasets/{dataset_id}",
        created_at=now(),
    )
    session.add(row)
    add_job(session, "ingest", dataset_id)
    add_event(session, "uploaded", actor=actor, dataset_id=dataset_id, states=(None, "UPLOADED"))
    return dataset_record(row)


class DatasetStore(Part):
    """Datasets that are read."""

    def fetch(self, dataset_id: str) -> DatasetRecord:
        """One dataset; InputError if there is none."""
        with self._database.reading() as session:
            return dataset_record(find_dataset(session, dataset_id))

    def mark_ready(
        self,
        dataset_id: str,
        n: int,
        p: int,
        dimension: int,
        sha256: str,
        missing: int,
        prefix: str,
        seal: str | None = None,
        actor: str = "master",
    ) -> bool:
        """An uploaded dataset was read; False if it was already, or failed.

        Parameters
        ----------
        n, p, dimension, sha256, missing
            As in :class:`disnplbm.runs.records.DatasetRecord`.
        prefix : str
            Where it is.
        seal : str, optional
            Of its ``dataset.json``.
        """
        values = {
            "n": n,
            "p": p,
            "dimension": dimension,
            "sha256": sha256,
            "missing": missing,
            "prefix": prefix,
            "seal": seal,
            "error": None,
        }
        with self._database.session() as session:
            if not _try_transition(session, dataset_id, "READY", actor, "", values):
                return False
            change_job(session, "ingest", dataset_id, state="DONE", error=None)
            return True

    def fail(self, dataset_id: str, error: str, actor: str = "master") -> bool:
        """An uploaded dataset could not be read: its pending runs fail with it; False if it was read, or failed before.

        Parameters
        ----------
        error : str
            One line that a person can act on.
        """
        with self._database.session() as session:
            if not _try_transition(session, dataset_id, "FAILED", actor, error, {"error": error}):
                return False
            change_job(session, "ingest", dataset_id, state="FAILED", error=error)
            pending = select(Run.id).where(Run.dataset_id == dataset_id, Run.state == State.PENDING.value)
            for run_id in session.scalars(pending).all():
                try_transition(session, run_id, State.FAILED, actor, error, {"error": error})
            return True


def _try_transition(
    session: Session, dataset_id: str, to: str, actor: str, reason: str, values: Mapping[str, Any]
) -> bool:
    """Bring an uploaded dataset into another state; False if it is not in that one."""
    uploaded = (Dataset.id == dataset_id, Dataset.state == "UPLOADED")
    if execute_counted(session, update(Dataset).where(*uploaded).values(state=to, **values)) != 1:
        return False
    add_event(session, "state", actor=actor, dataset_id=dataset_id, states=("UPLOADED", to), reason=reason)
    return True
