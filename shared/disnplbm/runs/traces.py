"""Traces, as they are recorded."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from disnplbm.runs.database.models import Iteration
from disnplbm.runs.records import IterationRecord
from disnplbm.runs.rows import iteration_record


def read_trace(session: Session, run: str, stream: int | None = None) -> list[IterationRecord]:
    """The trace of a run by stream and iteration, or that of one stream."""
    query = select(Iteration).where(Iteration.run_id == run).order_by(Iteration.stream, Iteration.iteration)
    if stream is not None:
        query = query.where(Iteration.stream == stream)
    return [iteration_record(row) for row in session.scalars(query)]
