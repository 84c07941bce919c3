"""Limits on what is inserted, held by the transaction that inserts."""

from __future__ import annotations

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.storage.database.models import Dataset, Event, PartialUpload, Run
from disnplbm.storage.states import LIVE


class LimitReached(InputError):
    """There is as much as there may be; nothing was made."""


def check_live_runs(session: Session, actor: str, most: int) -> None:
    """Raise LimitReached if an actor has so many runs that are not over, before one more is added."""
    _one_at_a_time(session, f"runs of {actor}")
    submitted = select(Event.id).where(Event.run_id == Run.id, Event.kind == "submitted", Event.actor == actor).exists()
    query = select(func.count()).select_from(Run).where(Run.state.in_(LIVE), submitted)
    if session.scalars(query).one() >= most:
        raise LimitReached(f"{actor} has {most} runs that are not over: wait for one, or cancel one")


def check_uploaded_bytes(session: Session, more: int, most: int) -> None:
    """Raise LimitReached if so many more bytes of uploads would be more than there may be, before they are added."""
    _one_at_a_time(session, "uploads")
    if uploaded_bytes(session) + more > most:
        raise LimitReached("there is no room for this file: delete datasets that are not needed any more")


def uploaded_bytes(session: Session) -> int:
    """Bytes of all files that were uploaded, or are being."""
    parts = (select(func.sum(column)) for column in (Dataset.upload_bytes, PartialUpload.bytes))
    return sum(int(session.scalars(part).one() or 0) for part in parts)


def _one_at_a_time(session: Session, name: str) -> None:
    """Let all other transactions that count the same wait until this one is over; on SQLite all that write do."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": f"disnplbm {name}"})
