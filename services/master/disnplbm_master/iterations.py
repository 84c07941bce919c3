"""What the master computes of an iteration: the join, the step, the tasks of the next one.

Nothing here asks whether it is due, or tells anybody: that is the coordinator's. All that is kept is a cache, which the
database and the object storage can fill again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from disnplbm.engine.known import Known
from disnplbm.engine.local import RunState
from disnplbm.engine.recorded import last_row
from disnplbm.errors import RunError
from disnplbm.messaging.messages import SweepTask
from disnplbm.messaging.states import labelled
from disnplbm.objects.addressed import resolve
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draw_store import put_draw
from disnplbm.posterior.trace import Trace
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.records import Advance, ChainRecord, LedgerEntry
from disnplbm.sampler.chain import join_of, master_step, start_chain, start_join
from disnplbm.sampler.received import Expected
from disnplbm.sampler.starts import Start, row_start
from disnplbm.samplers import sampler_of
from disnplbm.settings import Settings
from disnplbm_master.failpoints import reach
from disnplbm_master.joins import CheckedJoin, JoinCache
from disnplbm_master.problems import Problems
from disnplbm_master.starts import Starts
from disnplbm_master.states import States
from disnplbm_master.tasks import sweep_tasks


class Iterations:
    """The iterations that the chains of all runs are in.

    Parameters
    ----------
    chains : ChainStore
    store : ObjectStore
    settings : Settings
    """

    def __init__(self, chains: ChainStore, store: ObjectStore, settings: Settings) -> None:
        self._chains, self._store, self._failpoint = chains, store, settings.failpoint
        self._problems = Problems(store)
        self._states = States(store, settings.inline_bytes)
        self._starts = Starts(chains, store, self._states)
        self._joins = JoinCache()
        self._began: dict[tuple[str, int], float] = {}

    def has_join(self, run: str, stream: int, iteration: int) -> bool:
        """Whether statistics of an iteration can be folded."""
        return self._joins.has(run, stream, iteration)

    def begin_join(self, chain: ChainRecord) -> None:
        """Keep a join for a chain's iteration, with nothing in it."""
        self._joins.begin(chain.run, chain.stream, chain.iteration, self._join(chain))

    def fold(self, entry: LedgerEntry) -> None:
        """Fold a shard's statistics into the join, if there is one; Unusable if damaged, ObjectLost if gone."""
        self._joins.add(entry, resolve(self._store, entry.payload, entry.payload_key))

    def check(self, chain: ChainRecord, entry: LedgerEntry) -> None:
        """Raise RunError if a shard's statistics are of no use to a chain's iteration."""
        self._join(chain).checked(entry.shard, resolve(self._store, entry.payload, entry.payload_key))

    def folded(self, run: str, stream: int, iteration: int) -> list[LedgerEntry] | None:
        """The ledger's entries of an iteration as their results came, if all shards are in the join; else None."""
        return self._joins.entries(run, stream, iteration)

    def step(self, chain: ChainRecord, entries: Sequence[LedgerEntry]) -> Advance:
        """Finish the join of a chain's iteration and do the master's part of it.

        Parameters
        ----------
        chain : ChainRecord
        entries : sequence of LedgerEntry
            Of all shards, in shard order.

        Returns
        -------
        Advance
            What is to be committed; states and draws that are too large for it are in the object storage.
        """
        run, stream, iteration = chain.run, chain.stream, chain.iteration
        known = self._known(chain)
        problem = known.problem.of_chain(stream)
        joined = self._joins.finish(
            run, stream, iteration, self._payloads(run, stream, iteration), lambda: self._join(chain)
        )
        reach("after-join", self._failpoint)
        before, record, kept_draw = self._states.of(chain), None, None
        labels_keys = tuple(entry.labels_key for entry in entries)
        if before is None:
            state = start_chain(joined, self._start(chain), problem.parameters, problem.hyper)
        else:
            state = master_step(joined, before, problem.parameters, problem.hyper, complete=problem.complete)
            kept = chain.short is None and known.options.is_kept(iteration)
            trace = Trace()
            problem.record(trace, RunState(state, ()), time.time() - self._began.get((run, stream), time.time()))
            record = last_row(stream, iteration, trace, _taken(entries))
            if kept:
                drawn = problem.draw(labelled(self._store, state, labels_keys), trace, iteration)
                kept_draw = put_draw(self._store.under(f"runs/{run}"), drawn)
        self._began[run, stream] = time.time()
        body, key = self._states.put(run, stream, iteration + 1, state)
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
        chain : ChainRecord
        shards : sequence of int
        labels_keys : sequence of str
            The labels of all shards after the last iteration; none for iteration 0.
        attempts : mapping
            Starts of shards in this iteration that ended in an error.
        inline_bytes : int, optional
            What is larger goes to the object storage; by default as the settings say.
        """
        known = self._known(chain)
        start = self._starts.of(chain, known) if chain.iteration == 0 else None
        if not shards or (chain.iteration == 0 and start is None):
            return []
        self._began.setdefault((chain.run, chain.stream), time.time())
        state = self._states.of(chain)
        return sweep_tasks(chain, known, state, start, labels_keys, shards, attempts, self._states, inline_bytes)

    def drop_joins(self, run: str) -> None:
        """Let go of the joins of a run."""
        self._joins.drop(run)

    def forget(self, run: str) -> None:
        """Let go of what is kept of a run."""
        self._joins.drop(run)
        self._states.drop(run)
        self._problems.drop(run)
        for key in [key for key in self._began if key[0] == run]:
            del self._began[key]

    def _known(self, chain: ChainRecord) -> Known:
        return self._problems.of(chain)

    def _join(self, chain: ChainRecord) -> CheckedJoin:
        """An iteration's join, with nothing in it."""
        problem = self._known(chain).problem.of_chain(chain.stream)
        state, parameters = self._states.of(chain), problem.parameters
        sampler = sampler_of(parameters.sampler)
        if state is not None:
            join = join_of(state, parameters, problem.hyper)
            n_names = sampler.most_names(state.broadcast, parameters)
        else:
            start, n_items, n_others = self._start(chain), problem.n_items, problem.n_others
            join = start_join(start, parameters, problem.hyper, n_items, n_others)
            _, n_names = row_start(start, parameters, n_items, 0, 0)
        expected = Expected(sampler, problem.n_items, parameters.n_shards, n_names, problem.n_others, join.shape)
        return CheckedJoin(join, expected)

    def _start(self, chain: ChainRecord) -> Start:
        """Where a chain that is under way started."""
        start = self._starts.of(chain, self._known(chain))
        if start is None:
            raise RunError(f"chain {chain.stream} of run {chain.run} has no start yet")
        return start

    def _payloads(self, run: str, stream: int, iteration: int) -> Iterator[tuple[int, bytes | memoryview]]:
        """The packed statistics of an iteration, from the ledger."""
        for entry in self._chains.ledger(run, stream, iteration, payloads=True):
            yield entry.shard, resolve(self._store, entry.payload, entry.payload_key)


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
