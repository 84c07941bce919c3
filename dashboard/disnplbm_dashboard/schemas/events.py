"""From records of events to answers."""

from __future__ import annotations

from collections.abc import Sequence

from disnplbm.runs.records import EventRecord
from disnplbm_dashboard.schemas.common import Event, Events


def event_answer(record: EventRecord) -> Event:
    """The answer for a record."""
    return Event(
        id=record.id,
        at=record.at,
        run=record.run_id,
        dataset=record.dataset_id,
        actor=record.actor,
        kind=record.kind,
        from_state=record.from_state,
        to_state=record.to_state,
        reason=record.reason,
        data=record.data,
    )


def events_answer(records: Sequence[EventRecord], after: int) -> Events:
    """The answer for the records after a number."""
    items = [event_answer(record) for record in records]
    return Events(items=items, last=items[-1].id if items else after)
