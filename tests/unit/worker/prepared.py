"""Prepared shards, and sweepers over them, for the tests of the worker."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import Manifest, prepare
from disnplbm.messaging.messages import Result
from disnplbm.model.statistics import Floats
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.runs.iteration_id import IterationId
from disnplbm_worker.disk_copies import DiskCopies
from disnplbm_worker.last_labels import LastLabels
from disnplbm_worker.problems import Problems
from disnplbm_worker.shard_cache import ShardCache
from disnplbm_worker.sweep import Sweeper
from disnplbm_worker.waiting import Waiting

PREFIX = "shards/table"


def table(n: int, p: int, d: int = 1, *, holes: bool = False) -> Floats:
    """Cells in 3 x 2 blocks, of which a tenth may be missing."""
    rng = np.random.default_rng(4)
    means = rng.normal(0, 4, (3, 2, d))
    values = means[np.arange(n) % 3][:, np.arange(p) % 2] + rng.normal(size=(n, p, d))
    if holes:
        values[rng.random((n, p)) < 0.1] = np.nan
    return values


def prepared(
    store: ObjectStore, values: Floats, n_shards: int, axis: str = "rows", cells: str = "gaussian"
) -> Manifest:
    """The table as shards under PREFIX."""
    dataset = ingest(ArraySource(values), store, "datasets/table")
    return prepare(dataset, store, PREFIX, n_shards=n_shards, axis=axis, cells=cells)  # type: ignore[arg-type]


@dataclass
class Sink:
    """What a worker sends, and a mirror that calls what it is told stale."""

    messages: list[Result] = field(default_factory=list)
    stale: bool = False

    def is_stale(self, at: IterationId, epoch: int) -> bool:
        return self.stale

    def sweeper(self, store: ObjectStore, cache_folder: Path | None = None, inline_bytes: int = 2**18) -> Sweeper:
        copies = None if cache_folder is None else DiskCopies(cache_folder, 2**30)
        cache = ShardCache(store, 2**30, copies)
        return Sweeper(
            store, cache, LastLabels(store), Problems(store), self, self.messages.append, Waiting(), inline_bytes, "w"
        )


def folder_store(folder: Path) -> ObjectStore:
    """A store in a folder."""
    return open_store(folder / "store")
