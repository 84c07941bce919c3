"""The event log."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from disnplbm.runs.database.models import Event


def add_event(
    session: Session,
    kind: str,
    *,
    actor: str,
    run_id: str | None = None,
    dataset_id: str | None = None,
    states: tuple[str | None, str | None] = (None, None),
    reason: str = "",
    data: dict[str, Any] | None = None,
) -> None:
    """Write down what happened to a run or a dataset, in the session's transaction.

    Parameters
    ----------
    actor : str
        Who did it.
    states : pair of str, optional
        From which to which.
    """
    from_state, to_state = states
    session.add(
        Event(
            at=datetime.now(UTC),
            run_id=run_id,
            dataset_id=dataset_id,
            actor=actor,
            kind=kind,
            from_state=from_state,
            to_state=to_state,
            reason=reason,
            data=data or {},
        )
    )
