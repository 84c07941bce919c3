"""What a worker knows of the runs it sweeps for, besides their shards."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from disnplbm.data.shards import Manifest, load_manifest
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, problem_of_manifest
from disnplbm.sampler.packing import pack
from disnplbm.storage.objects import ObjectStore

#: Problems that are kept at hand.
_KEPT = 32


class Problems:
    """Problems without shards; the same one for as long as it is kept, since what shards keep hangs on its prior.

    Parameters
    ----------
    store : ObjectStore
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._known: OrderedDict[tuple[str, str | None, bytes], tuple[Manifest, Problem]] = OrderedDict()

    def of(self, shards_prefix: str, options: dict[str, Any], seal: str | None = None) -> tuple[Manifest, Problem]:
        """The problem of the shards under a prefix, with a run's options; ``seal`` belongs to their manifest.

        Raises
        ------
        RunError
            There are no shards there, or others, or the object storage cannot be reached.
        """
        key = (shards_prefix, seal, pack(options))
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        manifest = load_manifest(self._store, shards_prefix, seal)
        known = self._known[key] = (manifest, problem_of_manifest(manifest, Options.from_dict(options)))
        if len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return known
