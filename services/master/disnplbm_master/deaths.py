"""Masters that die in their own part of an iteration, as one that runs out of memory does: counted, so that it ends.

What a master is about to do is written down as a failed start, and taken back once it is over. Whoever dies in between
leaves it. This costs two statements, so it is done for each part of a chain when a process first comes to it: a run
that kills every master kills the next one there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from disnplbm.errors import RunError
from disnplbm.runs.failures import FailureStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import ChainRecord

#: What failed starts of the master's part are counted under, in place of a shard.
MASTERS = -1

#: What a master does of an iteration.
Work = Literal["join", "step", "publication"]

#: Why a start of a master failed that did not live to say so.
_DIED = "its process died: is it out of memory? give it more memory, then resume the run"


class Deadly(RunError):
    """So many masters failed at an iteration, of which one or more died, that no other one tries."""

    def __init__(self, times: int) -> None:
        super().__init__(_DIED)
        self.times = times


class Deaths:
    """Counts them.

    Parameters
    ----------
    attempts : int
        Starts of the master's part of an iteration that may fail.
    """

    def __init__(self, failures: FailureStore, attempts: int) -> None:
        self._failures, self._attempts = failures, attempts
        self._done: set[tuple[str, int, Work]] = set()
        # Written down and not yet taken back; it stays so while the database is away.
        self._begun: set[IterationId] = set()

    @contextmanager
    def count_deaths(self, chain: ChainRecord, work: Work) -> Iterator[None]:
        """Count the death of a master that works on a chain as a failed start; an exception is not counted.

        Raises
        ------
        Deadly
            Too many have failed: the work must not begin.
        """
        if (chain.run, chain.stream, work) in self._done:
            yield
            return
        self._begin(chain)
        try:
            yield
        except Exception:
            self._end(chain)
            raise
        self._end(chain)
        self._done.add((chain.run, chain.stream, work))

    def make_up(self, chain: ChainRecord) -> None:
        """Forget what failed at a chain's iteration, whose step is committed."""
        if IterationId.of(chain) in self._begun:
            self._failures.clear(IterationId.of(chain), MASTERS)
            self._begun.discard(IterationId.of(chain))

    def drop(self, run: str) -> None:
        """Let go of what is kept of a run."""
        self._done = {done for done in self._done if done[0] != run}
        self._begun = {begun for begun in self._begun if begun[0] != run}

    def _begin(self, chain: ChainRecord) -> None:
        if IterationId.of(chain) in self._begun:
            return
        total = self._failures.add(IterationId.of(chain), MASTERS, 1, _DIED)
        self._begun.add(IterationId.of(chain))
        if total > self._attempts:
            self._end(chain)
            raise Deadly(total - 1)

    def _end(self, chain: ChainRecord) -> None:
        if IterationId.of(chain) in self._begun:
            self._failures.withdraw(IterationId.of(chain), MASTERS)
            self._begun.discard(IterationId.of(chain))
