"""Run a chain on shards in memory; threads sweep them, since kernels release the GIL."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType

import numpy as np

from disnplbm.dealing import slice_of
from disnplbm.families.base import Family
from disnplbm.model.statistics import Labels
from disnplbm.sampler.chain import (
    join_of,
    master_step,
    shard_step,
    start_chain,
    start_join,
    start_shard,
)
from disnplbm.sampler.join import StreamingJoin
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard, ShardStatistics
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import ChainState


@dataclass(frozen=True, slots=True, eq=False)
class RunState:
    """A chain and the labels of all its shards between two iterations.

    Parameters
    ----------
    labels : tuple of ndarray of int32
        Of each shard, in its own numbering.
    """

    chain: ChainState
    labels: tuple[Labels, ...]

    def row_labels(self, n_rows: int) -> Labels:
        """Global labels of all rows, shape (n_rows,), in canonical order."""
        result = np.empty(n_rows, dtype=np.int32)
        for shard, (labels, to_global) in enumerate(zip(self.labels, self.chain.to_global, strict=True)):
            result[slice_of(shard, len(self.labels))] = to_global[labels]
        return result


class LocalEngine:
    """Shards in memory and a pool of threads over them; use it as a context manager.

    Parameters
    ----------
    families : sequence of Family
        Of the parts, in the working frame.
    threads : int
        The result does not depend on it.

    Attributes
    ----------
    seconds : list of float
        What each shard took in the last iteration, or in the start.
    """

    def __init__(
        self, shards: Sequence[Shard], parameters: Parameters, families: Sequence[Family], threads: int
    ) -> None:
        self._shards = shards
        self._parameters = parameters
        self._families = families
        self._n_rows = sum(shard.n_rows for shard in shards)
        self.seconds = [0.0] * len(shards)
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="sweep")

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def start(self, start: Start) -> RunState:
        """The state before the first iteration."""
        parameters, n_columns = self._parameters, [part.cells.n_columns for part in self._shards[0].parts]
        join = start_join(start, parameters, self._families, self._n_rows, n_columns)
        labels = self._map(lambda shard: start_shard(shard, start, parameters, self._n_rows), join)
        return RunState(start_chain(join.finish(), parameters), labels)

    def step(self, state: RunState) -> RunState:
        """One iteration."""
        chain, parameters = state.chain, self._parameters

        def sweep(shard: Shard) -> ShardStatistics:
            labels, to_global = state.labels[shard.index], chain.to_global[shard.index]
            return shard_step(shard, labels, to_global, chain.broadcast, parameters)

        join = join_of(chain, parameters)
        labels, complete = self._map(sweep, join), self._shards[0].complete
        # Nothing else holds what was joined: the step lets go of it as it goes on.
        return RunState(master_step(join.finish(), chain, parameters, complete=complete), labels)

    def _map(self, task: Callable[[Shard], ShardStatistics], join: StreamingJoin) -> tuple[Labels, ...]:
        """Run a task on every shard and join the statistics, in shard order, as they are there; return the labels."""
        labels: list[Labels] = []

        def timed(shard: Shard) -> ShardStatistics:
            began = time.perf_counter()
            statistics = task(shard)
            self.seconds[shard.index] = time.perf_counter() - began
            return statistics

        futures = deque(self._pool.submit(timed, shard) for shard in self._shards)
        try:
            while futures:
                # Let go of at once: the statistics of all shards may be larger than the data.
                statistics = futures.popleft().result()
                labels.append(statistics.labels)
                join.add(statistics)
                del statistics
        finally:
            for future in futures:
                future.cancel()
        return tuple(labels)
