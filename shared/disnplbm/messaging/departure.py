"""How a master or worker leaves: what it says when it is told to, and what it does before."""

from __future__ import annotations

from typing import Protocol

import structlog

_log = structlog.get_logger(__name__)


class Work(Protocol):
    """What a member may have in hand; it is asked from a thread of its own."""

    def finish(self, code: int) -> str | None:
        """Take no further task; what is finished first, for people, before the member ends with that exit code.

        None if there is nothing in hand, or if it waits for a server.
        """
        ...


class Departure:
    """Answers the signals of this process; see :meth:`disnplbm.cli.interruption.Interruption.attend`.

    The first one has the member finish the task in hand, or leave where it has none. The second one has it leave at
    once: the broker delivers the task to another member.

    Parameters
    ----------
    member : str
        What to call it: "master" or "worker".
    """

    def __init__(self, member: str) -> None:
        self._member = member
        self._work: Work | None = None

    def attend(self, work: Work) -> None:
        """From now on there may be work in hand."""
        self._work = work

    def on_signal(self, code: int) -> bool:
        """Say what happens at the first signal, and whether a task is finished first."""
        what = None if self._work is None else self._work.finish(code)
        if what is None:
            _log.warning(f"the {self._member} leaves")
            return False
        _log.warning(
            f"the {self._member} finishes {what} and leaves; a second Ctrl-C or SIGTERM leaves at once, and another"
            f" {self._member} takes it up"
        )
        return True
