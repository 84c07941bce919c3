"""States of chains where the database and the object storage keep them."""

from __future__ import annotations

from collections.abc import Sequence

from disnplbm.engine.local import RunState
from disnplbm.families.base import Family
from disnplbm.objects.addressed import get_addressed, resolve
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import ChainRecord, CheckpointRecord
from disnplbm.sampler.packing import unpack_labels, unpack_state
from disnplbm.sampler.state import ChainState


def load_state(store: ObjectStore, record: ChainRecord | CheckpointRecord, families: Sequence[Family]) -> ChainState:
    """Load the state that a chain's iteration starts from, of parts of these families; ObjectLost if it is gone."""
    return unpack_state(resolve(store, record.state, record.state_key), families)


def load_labelled(store: ObjectStore, state: ChainState, labels_keys: Sequence[str]) -> RunState:
    """Load the labels of all shards of a chain's state, which are objects; ObjectLost if some are gone."""
    return RunState(state, tuple(unpack_labels(get_addressed(store, key)) for key in labels_keys))
