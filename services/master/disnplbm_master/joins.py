"""The joins under way: a cache, which the ledger can always fill again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from disnplbm.errors import RunError, described
from disnplbm.runs.records import LedgerEntry
from disnplbm.sampler.join import Joined, StreamingJoin
from disnplbm.sampler.packing import unpack_statistics
from disnplbm.sampler.received import Expected
from disnplbm.sampler.shard import ShardStatistics

#: A shard's packed statistics, by shard.
Payload = tuple[int, bytes | memoryview]


class Unusable(RunError):
    """The statistics of a shard are not what a worker of this version sends.

    Parameters
    ----------
    shard : int
        As the ledger has it.
    reason : str
    """

    def __init__(self, shard: int, reason: str) -> None:
        super().__init__(f"its statistics cannot be used: {reason}")
        self.shard = shard


@dataclass(frozen=True, slots=True)
class CheckedJoin:
    """A join, and what the statistics that it takes may hold."""

    join: StreamingJoin
    expected: Expected

    def add(self, shard: int, payload: bytes | memoryview) -> None:
        """Fold a shard's packed statistics in; Unusable if they are damaged, or another shard's."""
        try:
            self.join.add(self.checked(shard, payload))
        except Exception as error:
            # Of any kind: what half of them has done to the join is not to be built upon.
            raise Unusable(shard, described(error)) from error

    def checked(self, shard: int, payload: bytes | memoryview) -> ShardStatistics:
        """A shard's statistics; RunError if they are damaged, or another shard's."""
        statistics = unpack_statistics(payload)
        self.expected.check(statistics, shard)
        return statistics


@dataclass(frozen=True, slots=True)
class _Open:
    """An iteration's join, and the ledger's entries of the shards that are in it, as they came."""

    iteration: int
    checked: CheckedJoin
    entries: dict[int, LedgerEntry] = field(default_factory=dict)


class JoinCache:
    """The join of each stream's current iteration."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], _Open] = {}

    def has(self, run: str, stream: int, iteration: int) -> bool:
        """Whether there is a join of an iteration."""
        return self._at(run, stream, iteration) is not None

    def entries(self, run: str, stream: int, iteration: int) -> list[LedgerEntry] | None:
        """The ledger's entries of an iteration as their results came, if all shards are in the join; else None."""
        found = self._at(run, stream, iteration)
        if found is None or found.checked.join.missing:
            return None
        return list(found.entries.values())

    def begin(self, run: str, stream: int, iteration: int, join: CheckedJoin) -> None:
        """Keep an iteration's join, with nothing in it, in place of the one before."""
        self._open[run, stream] = _Open(iteration, join)

    def add(self, entry: LedgerEntry, payload: bytes | memoryview) -> None:
        """Fold a shard's packed statistics into its iteration's join, if there is one.

        Parameters
        ----------
        entry : LedgerEntry
            What the ledger has of it.
        payload : bytes or memoryview

        Raises
        ------
        Unusable
            They are damaged; the join, which may be as well, is let go.
        """
        found = self._at(entry.run, entry.stream, entry.iteration)
        if found is not None:
            try:
                found.checked.add(entry.shard, payload)
            except Unusable:
                del self._open[entry.run, entry.stream]
                raise
            found.entries[entry.shard] = replace(entry, payload=None)

    def finish(
        self, run: str, stream: int, iteration: int, payloads: Iterable[Payload], start: Callable[[], CheckedJoin]
    ) -> Joined:
        """The join of all shards; ``payloads``, asked for the ledger's statistics, fill in what is not yet folded.

        Raises
        ------
        Unusable
            Statistics are damaged.
        RunError
            Statistics are missing.
        """
        found = self._at(run, stream, iteration)
        self._open.pop((run, stream), None)
        checked = start() if found is None else found.checked
        if checked.join.missing:
            for shard, payload in payloads:
                if shard in checked.join.missing:
                    checked.add(shard, payload)
        return checked.join.finish()

    def drop(self, run: str) -> None:
        """Let go of what is kept of a run."""
        for key in [key for key in self._open if key[0] == run]:
            del self._open[key]

    def _at(self, run: str, stream: int, iteration: int) -> _Open | None:
        found = self._open.get((run, stream))
        return found if found is not None and found.iteration == iteration else None
