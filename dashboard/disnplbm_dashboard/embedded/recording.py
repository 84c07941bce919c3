"""The chains of a run of the embedded engine, each iteration recorded as a cluster's master would."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from disnplbm.engine.drive import Step, Stopped
from disnplbm.engine.local import RunState
from disnplbm.families.base import Family
from disnplbm.objects.addressed import ObjectLost
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draw_store import put_draw
from disnplbm.posterior.trace import Trace
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import Advance, ChainRecord, IterationRecord
from disnplbm.sampler.streams import Stream
from disnplbm_dashboard.embedded.chain_states import StateStore

#: Who did it, in the events.
ACTOR = "engine"

#: Who swept, in the timeline.
WORKER = "embedded"


class DatabaseRecorder:
    """Records a run in the database and the object store; see :class:`disnplbm.engine.drive.Recorder`.

    Parameters
    ----------
    families : sequence of Family
        Of the parts of the run's table.
    inline_bytes : int
        Larger states are objects.
    stopping : callable
        Is asked before each stream, and after every iteration, whether the server stops.
    """

    def __init__(
        self,
        books: Books,
        store: ObjectStore,
        run: str,
        families: Sequence[Family],
        inline_bytes: int,
        stopping: Callable[[], bool],
    ) -> None:
        self._books, self._store, self._run, self._families = books, store, run, families
        self._inline_bytes, self._stopping = inline_bytes, stopping
        self._states: dict[int, StateStore] = {}

    def restored(self, stream: Stream) -> tuple[RunState, Trace] | None:
        """The newest state that is whole, with the trace up to it; Stopped if the server stops."""
        if self._stopping():
            raise Stopped
        states = StateStore(self._store, self._run, stream.stream, self._inline_bytes)
        self._states[stream.stream] = states
        (chain,) = (chain for chain in self._books.chains.of_run(self._run) if chain.stream == stream.stream)
        state = self._find_whole(chain, states)
        if state is None:
            return None
        return state, Trace.of(done.row for done in self._books.chains.trace(self._run, stream.stream))

    def commit(self, step: Step) -> bool:
        """Keep the state, the draw and a row of the trace, all in one transaction; Stopped if nobody waits for it."""
        stream = step.stream.stream
        states = self._states[stream]
        draw = None if step.draw is None else put_draw(self._store.under(f"runs/{self._run}"), step.draw)
        placed = states.put(step.iteration, step.state)
        record = None
        if step.iteration > 0:
            record = IterationRecord(stream, step.iteration, step.trace.last, tuple(_taken(step.seconds)))
        advance = Advance(
            run=self._run,
            stream=stream,
            iteration=step.iteration,
            state=placed.body,
            state_key=placed.key,
            labels=placed.labels,
            ended=step.ends,
            record=record,
            draw=draw,
        )
        if not self._books.chains.advance(advance):
            raise Stopped
        states.delete_unneeded(step.iteration + 1)
        if step.ends:
            del self._states[stream]
        return self._stopping()

    def _find_whole(self, chain: ChainRecord, states: StateStore) -> RunState | None:
        """Find the newest state that is whole, and rewind the chain to it; None at the very start."""
        reason = "no checkpoint is left"
        for checkpoint in self._books.checkpoints.of_chain(self._run, chain.stream):
            try:
                state = states.get(checkpoint, self._families)
            except ObjectLost as lost:
                reason = str(lost)
                continue
            if checkpoint.iteration < chain.iteration:
                self._books.checkpoints.rewind(IterationId.of(checkpoint), reason, actor=ACTOR)
            return state
        if chain.iteration > 0:
            self._books.checkpoints.rewind(IterationId(self._run, chain.stream, 0), reason, actor=ACTOR)
        return None


def _taken(seconds: Iterable[float]) -> Iterator[dict[str, Any]]:
    """What each shard took."""
    for shard, spent in enumerate(seconds):
        yield {
            "shard": shard,
            "worker": WORKER,
            "waited": 0.0,
            "seconds": spent,
            "source": "memory",
            "redelivered": 0,
        }
