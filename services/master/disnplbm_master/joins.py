"""The joins under way: a cache, which the ledger can always fill again."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from disnplbm.errors import RunError, described
from disnplbm.objects.addressed import resolve
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.ledger import LedgerStore
from disnplbm.runs.records import ChainRecord, LedgerEntry
from disnplbm.sampler.chain import join_of, start_join
from disnplbm.sampler.join import StreamingJoin
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.packing import unpack_statistics
from disnplbm.sampler.received import Expected
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.starts import row_start
from disnplbm.samplers import sampler_of
from disnplbm_master.at_hand import RunsAtHand, drop_run


class Unusable(RunError):
    """The statistics of a shard are not what a worker of this version sends.

    Parameters
    ----------
    shard : int
        As the ledger has it.
    """

    def __init__(self, shard: int, reason: str) -> None:
        super().__init__("its statistics cannot be used: ", reason)
        self.shard = shard


@dataclass(frozen=True, slots=True)
class _Join:
    """An iteration's join, what the statistics that it takes may hold, and the entries of those in it, as they came."""

    iteration: int
    join: StreamingJoin
    expected: Expected
    entries: dict[int, LedgerEntry] = field(default_factory=dict)

    def add(self, entry: LedgerEntry, payload: bytes | memoryview) -> None:
        """Fold a shard's packed statistics in; Unusable if they are damaged, or another shard's."""
        try:
            self.join.add(self.check(entry.shard, payload))
        except Exception as error:
            # Of any kind: what half of them has done to the join is not to be built upon.
            raise Unusable(entry.shard, described(error)) from error
        self.entries[entry.shard] = replace(entry, payload=None)

    def check(self, shard: int, payload: bytes | memoryview) -> ShardStatistics:
        """A shard's statistics; RunError if they are damaged, or another shard's."""
        statistics = unpack_statistics(payload)
        self.expected.check(statistics, shard)
        return statistics


class Joins:
    """The join of each stream's current iteration."""

    def __init__(self, ledger: LedgerStore, store: ObjectStore, runs: RunsAtHand) -> None:
        self._ledger, self._store, self._runs = ledger, store, runs
        self._open: dict[tuple[str, int], _Join] = {}

    def has(self, at: IterationId) -> bool:
        """Whether there is a join of an iteration."""
        return self._find(at) is not None

    def entries(self, at: IterationId) -> list[LedgerEntry] | None:
        """The ledger's entries of an iteration as their results came, if all shards are in the join; else None."""
        found = self._find(at)
        return None if found is None or found.join.missing else list(found.entries.values())

    def begin(self, chain: ChainRecord) -> None:
        """Keep a join for a chain's iteration, with nothing in it, in place of the one before."""
        self._open[chain.run, chain.stream] = self._make_empty(chain)

    def fold(self, entry: LedgerEntry) -> None:
        """Fold a shard's statistics into its iteration's join, if there is one.

        Raises
        ------
        Unusable
            They are damaged; the join, which may be as well, is let go.
        ObjectLost
            They are gone.
        """
        found = self._find(IterationId.of(entry))
        if found is None:
            return
        payload = self._load_payload(entry)
        try:
            found.add(entry, payload)
        except Unusable:
            del self._open[entry.run, entry.stream]
            raise

    def check(self, chain: ChainRecord, entry: LedgerEntry) -> None:
        """Raise RunError if a shard's statistics are of no use to a chain's iteration."""
        self._make_empty(chain).check(entry.shard, self._load_payload(entry))

    def finish(self, chain: ChainRecord) -> Joined:
        """The join of all shards; the ledger fills in what is not yet folded.

        Raises
        ------
        Unusable
            Statistics are damaged.
        RunError
            Statistics are missing.
        """
        at = IterationId.of(chain)
        found = self._find(at) or self._make_empty(chain)
        self._open.pop(at[:2], None)
        if found.join.missing:
            for entry in self._ledger.entries(at, payloads=True):
                if entry.shard in found.join.missing:
                    found.add(entry, self._load_payload(entry))
        return found.join.finish()

    def drop(self, run: str) -> None:
        """Let go of the joins of a run."""
        drop_run(self._open, run)

    def _find(self, at: IterationId) -> _Join | None:
        found = self._open.get(at[:2])
        return found if found is not None and found.iteration == at.iteration else None

    def _load_payload(self, entry: LedgerEntry) -> bytes | memoryview:
        return resolve(self._store, entry.payload, entry.payload_key)

    def _make_empty(self, chain: ChainRecord) -> _Join:
        """Make the join of an iteration, with nothing in it."""
        problem = self._runs.run(chain).problem.of_chain(chain.stream)
        state, parameters = self._runs.state(chain), problem.parameters
        sampler = sampler_of(parameters.sampler)
        if state is not None:
            join = join_of(state, parameters)
            n_ids = sampler.most_ids(state.broadcast, parameters)
        else:
            start, n_items = self._runs.start(chain), problem.n_items
            join = start_join(start, parameters, problem.families, n_items, problem.n_columns)
            _, n_ids = row_start(start, parameters, n_items, 0, 0)
        expected = Expected(
            sampler, problem.families, problem.n_items, parameters.n_shards, n_ids, problem.n_columns, join.shapes
        )
        return _Join(chain.iteration, join, expected)
