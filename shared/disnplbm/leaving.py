"""What remains to be done when the process ends at once, without unwinding its stack.

Python cannot break off a kernel that computes, or one that is being compiled. When a signal comes in such a moment, the
process ends where it is. Before, it runs the actions that are registered here, the newest first: they remove files that
are half written and keep what was computed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from disnplbm.errors import Interrupted

Action = Callable[[], str | None]
"""Does what must not wait, and says how things stand where it knows."""

_actions: list[Action] = []


@contextmanager
def on_leaving(action: Action) -> Iterator[None]:
    """Register an action for as long as the block runs; the block itself undoes the same when it is unwound.

    Parameters
    ----------
    action : callable
        May be called from another thread, while the block still runs.
    """
    _actions.append(action)
    try:
        yield
    finally:
        _actions.remove(action)


@contextmanager
def when_interrupted(action: Callable[[], str]) -> Iterator[None]:
    """Call an action when the block is interrupted, unwound or left at once; what it returns is told the user.

    Raises
    ------
    Interrupted
        With what the action returned, in the place of KeyboardInterrupt.
    """
    with on_leaving(action):
        try:
            yield
        except KeyboardInterrupt:
            raise Interrupted(action()) from None


def leave() -> str | None:
    """Run all actions; what the newest that knows says of how things stand."""
    said: str | None = None
    for action in reversed(tuple(_actions)):
        # The process ends: an action that fails must not keep the next one from its work.
        with contextlib.suppress(Exception):
            line = action()
            said = said or line
    return said
