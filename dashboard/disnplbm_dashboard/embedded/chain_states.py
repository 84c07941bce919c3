"""States of chains between two iterations, with their labels, in the object store."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from disnplbm.engine.local import RunState
from disnplbm.families.base import Family
from disnplbm.messaging.chain_states import load_labelled, load_state
from disnplbm.objects.addressed import inline_or_store, put_addressed
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.checkpoints import is_retained
from disnplbm.runs.records import CheckpointRecord
from disnplbm.sampler.packing import pack_labels, pack_state


class Placed(NamedTuple):
    """Where a state is: its bytes or the object that holds them, and the objects of its labels."""

    body: bytes | None
    key: str | None
    labels: tuple[str, ...]


class StateStore:
    """States of one stream of a run.

    Parameters
    ----------
    inline_bytes : int
        Larger states are objects; the rest goes into the database.
    """

    def __init__(self, store: ObjectStore, run: str, stream: int, inline_bytes: int) -> None:
        self._store, self._run, self._stream, self._inline_bytes = store, run, stream, inline_bytes
        self._written: deque[tuple[int, Placed]] = deque()

    def put(self, iteration: int, state: RunState) -> Placed:
        """Write the state after an iteration."""
        labels = tuple(
            put_addressed(self._store, f"{self._prefix_of('labels')}/{iteration}/{shard}", pack_labels(of_shard))
            for shard, of_shard in enumerate(state.labels)
        )
        stem = f"{self._prefix_of('states')}/{iteration + 1}/state"
        placed = Placed(*inline_or_store(self._store, stem, pack_state(state.chain), self._inline_bytes), labels)
        self._written.append((iteration, placed))
        return placed

    def get(self, checkpoint: CheckpointRecord, families: Sequence[Family]) -> RunState:
        """The state that a checkpoint names, of parts of these families; ObjectLost if some of it is gone."""
        return load_labelled(self._store, load_state(self._store, checkpoint, families), checkpoint.labels)

    def delete_unneeded(self, iteration: int) -> None:
        """Delete what no checkpoint needs any more, once the chain has come to ``iteration``."""
        while self._written and self._written[0][0] < iteration - 2:
            at, placed = self._written.popleft()
            if not is_retained(at + 1, iteration):
                self._store.delete([*placed.labels, *([] if placed.key is None else [placed.key])])

    def _prefix_of(self, kind: str) -> str:
        return f"runs/{self._run}/{kind}/{self._stream}"
