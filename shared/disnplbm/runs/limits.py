"""Limits on runs and uploads. The transaction that adds one checks its limit: requests at once cannot pass it."""

from __future__ import annotations

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.runs.database.models import Dataset, Event, PartialUpload, Run
from disnplbm.runs.states import LIVE


class LimitReached(InputError):
    """A limit is reached, so nothing was added."""


def check_live_runs(session: Session, actor: str, most: int) -> None:
    """Raise LimitReached if an actor has no room for one more run: `most` of theirs are not over."""
    _serialise(session, f"runs of {actor}")
    submitted = select(Event.id).where(Event.run_id == Run.id, Event.kind == "submitted", Event.actor == actor).exists()
    query = select(func.count()).select_from(Run).where(Run.state.in_(LIVE), submitted)
    if session.scalars(query).one() >= most:
        raise LimitReached(f"{actor} has {most} runs that are not over: wait for one, or cancel one")


def check_uploaded_bytes(session: Session, more: int, most: int) -> None:
    """Raise LimitReached if so many more bytes would make the uploads larger than `most` together."""
    _serialise(session, "uploads")
    if uploaded_bytes(session) + more > most:
        raise LimitReached("there is no room for this file: delete datasets that are not needed any more")


def uploaded_bytes(session: Session) -> int:
    """Bytes of all files that were uploaded or are being uploaded."""
    parts = (select(func.sum(column)) for column in (Dataset.upload_bytes, PartialUpload.bytes))
    return sum(int(session.scalars(part).one() or 0) for part in parts)


def _serialise(session: Session, name: str) -> None:
    """Make other transactions that count the same wait for the end of this one. On SQLite all writers wait anyway."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"disnplbm {name}"})
