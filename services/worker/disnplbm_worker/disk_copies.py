"""Copies of shard objects on a worker's disk, which the workers of a machine may share."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

import structlog

from disnplbm.data.shards import Loaded, Manifest, load_shard
from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore, ObjectWriter, open_store
from disnplbm_worker import metrics

_log = structlog.get_logger(__name__)

#: A copy, or what the store stages of one: anything else in the folder is not ours to delete.
_OURS = re.compile(r"[0-9a-f]{64}(#\d+)?")


class DiskCopies:
    """Whole objects named by their sha256; the one used longest ago makes room.

    Parameters
    ----------
    most_bytes : int
        Bytes of all copies. Workers that write at the same moment may go beyond it for that moment.

    Raises
    ------
    RunError
        The folder cannot be made.
    """

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._store = open_store(folder)

    def read(self, manifest: Manifest, index: int) -> Loaded | None:
        """A shard, as :func:`disnplbm.data.shards.load_shard` gives it; None without a copy, or without a whole one."""
        shard = manifest.shards[index]
        path = self._folder / shard.sha256
        if not path.exists():
            return None
        copies = tuple(replace(other, key=other.sha256) for other in manifest.shards)
        try:
            values = load_shard(self._store, replace(manifest, shards=copies), index)
            os.utime(path)
        except (RunError, OSError):
            metrics.COPY_FAILURES.inc()
            _log.warning("a copy on disk is damaged: read anew", file=str(path))
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        return values

    def fetch(self, store: ObjectStore, manifest: Manifest, index: int) -> Loaded:
        """A shard from the object storage, of which a copy is left if the disk takes it; RunError as `load_shard`."""
        shard = manifest.shards[index]
        if shard.bytes > self._most_bytes:
            return load_shard(store, manifest, index)
        self._make_room(shard.bytes)
        with _Copy(self._store, shard.sha256) as copy:
            return load_shard(store, manifest, index, copy.write)

    def _make_room(self, needed: int) -> None:
        found = []
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):
                if _OURS.fullmatch(path.name):
                    status = path.stat()
                    found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if total + needed <= self._most_bytes:
                break
            path.unlink(missing_ok=True)
            total -= size


class _Copy:
    """A copy being written: visible only if all went well; a disk that does not take it is no error."""

    def __init__(self, store: ObjectStore, name: str) -> None:
        self._store, self._name = store, name
        self._writer: ObjectWriter | None = None

    def __enter__(self) -> Self:
        try:
            self._writer = self._store.writer(self._name)
        except RunError as error:
            self._give_up(error)
        return self

    def write(self, data: memoryview) -> None:
        """Append bytes."""
        if self._writer is not None:
            try:
                self._writer.write(data)
            except RunError as error:
                self._give_up(error)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._writer is not None:
            try:
                self._writer.__exit__(kind, error, tb)
            except RunError as refused:
                self._give_up(refused)

    def _give_up(self, error: RunError) -> None:
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.__exit__(type(error), error, None)
        metrics.COPY_FAILURES.inc()
        _log.warning("the disk takes no copy of a shard", reason=str(error))
