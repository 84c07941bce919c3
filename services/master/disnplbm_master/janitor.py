"""Removes what a run no longer needs from the object storage, beside the master's other work."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import structlog

from disnplbm.errors import DisnplbmError
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.results import work_prefixes

_log = structlog.get_logger(__name__)


class Janitor:
    """Removes objects; what it misses, because the storage is away, is removed when the run ends or is deleted."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="janitor")

    def clear(self, run: str) -> None:
        """Remove what a run that is over needed while it was under way."""
        self._pool.submit(self._clear, work_prefixes(run))

    def clear_iteration(self, at: IterationId) -> None:
        """Remove the labels and statistics of an iteration that no checkpoint needs, and the state it ended with."""
        prefixes = [at.prefix("labels"), at.prefix("statistics"), at.shifted(1).prefix("states")]
        self._pool.submit(self._clear, prefixes)

    def _clear(self, prefixes: list[str]) -> None:
        try:
            for prefix in prefixes:
                self._store.clear(prefix)
        except DisnplbmError as error:
            _log.warning("objects were left behind", reason=str(error))
