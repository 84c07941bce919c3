"""Shards in memory, on disk and in the object storage: the same cells from each, and bounds that hold."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.shards import Manifest, load_shard
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, problem_of_manifest
from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore
from disnplbm_worker.disk_copies import DiskCopies
from disnplbm_worker.shard_cache import ShardCache

from .prepared import folder_store, prepared, table

N, P, SHARDS = 40, 6, 4
CELLS = N // SHARDS * P * 8


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return folder_store(tmp_path)


@pytest.fixture
def manifest(store: ObjectStore) -> Manifest:
    return prepared(store, table(N, P), SHARDS)


@pytest.fixture
def problem(manifest: Manifest) -> Problem:
    return problem_of_manifest(manifest, Options())


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def aged(disk: Path) -> None:
    """All copies used an hour ago, the first of them longest ago."""
    for number, path in enumerate(sorted(disk.iterdir())):
        os.utime(path, (1e9 + number, 1e9 + number))


def test_each_place_gives_the_same_shard(store: ObjectStore, manifest: Manifest, problem: Problem, disk: Path) -> None:
    expected = problem.only_part.frame.enter(load_shard(store, manifest, 2))
    cache = ShardCache(store, 2**20, DiskCopies(disk, 2**20))
    first, source = cache.get(manifest, 2, problem)
    assert source == "store"
    again, source = cache.get(manifest, 2, problem)
    assert (again, source) == (first, "memory")
    other, source = ShardCache(store, 2**20, DiskCopies(disk, 2**20)).get(manifest, 2, problem)
    assert source == "disk"
    for shard in (first, other):
        assert np.array_equal(shard.only_part.cells.values, expected)
        assert (shard.index, shard.n_shards, shard.complete) == (2, SHARDS, (True,))


def test_memory_holds_what_was_used_last(store: ObjectStore, manifest: Manifest, problem: Problem) -> None:
    cache = ShardCache(store, 2 * CELLS, None)
    found = [cache.get(manifest, index, problem)[1] for index in (0, 1, 0, 2, 0, 1, 2)]
    # Shard 2 makes shard 1 go, which makes shard 2 go.
    assert found == ["store", "store", "memory", "store", "memory", "store", "store"]


def test_nothing_larger_than_memory_is_kept(store: ObjectStore, manifest: Manifest, problem: Problem) -> None:
    cache = ShardCache(store, CELLS - 1, None)
    assert [cache.get(manifest, 0, problem)[1] for _ in range(2)] == ["store", "store"]


def test_disk_holds_what_was_used_last(store: ObjectStore, manifest: Manifest, disk: Path) -> None:
    copies = DiskCopies(disk, 2 * manifest.shards[0].bytes)
    (disk / "not-ours.txt").write_bytes(bytes(10_000))
    for index in (0, 1):
        copies.fetch(store, manifest, index)
    aged(disk)
    assert copies.read(manifest, 0) is not None
    copies.fetch(store, manifest, 2)
    held = {path.name for path in disk.iterdir()}
    assert held == {"not-ours.txt", manifest.shards[0].sha256, manifest.shards[2].sha256}


def test_leftovers_of_a_killed_worker_make_room(store: ObjectStore, manifest: Manifest, disk: Path) -> None:
    copies = DiskCopies(disk, 2 * manifest.shards[0].bytes)
    leftover = disk / f"{'a' * 64}#1"
    leftover.write_bytes(bytes(manifest.shards[0].bytes + 1))
    aged(disk)
    copies.fetch(store, manifest, 0)
    assert {path.name for path in disk.iterdir()} == {manifest.shards[0].sha256}


def test_a_shard_larger_than_the_disk_bound_leaves_no_copy(store: ObjectStore, manifest: Manifest, disk: Path) -> None:
    copies = DiskCopies(disk, manifest.shards[0].bytes - 1)
    assert np.array_equal(copies.fetch(store, manifest, 0), load_shard(store, manifest, 0))
    assert not list(disk.iterdir())


@pytest.mark.parametrize("damage", ["cut", "changed"])
def test_a_damaged_copy_is_read_anew(
    store: ObjectStore, manifest: Manifest, problem: Problem, disk: Path, damage: str
) -> None:
    expected, _ = ShardCache(store, 0, DiskCopies(disk, 2**20)).get(manifest, 1, problem)
    path = disk / manifest.shards[1].sha256
    whole = path.read_bytes()
    path.write_bytes(whole[:-8] if damage == "cut" else whole[:-8] + bytes(8))
    for source in ("store", "disk"):
        shard, found = ShardCache(store, 0, DiskCopies(disk, 2**20)).get(manifest, 1, problem)
        assert found == source
        assert np.array_equal(shard.only_part.cells.values, expected.only_part.cells.values)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("step", ["writer", "write", "close"])
def test_a_full_disk_is_no_error(
    store: ObjectStore, manifest: Manifest, disk: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = DiskCopies(disk, 2**20)

    def full(*_: object) -> None:
        raise RunError("no space left")

    monkeypatch.setattr(f"disnplbm.objects.store.{'ObjectStore' if step == 'writer' else 'ObjectWriter'}.{step}", full)
    assert np.array_equal(copies.fetch(store, manifest, 3), load_shard(store, manifest, 3))
    assert not list(disk.iterdir())


def test_a_damaged_object_is_an_error_and_leaves_no_copy(store: ObjectStore, manifest: Manifest, disk: Path) -> None:
    shard = manifest.shards[0]
    store.put(shard.key, bytes(store.get(shard.key))[:-8] + bytes(8))
    with pytest.raises(RunError, match=rf"shard 0 \({shard.key} .* is damaged"):
        DiskCopies(disk, 2**20).fetch(store, manifest, 0)
    assert not list(disk.iterdir())
