"""What the master keeps at hand of the runs under way: a cache, which database and object store can fill again."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from cachetools import LRUCache, cachedmethod

from disnplbm.engine.known import Known, load_run
from disnplbm.engine.recorded import shorts_of
from disnplbm.errors import RunError
from disnplbm.messaging.chain_states import load_labelled, load_state
from disnplbm.objects.addressed import inline_or_store
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import ChainRecord
from disnplbm.sampler.packing import pack_state
from disnplbm.sampler.starts import Start, crossed
from disnplbm.sampler.state import ChainState

#: Runs that are kept at hand.
_KEPT = 64


class NoStartYet(RunError):
    """A chain waits for short chains to end."""


def drop_run(kept: MutableMapping[tuple[str, int], Any], run: str) -> None:
    """Drop what is kept of the streams of a run."""
    for key in [key for key in kept if key[0] == run]:
        del kept[key]


class RunsAtHand:
    """Runs, without their data, and the states of their chains.

    Parameters
    ----------
    inline_bytes : int
        Larger states go to the object store.
    """

    def __init__(self, books: Books, store: ObjectStore, inline_bytes: int) -> None:
        self._books, self._store, self._inline_bytes = books, store, inline_bytes
        self._runs: LRUCache[str, Known] = LRUCache(_KEPT)
        self._states: dict[tuple[str, int], tuple[int, ChainState]] = {}

    @cachedmethod(lambda self: self._runs, key=lambda _, chain: chain.run)
    def run(self, chain: ChainRecord) -> Known:
        """The run that a chain belongs to.

        Raises
        ------
        InputError
            The run's classes or start labels do not fit its data.
        RunError
            The object store cannot be read, what it has is not what was written there, or the run was begun by another
            version of the algorithm.
        """
        return load_run(self._store, chain.sources, with_shards=False)

    def state(self, chain: ChainRecord) -> ChainState | None:
        """The state that a chain's iteration starts from; None before its start."""
        if chain.iteration == 0:
            return None
        known = self._states.get((chain.run, chain.stream))
        if known is None or known[0] != chain.iteration:
            state = load_state(self._store, chain, self.run(chain).problem.families)
            known = self._states[chain.run, chain.stream] = (chain.iteration, state)
        return known[1]

    def put_state(self, at: IterationId, state: ChainState) -> tuple[bytes | None, str | None]:
        """Keep the state that an iteration starts from; its bytes, or the key of the object that holds them."""
        self._states[at.run, at.stream] = (at.iteration, state)
        return self.inline_or_store("state", pack_state(state), at)

    def inline_or_store(
        self, name: str, packed: bytes, at: IterationId, inline_bytes: int | None = None
    ) -> tuple[bytes | None, str | None]:
        """What belongs to an iteration: small bytes as they are, large ones put under a key that has a name."""
        most = self._inline_bytes if inline_bytes is None else inline_bytes
        return inline_or_store(self._store, f"{at.prefix('states')}/{name}", packed, most)

    def find_start(self, chain: ChainRecord) -> Start | None:
        """Where a chain starts: as the run was asked for, or where short chains ended.

        None while these are under way.
        """
        here = self.run(chain)
        if chain.awaited == 0:
            return here.start()
        known = self._books.chains.last_joints(chain.run, chain.chain)
        joints = [known[number] for number in range(chain.awaited) if number in known]
        if len(joints) < chain.awaited:
            return None
        options = here.options
        origin = options.shorts.origin(chain.short, joints, options.seed, chain.chain)
        assert origin is not None
        shorts = shorts_of(chain, self._books.chains.of_run(chain.run))
        rows, columns = (self._reached(here, shorts[number]) for number in origin)
        return crossed(rows, columns)

    def _reached(self, here: Known, short: ChainRecord) -> Start:
        """The labels that a short chain ended with."""
        state = self.state(short)
        assert state is not None
        entries = self._books.ledger.entries(IterationId(short.run, short.stream, short.iterations))
        return here.problem.start_at(load_labelled(self._store, state, [entry.labels_key for entry in entries]))

    def start(self, chain: ChainRecord) -> Start:
        """Where a chain that is under way started; NoStartYet if a short chain went back since."""
        start = self.find_start(chain)
        if start is None:
            raise NoStartYet(f"chain {chain.stream} of run {chain.run} waits for its short chains")
        return start

    def drop(self, run: str) -> None:
        """Let go of a run."""
        self._runs.pop(run, None)
        drop_run(self._states, run)
