"""Tasks of the first iterations of a chain, as a master makes them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import Manifest, prepare
from disnplbm.engine.options import Options
from disnplbm.engine.problem import problem_of_manifest
from disnplbm.messaging.messages import Result, SweepTask, Swept
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.sampler.chain import join_of, master_step, start_chain, start_join
from disnplbm.sampler.packing import pack_broadcast, pack_labels, pack_start, unpack_statistics
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import ChainState
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache
from disnplbm_worker.sweep import Sweeper
from disnplbm_worker.waiting import Waiting

#: Next to nothing to sweep.
_ROWS, _COLUMNS, _SHARDS = 640, 20, 8

_STREAM = 0


@dataclass
class _Swept:
    """What a worker in this process sends; nothing is stale to it."""

    messages: list[Result] = field(default_factory=list)

    def is_stale(self, _at: IterationId, _epoch: int) -> bool:
        return False


def make_tasks(store: ObjectStore, number: int) -> list[SweepTask]:
    """Prepare a small table in a store, take a chain through some iterations, and make the tasks of them all."""
    generator = np.random.default_rng(0)
    means = generator.normal(0, 4, (3, 2))
    values = means[np.arange(_ROWS) % 3][:, np.arange(_COLUMNS) % 2] + generator.normal(size=(_ROWS, _COLUMNS))
    manifest = prepare(
        ingest(ArraySource(values), store, "datasets/turn"), store, "shards/turn", n_shards=_SHARDS, axis="rows"
    )
    options = Options(iterations=number).resolved(manifest.dimension)
    problem = problem_of_manifest(manifest, options).of_chain(_STREAM)
    parameters, start = problem.parameters, Start("random")
    found, sink = list[SweepTask](), _Swept()
    cache, labels = ShardCache(store, 2**30, None), LastLabels(store)
    sweeper = Sweeper(store, cache, labels, Problems(store), sink, sink.messages.append, Waiting(), 2**18, "turn")
    join = start_join(start, parameters, problem.families, problem.n_items, problem.n_columns)
    tasks = [_task(manifest, options, 0, shard, body=pack_start(start)) for shard in range(_SHARDS)]
    state: ChainState | None = None
    while len(found) < number:
        sink.messages.clear()
        for task in tasks:
            sweeper.sweep(task, 0)
        swept = [message for message in sink.messages if isinstance(message, Swept)]
        for message in swept:
            assert message.payload is not None
            join.add(unpack_statistics(message.payload))
        joined = join.finish()
        if state is None:
            state = start_chain(joined, parameters)
        else:
            found += tasks
            state = master_step(joined, state, parameters, complete=problem.complete)
        join, body = join_of(state, parameters), pack_broadcast(state.broadcast)
        tasks = [
            _task(
                manifest,
                options,
                state.broadcast.iteration,
                message.shard,
                body=body,
                names=pack_labels(state.to_global[message.shard]),
                labels_key=message.labels_key,
            )
            for message in swept
        ]
    return found[:number]


def _task(
    manifest: Manifest,
    options: Options,
    iteration: int,
    shard: int,
    *,
    body: bytes,
    names: bytes | None = None,
    labels_key: str | None = None,
) -> SweepTask:
    return SweepTask(
        run="turn",
        stream=_STREAM,
        iteration=iteration,
        shard=shard,
        epoch=0,
        shards_prefix=manifest.prefix,
        options=options.to_dict(),
        body=body,
        body_key=None,
        names=names,
        names_key=None,
        labels_key=labels_key,
        attempt=0,
        published=time.time(),
        shards_seal=manifest.seal,
    )
