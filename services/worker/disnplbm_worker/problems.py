"""What a worker knows of the runs it sweeps for, besides their shards."""

from __future__ import annotations

from typing import Any

from cachetools import LRUCache, cachedmethod

from disnplbm.data.mixed.manifest import AnyManifest, load_any_manifest
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, problem_of_manifest
from disnplbm.objects.store import ObjectStore
from disnplbm.sampler.packing import pack

#: Problems that are kept at hand.
_KEPT = 32


class Problems:
    """Problems without shards; the same one for as long as it is kept, since what shards keep hangs on its prior."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._known: LRUCache[tuple[str, bytes, str | None], tuple[AnyManifest, Problem]] = LRUCache(_KEPT)

    @cachedmethod(lambda self: self._known, key=lambda _, prefix, options, seal=None: (prefix, pack(options), seal))
    def of(self, shards_prefix: str, options: dict[str, Any], seal: str | None = None) -> tuple[AnyManifest, Problem]:
        """The problem of the shards under a prefix, with a run's options; ``seal`` belongs to their manifest.

        Raises
        ------
        RunError
            There are no shards there, or others, or the object storage cannot be reached.
        """
        manifest = load_any_manifest(self._store, shards_prefix, seal)
        return manifest, problem_of_manifest(manifest, Options.from_dict(options))
