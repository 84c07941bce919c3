"""The runs under way as the master sees them: without any data."""

from __future__ import annotations

from cachetools import LRUCache, cachedmethod

from disnplbm.engine.known import Known, load_run
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import ChainRecord

#: Runs that are kept at hand.
_KEPT = 64


class Problems:
    """The runs under way, read from the object store when first asked for.

    Parameters
    ----------
    store : ObjectStore
    """

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._known: LRUCache[str, Known] = LRUCache(_KEPT)

    @cachedmethod(lambda self: self._known, key=lambda _, chain: chain.run)
    def of(self, chain: ChainRecord) -> Known:
        """The run under way that a chain belongs to.

        Raises
        ------
        InputError
            The run's classes or start labels are not those of its data.
        RunError
            The object store cannot be read, what it has is not what was written there, or the run was begun by another
            version of the algorithm.
        """
        return load_run(self._store, chain.sources, with_shards=False)

    def drop(self, run: str) -> None:
        """Let go of a run."""
        self._known.pop(run, None)
