"""Transitions: the one function that brings a run from a state into another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from disnplbm.errors import InputError
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import Run
from disnplbm.runs.events import add_event
from disnplbm.runs.ids import no_such
from disnplbm.runs.states import TERMINAL, TRANSITIONS, State

#: States in which nothing more happens unless somebody asks for it.
_STANDING = TERMINAL | {State.FAILED}


class TransitionRefused(InputError):
    """The run is in a state that the wanted one cannot follow."""


def transition(
    session: Session,
    run_id: str,
    to: State,
    *,
    actor: str,
    reason: str = "",
    values: Mapping[str, Any] | None = None,
    frm: State | None = None,
) -> None:
    """Bring a run into a state and write down who did so and why, in the session's transaction.

    Parameters
    ----------
    session : Session
        That writes.
    actor, reason : str
        For the event.
    values : mapping, optional
        Other columns of the run to set with it.
    frm : State, optional
        The one state to go from; else all that the table allows.

    Raises
    ------
    TransitionRefused
        The run is in another state; nothing was changed.
    Unknown
        There is no such run.
    """
    # Locked: of two at once the second is judged by what the first made of the run; the guard below holds even
    # where a database does not lock.
    found = session.scalar(select(Run.state).where(Run.id == run_id).with_for_update())
    if found is None:
        raise no_such("run", run_id)
    state = State(found)
    if to not in TRANSITIONS[state] or frm not in (None, state):
        raise TransitionRefused(f"run {run_id} is {state} and cannot become {to}")
    now = datetime.now(UTC)
    changes = {"state": to.value, "finished_at": now if to in _STANDING else None, **(values or {})}
    if execute_counted(session, update(Run).where(Run.id == run_id, Run.state == state.value).values(changes)) != 1:
        raise TransitionRefused(f"run {run_id} is no longer {state}; look at its status and try again")
    add_event(session, "state", actor=actor, run_id=run_id, states=(state.value, to.value), reason=reason)


def try_transition(
    session: Session,
    run_id: str,
    to: State,
    actor: str,
    reason: str,
    values: Mapping[str, Any],
    frm: State | None = None,
) -> bool:
    """Make a transition if the run is in a state that allows it; False if it is not."""
    try:
        transition(session, run_id, to, actor=actor, reason=reason, values=values, frm=frm)
    except TransitionRefused:
        return False
    return True
