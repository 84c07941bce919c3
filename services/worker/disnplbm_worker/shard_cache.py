"""Where a worker has a shard from: its memory, its disk, or the object storage."""

from __future__ import annotations

from typing import Literal

from cachetools import LRUCache

from disnplbm.data.mixed.manifest import AnyManifest
from disnplbm.data.shards import Loaded, Manifest, load_shard
from disnplbm.engine.problem import Problem
from disnplbm.objects.store import ObjectStore
from disnplbm.sampler.shard import Shard
from disnplbm_worker import metrics
from disnplbm_worker.disk_copies import DiskCopies

Source = Literal["memory", "disk", "store"]


class ShardCache:
    """Shards in the working frame, the one used longest ago makes room.

    Parameters
    ----------
    memory_bytes : int
        Bytes of the cells of all shards kept in memory; a shard with more is not kept.
    """

    def __init__(self, store: ObjectStore, memory_bytes: int, copies: DiskCopies | None) -> None:
        self._store, self._copies = store, copies
        self._kept: LRUCache[tuple[str, int, tuple[bool, ...]], Shard] = LRUCache(
            memory_bytes, lambda shard: shard.n_bytes
        )

    def get(self, manifest: AnyManifest, index: int, problem: Problem) -> tuple[Shard, Source]:
        """A shard, and where it was found.

        Parameters
        ----------
        problem : Problem
            Of that manifest.

        Raises
        ------
        RunError
            The object is missing or damaged, or the object storage cannot be reached.
        """
        key = (manifest.prefix, index, tuple(part.diagonal for part in problem.parts))
        shard = self._kept.get(key)
        source: Source = "memory"
        if shard is None:
            needed = sum(part.memory_bytes(index) for part in manifest.parts)
            # Before it is loaded, so that both are never in memory.
            while self._kept and self._kept.currsize + needed > self._kept.maxsize:
                self._kept.popitem()
            shard, source = self._load(manifest, index, problem)
            if needed <= self._kept.maxsize:
                self._kept[key] = shard
        metrics.SHARD_READS.labels(source).inc()
        return shard, source

    def _load(self, manifest: AnyManifest, index: int, problem: Problem) -> tuple[Shard, Source]:
        found = [self._load_part(part, index) for part in manifest.parts]
        # A shard is from the store if any part of it is.
        source: Source = "store" if any(of_part == "store" for _, of_part in found) else "disk"
        return problem.shard([loaded for loaded, _ in found], index), source

    def _load_part(self, manifest: Manifest, index: int) -> tuple[Loaded, Source]:
        loaded = self._copies.read(manifest, index) if self._copies is not None else None
        source: Source = "disk"
        if loaded is None:
            source = "store"
            if self._copies is not None:
                loaded = self._copies.fetch(self._store, manifest, index)
            else:
                loaded = load_shard(self._store, manifest, index)
            metrics.STORE_BYTES.inc(manifest.shards[index].bytes)
        return loaded, source
