"""What the workers are told of an iteration."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from disnplbm.engine.known import Known
from disnplbm.messaging.messages import SweepTask
from disnplbm.runs.records import ChainRecord
from disnplbm.sampler.packing import pack_broadcast, pack_labels, pack_start
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import ChainState
from disnplbm_master.states import States

#: A shard's names that take more travel by object key: they come on top of what travels inline.
NAMES_BYTES = 16 * 2**10


def sweep_tasks(
    chain: ChainRecord,
    known: Known,
    state: ChainState | None,
    start: Start | None,
    labels_keys: Sequence[str],
    shards: Sequence[int],
    attempts: Mapping[int, int],
    states: States,
    inline_bytes: int | None = None,
) -> list[SweepTask]:
    """The tasks of some shards in a chain's iteration.

    Parameters
    ----------
    chain : ChainRecord
    known : Known
    state : ChainState, optional
        What the iteration starts from; None for iteration 0.
    start : Start, optional
        For iteration 0.
    labels_keys : sequence of str
        The labels of all shards after the last iteration; none for iteration 0.
    shards : sequence of int
    attempts : mapping
        Starts of shards in this iteration that ended in an error.
    states : States
        Places what is too large for a message.
    inline_bytes : int, optional
        What is larger goes to the object storage; by default as the settings say.
    """
    if state is not None:
        packed = pack_broadcast(state.broadcast)
    else:
        assert start is not None
        packed = pack_start(start)
    where = (chain.run, chain.stream, chain.iteration)
    body, body_key = states.placed("state", packed, *where, inline_bytes)
    most_names = NAMES_BYTES if inline_bytes is None else inline_bytes
    options, published = known.options.to_dict(), time.time()

    def task(shard: int) -> SweepTask:
        names, names_key = None, None
        if state is not None:
            names, names_key = states.placed(f"names-{shard}", pack_labels(state.maps[shard]), *where, most_names)
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
