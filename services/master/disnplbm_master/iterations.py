"""What the master computes of an iteration: its step, and the tasks of the next one.

Nothing here asks whether it is due, or tells anybody: that is the coordinator's.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from disnplbm.engine.local import RunState
from disnplbm.messaging.chain_states import load_labelled
from disnplbm.messaging.messages import SweepTask
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draw_store import put_draw
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import Advance, ChainRecord, IterationRecord, LedgerEntry
from disnplbm.sampler.chain import master_step, start_chain
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.packing import pack_broadcast, pack_labels, pack_start
from disnplbm_master.at_hand import RunsAtHand, drop_run

#: A map of a shard that takes more bytes travels by object key: it comes on top of what travels inline.
NAMES_BYTES = 16 * 2**10


class Iterations:
    """The iterations that the chains of all runs are in."""

    def __init__(self, store: ObjectStore, runs: RunsAtHand) -> None:
        self._store, self._runs = store, runs
        self._began: dict[tuple[str, int], float] = {}

    def step(self, chain: ChainRecord, joined: Joined, entries: Sequence[LedgerEntry]) -> Advance:
        """Do the master's part of a chain's iteration.

        Parameters
        ----------
        joined : Joined
            The statistics of all shards.
        entries : sequence of LedgerEntry
            Of all shards, in shard order.

        Returns
        -------
        Advance
            What is to be committed; states and draws that are too large for it are in the object store.
        """
        run, stream, iteration = chain.run, chain.stream, chain.iteration
        here = self._runs.run(chain)
        problem = here.problem.of_chain(stream)
        before, record, kept_draw = self._runs.state(chain), None, None
        labels_keys = tuple(entry.labels_key for entry in entries)
        if before is None:
            state = start_chain(joined, problem.parameters)
        else:
            state = master_step(joined, before, problem.parameters, complete=problem.complete)
            kept = chain.short is None and here.options.is_kept(iteration)
            row = problem.trace_row(RunState(state, ()), time.time() - self._began.get((run, stream), time.time()))
            record = IterationRecord(stream, iteration, row, tuple(_taken(entries)))
            if kept:
                drawn = problem.draw(load_labelled(self._store, state, labels_keys), row, iteration)
                kept_draw = put_draw(self._store.under(f"runs/{run}"), drawn)
        self._began[run, stream] = time.time()
        body, key = self._runs.put_state(IterationId.of(chain).shifted(1), state)
        return Advance(
            run=run,
            stream=stream,
            iteration=iteration,
            state=body,
            state_key=key,
            labels=labels_keys,
            ended=iteration == chain.iterations,
            record=record,
            draw=kept_draw,
        )

    def tasks(
        self,
        chain: ChainRecord,
        shards: Sequence[int],
        labels_keys: Sequence[str],
        attempts: Mapping[int, int],
        inline_bytes: int | None = None,
    ) -> list[SweepTask]:
        """The tasks of some shards in a chain's iteration; none while it waits for its short chains.

        Parameters
        ----------
        labels_keys : sequence of str
            The labels of all shards after the last iteration; none for iteration 0.
        attempts : mapping
            Starts of shards in this iteration that ended in an error.
        inline_bytes : int, optional
            What is larger goes to the object store; by default as the settings say.
        """
        if not shards:
            return []
        here, state = self._runs.run(chain), self._runs.state(chain)
        if state is not None:
            packed = pack_broadcast(state.broadcast)
        elif (start := self._runs.find_start(chain)) is not None:
            packed = pack_start(start)
        else:
            return []
        self._began.setdefault((chain.run, chain.stream), time.time())
        at = IterationId.of(chain)
        body, body_key = self._runs.inline_or_store("state", packed, at, inline_bytes)
        most_bytes = NAMES_BYTES if inline_bytes is None else inline_bytes
        options, published = here.options.to_dict(), time.time()

        def task(shard: int) -> SweepTask:
            names, names_key = None, None
            if state is not None:
                to_global = pack_labels(state.to_global[shard])
                names, names_key = self._runs.inline_or_store(f"names-{shard}", to_global, at, most_bytes)
            return SweepTask(
                run=chain.run,
                stream=chain.stream,
                iteration=chain.iteration,
                shard=shard,
                epoch=chain.epoch,
                shards_prefix=str(chain.shards_prefix),
                options=options,
                body=body,
                body_key=body_key,
                names=names,
                names_key=names_key,
                labels_key=labels_keys[shard] if labels_keys else None,
                attempt=attempts.get(shard, 0),
                published=published,
                shards_seal=chain.shards_seal,
            )

        return [task(shard) for shard in shards]

    def drop(self, run: str) -> None:
        """Let go of what is kept of a run."""
        drop_run(self._began, run)


def _taken(entries: Iterable[LedgerEntry]) -> Iterator[dict[str, Any]]:
    """What each shard took."""
    for entry in entries:
        yield {
            "shard": entry.shard,
            "worker": entry.worker,
            "waited": entry.waited,
            "seconds": entry.seconds,
            "source": entry.source,
            "redelivered": entry.redelivered,
        }
