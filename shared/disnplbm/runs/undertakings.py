"""Runs that a process works on: one at which processes die again and again fails, so that others get their turn."""

from __future__ import annotations

from disnplbm.runs.lifecycle import Lifecycle


class Undertakings:
    """The runs that this process took up and has not put down.

    A run stays among them while the database is away: the process has not died.

    Parameters
    ----------
    attempts : int
        Processes that may die at the same place of a run before it fails.
    actor : str
        Who lets it fail.
    """

    def __init__(self, runs: Lifecycle, attempts: int, actor: str) -> None:
        self._runs, self._attempts, self._actor = runs, attempts, actor
        self._at_hand: set[str] = set()

    def take_up(self, run: str) -> bool:
        """Write down that this process begins to work on a run; False if so many have died at it that it fails."""
        if run in self._at_hand:
            return True
        died = self._runs.take_up(run)
        if died >= self._attempts:
            self._runs.fail(run, _died_of(died), self._actor)
            return False
        self._at_hand.add(run)
        return True

    def put_down(self, run: str) -> None:
        """Write down that the work on a run ended in good order."""
        self._runs.put_down(run)
        self._at_hand.discard(run)


def _died_of(times: int) -> str:
    """Why a run fails at which so many processes died in a row."""
    return (
        f"the process that worked on this run died {times} times at the same place: is it out of memory? give it more"
        " memory, then resume the run"
    )
