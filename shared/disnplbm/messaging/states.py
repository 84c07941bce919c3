"""States of chains where the database and the object storage keep them."""

from __future__ import annotations

from collections.abc import Sequence

from disnplbm.engine.local import RunState
from disnplbm.sampler.packing import unpack_labels, unpack_state
from disnplbm.sampler.state import ChainState
from disnplbm.storage.objects import ObjectStore
from disnplbm.storage.records import ChainRecord, CheckpointRecord
from disnplbm.storage.sealed import get_sealed, placed


def state_at(store: ObjectStore, record: ChainRecord | CheckpointRecord) -> ChainState:
    """The state that a chain's iteration starts from; ObjectLost if it is gone."""
    return unpack_state(placed(store, record.state, record.state_key))


def labelled(store: ObjectStore, state: ChainState, labels_keys: Sequence[str]) -> RunState:
    """A chain's state with the labels of all its shards, which are objects; ObjectLost if some are gone."""
    return RunState(state, tuple(unpack_labels(get_sealed(store, key)) for key in labels_keys))
