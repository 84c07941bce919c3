"""The runs under way as the master sees them: without any data."""

from __future__ import annotations

from collections import OrderedDict

from disnplbm.engine.known import Known, known
from disnplbm.storage.objects import ObjectStore

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
        self._known: OrderedDict[str, Known] = OrderedDict()

    def of(self, run: str, shards_prefix: str) -> Known:
        """A run under way.

        Raises
        ------
        InputError
            The run's classes or start labels are not those of its data.
        RunError
            The object store cannot be read, or the run was begun by another version of the algorithm.
        """
        if run not in self._known:
            self._known[run] = known(self._store, run, shards_prefix, with_shards=False)
        self._known.move_to_end(run)
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return self._known[run]

    def drop(self, run: str) -> None:
        """Let go of a run."""
        self._known.pop(run, None)
