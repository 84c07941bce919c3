"""What the workers are told of an iteration."""

from __future__ import annotations

import time
from collections.abc import Sequence

from disnplbm.engine.known import Known
from disnplbm.messaging.codec import pack_broadcast, pack_labels, pack_start
from disnplbm.messaging.messages import SweepTask
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import ChainState
from disnplbm.storage.records import ChainRecord
from disnplbm_master.states import States


def sweep_tasks(
    chain: ChainRecord,
    known: Known,
    state: ChainState | None,
    start: Start | None,
    labels_keys: Sequence[str],
    shards: Sequence[int],
    states: States,
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
    states : States
        Places what is too large for a message.
    """
    if state is not None:
        packed = pack_broadcast(state.broadcast)
    else:
        assert start is not None
        packed = pack_start(start)
    body, body_key = states.placed(packed, chain.run, chain.stream, chain.iteration)
    options, published = known.options.to_dict(), time.time()
    return [
        SweepTask(
            run=chain.run,
            stream=chain.stream,
            iteration=chain.iteration,
            shard=shard,
            epoch=chain.epoch,
            shards_prefix=str(chain.shards_prefix),
            options=options,
            body=body,
            body_key=body_key,
            names=None if state is None else pack_labels(state.maps[shard]),
            labels_key=labels_keys[shard] if labels_keys else None,
            published=published,
            shards_seal=chain.shards_seal,
        )
        for shard in shards
    ]
