"""States of a run, and what may follow what."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class State(StrEnum):
    """How a run stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    SUCCEEDED = "SUCCEEDED"


#: What may follow. A run that failed before it started is PENDING again when it is resumed.
TRANSITIONS: Mapping[State, frozenset[State]] = {
    State.PENDING: frozenset({State.RUNNING, State.CANCELLED, State.FAILED}),
    State.RUNNING: frozenset({State.PAUSED, State.FAILED, State.CANCELLED, State.SUCCEEDED}),
    State.PAUSED: frozenset({State.RUNNING, State.CANCELLED}),
    State.FAILED: frozenset({State.RUNNING, State.PENDING, State.CANCELLED}),
    State.CANCELLED: frozenset(),
    State.SUCCEEDED: frozenset(),
}

#: States that nothing follows.
TERMINAL = frozenset(state for state, following in TRANSITIONS.items() if not following)

#: Of runs that are not over, nor have failed.
LIVE = (State.PENDING.value, State.RUNNING.value, State.PAUSED.value)
