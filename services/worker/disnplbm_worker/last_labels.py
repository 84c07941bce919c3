"""Labels of shards, written to the object storage and read from there; a worker keeps those that it wrote last."""

from __future__ import annotations

from cachetools import LRUCache

from disnplbm.model.statistics import Labels
from disnplbm.objects.addressed import get_addressed, put_addressed
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.sampler.packing import unpack_labels

#: Bytes of labels that a worker keeps. Those of a shard take less than its cells, and most often it is the same worker
#: that sweeps the shard in the next iteration.
KEPT_BYTES = 64 * 2**20


class LastLabels:
    """Labels of shards; the ones used longest ago make room.

    Parameters
    ----------
    store : ObjectStore
        Where all of them are.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        # Of each shard of a chain the last ones alone: their key, and what was written.
        self._kept: LRUCache[tuple[str, int, int], tuple[str, bytes]] = LRUCache(KEPT_BYTES, lambda kept: len(kept[1]))

    def get(self, run: str, stream: int, shard: int, key: str) -> Labels:
        """Labels by their key.

        Raises
        ------
        ObjectLost
            They are neither kept nor in the object storage, or are damaged there.
        RunError
            The object storage refuses or cannot be reached.
        """
        kept = self._kept.get((run, stream, shard))
        # The key ends in the digest of what was written.
        return unpack_labels(kept[1] if kept is not None and kept[0] == key else get_addressed(self._store, key))

    def put(self, at: IterationId, shard: int, labels: bytes) -> str:
        """Write the packed labels of a shard after an iteration, and return their key; RunError as for any object."""
        key = put_addressed(self._store, f"{at.prefix('labels')}/{shard}", labels)
        if len(labels) <= KEPT_BYTES:
            self._kept[at.run, at.stream, shard] = key, labels
        return key
