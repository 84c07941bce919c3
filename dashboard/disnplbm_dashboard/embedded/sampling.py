"""The chains of a run, one after another, each iteration recorded as a cluster's master would."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from disnplbm.engine.known import Known
from disnplbm.engine.local import LocalEngine, RunState
from disnplbm.engine.outcome import Ended
from disnplbm.engine.recorded import last_row, main_chains, shorts_of, trace_of
from disnplbm.engine.restarts import best_start
from disnplbm.posterior.draw_store import PutDraw, put_draw
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start
from disnplbm.storage.chains import ChainStore
from disnplbm.storage.objects import ObjectStore
from disnplbm.storage.records import Advance, ChainRecord, IterationRecord
from disnplbm.storage.sealed import ObjectLost
from disnplbm_dashboard.embedded.states import Placed, StateStore

#: Who did it, in the events.
ACTOR = "engine"

#: Who swept, in the timeline.
WORKER = "embedded"


class Stopped(Exception):
    """The run was paused, cancelled or deleted, or the server stops; what was recorded stays."""


class Sampling:
    """Does the iterations of a run.

    Parameters
    ----------
    chains : ChainStore
    store : ObjectStore
    run : str
    known : Known
    threads : int
    inline_bytes : int
        Larger states are objects.
    stopping : callable
        Asked before every iteration whether the server stops.
    """

    def __init__(
        self,
        chains: ChainStore,
        store: ObjectStore,
        run: str,
        known: Known,
        threads: int,
        inline_bytes: int,
        stopping: Callable[[], bool],
    ) -> None:
        self._chains, self._store, self._run, self._known = chains, store, run, known
        self._threads, self._inline_bytes, self._stopping = threads, inline_bytes, stopping

    def sample(self) -> list[Ended]:
        """Bring all chains to their end, from where they are.

        Returns
        -------
        list of Ended
            In the order of the chains; the first with its state.

        Raises
        ------
        Stopped
        RunError
            The object store is full or cannot be reached.
        """
        chains = self._chains.of_run(self._run)
        return [self._ended(chain, chains) for chain in main_chains(chains)]

    def _ended(self, chain: ChainRecord, chains: Iterable[ChainRecord]) -> Ended:
        shorts, start, traces = shorts_of(chain, chains), self._known.start(), list[Trace]()
        if shorts:
            given, problem = start, self._known.problem.of_chain(chain.stream)
            start, traces = best_start(problem, len(shorts), lambda _, number: self._advance(shorts[number], given))
        state, trace = self._advance(chain, start)
        return Ended(trace, traces, state if chain.chain == 0 else None)

    def _advance(self, chain: ChainRecord, start: Start) -> tuple[RunState, Trace]:
        """Bring a stream to its end."""
        problem = self._known.problem.of_chain(chain.stream)
        states = StateStore(self._store, self._run, chain.stream, self._inline_bytes)
        state, iteration = self._restored(chain, states)
        trace = trace_of(self._chains.trace(self._run, chain.stream))
        with LocalEngine(problem.shards, problem.parameters, problem.hyper, self._threads) as engine:
            if state is None:
                state = engine.start(start)
                self._commit(chain, 0, states.put(0, state))
            for at in range(max(iteration, 1), chain.iterations + 1):
                if self._stopping():
                    raise Stopped
                began = time.perf_counter()
                state = engine.step(state)
                problem.record(trace, state, time.perf_counter() - began)
                draw = None
                if chain.short is None and self._known.options.is_kept(at):
                    draw = put_draw(self._store.under(f"runs/{self._run}"), problem.draw(state, trace))
                record = last_row(chain.stream, at, trace, _taken(engine.seconds))
                self._commit(chain, at, states.put(at, state), record, draw)
                states.tidy(at + 1)
        return state, trace

    def _restored(self, chain: ChainRecord, states: StateStore) -> tuple[RunState | None, int]:
        """The newest state that is whole, and the iteration that can be done from it; None and 0 at the very start."""
        for checkpoint in self._chains.checkpoints(self._run, chain.stream):
            try:
                state = states.get(checkpoint)
            except ObjectLost as lost:
                reason = str(lost)
                continue
            if checkpoint.iteration < chain.iteration:
                self._chains.rewind(self._run, chain.stream, checkpoint.iteration, reason, actor=ACTOR)
            return state, checkpoint.iteration
        if chain.iteration > 0:
            self._chains.rewind(self._run, chain.stream, 0, reason, actor=ACTOR)
        return None, 0

    def _commit(
        self,
        chain: ChainRecord,
        iteration: int,
        placed: Placed,
        record: IterationRecord | None = None,
        draw: PutDraw | None = None,
    ) -> None:
        step = Advance(
            run=self._run,
            stream=chain.stream,
            iteration=iteration,
            state=placed.body,
            state_key=placed.key,
            labels=placed.labels,
            ended=iteration == chain.iterations,
            record=record,
            draw=draw,
        )
        if not self._chains.advance(step):
            raise Stopped


def _taken(seconds: list[float]) -> Iterator[dict[str, Any]]:
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
