"""What the pool's child works with: opened after the fork, never before."""

from __future__ import annotations

from collections.abc import Callable

import structlog

from disnplbm.errors import RunError
from disnplbm.messaging.messages import Result
from disnplbm.messaging.mirror import Mirror
from disnplbm.objects.store import PATIENCE, ObjectStore, open_store
from disnplbm.settings import Settings
from disnplbm_worker.disk_copies import DiskCopies
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache
from disnplbm_worker.sweep import Sweeper
from disnplbm_worker.waiting import Waiting

_log = structlog.get_logger(__name__)


class Workshop:
    """Opens the object storage, and keeps shards between tasks.

    Parameters
    ----------
    publish : callable
        Sends a message to the master, and returns once it cannot be lost.
    worker : str
        Name of this worker.

    Raises
    ------
    RunError, InputError
        The object storage cannot be opened.
    """

    def __init__(self, settings: Settings, publish: Callable[[Result], None], waiting: Waiting, worker: str) -> None:
        store = open_in_time(settings)
        self.mirror = Mirror(settings.redis_url)
        self.sweeper = Sweeper(
            store,
            ShardCache(store, settings.cache_memory_bytes, _copies(settings)),
            LastLabels(store),
            Problems(store),
            self.mirror,
            publish,
            waiting,
            settings.inline_bytes,
            worker,
        )


def open_in_time(settings: Settings) -> ObjectStore:
    """The object storage. That it is away is told in good time, before a task is over."""
    return open_store(settings.store_url, patience=min(PATIENCE, settings.task_seconds / 4))


def _copies(settings: Settings) -> DiskCopies | None:
    if settings.cache_disk_bytes == 0:
        return None
    try:
        return DiskCopies(settings.cache_folder, settings.cache_disk_bytes)
    except RunError as error:
        _log.warning("no copies of shards on disk", reason=str(error))
        return None
