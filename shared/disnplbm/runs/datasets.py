"""What is written down of a file that was uploaded."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from disnplbm.runs.database.models import Dataset
from disnplbm.runs.events import add_event
from disnplbm.runs.jobs import add_job
from disnplbm.runs.part import now
from disnplbm.runs.records import DatasetRecord
from disnplbm.runs.rows import dataset_record


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
    dataset_id, name, path : str
    key : str
        Of the object.
    size : int
        In bytes.
    sha256 : str
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
