"""Cells that stay in their file have the bits of cells in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import FLOAT64, ingest
from disnplbm.data.npy import open_table
from disnplbm.data.reading import Reading
from disnplbm.data.sharding import Axis
from disnplbm.data.shards import Manifest, load_shard, map_shard, prepare
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.engine.residence import CACHE_BYTES, ITEM_BYTES, LABEL_BYTES, Residence, least_memory, share_out
from disnplbm.errors import InputError, RunError
from disnplbm.families.gaussian import cells as gaussian_cells
from disnplbm.model.statistics import Statistics
from disnplbm.objects.store import ObjectStore, open_store

N, P = 61, 7


def table(d: int, kind: str, missing: bool) -> np.ndarray:
    rng = np.random.default_rng(d)
    values = (100.0 + 9.0 * rng.normal(size=(N, P, d))).astype(kind)
    if missing:
        values[rng.random((N, P)) < 0.2] = np.nan
    return values


def prepared(
    folder: Path, values: np.ndarray, axis: Axis = "rows", transform: str = "none"
) -> tuple[ObjectStore, Manifest]:
    np.save(folder / "x.npy", values)
    store = open_store(folder / "store")
    dataset = ingest(open_table(folder / "x.npy", Reading()), store, "d")
    return store, prepare(dataset, store, "q", n_shards=2, axis=axis, transform=transform)


def both(store: ObjectStore, manifest: Manifest, options: Options) -> tuple[Problem, Problem]:
    """The problem with all cells in memory, and with all of them on disk."""
    return stored_problem(store, manifest, options), stored_problem(
        store, manifest, options, residence=Residence(0, CACHE_BYTES)
    )


def equal(first: Statistics, second: Statistics) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(first.arrays, second.arrays, strict=True))


@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize(
    ("d", "kind", "missing", "covariance"),
    [
        (1, "f8", False, "full"),
        (1, "f4", True, "full"),
        (1, "i8", False, "full"),
        (3, "f4", True, "full"),
        (2, "f2", False, "diagonal"),
    ],
)
def test_statistics_have_the_bits_of_cells_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, axis: Axis, d: int, kind: str, missing: bool, covariance: str
) -> None:
    monkeypatch.setattr(gaussian_cells, "STRETCH_NUMBERS", 40 * d)
    store, manifest = prepared(tmp_path, table(d, kind, missing), axis)
    known, filed = both(store, manifest, Options(covariance=covariance))  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 3, manifest.n_others).astype(np.int32)
    for pair in zip(known.shards, filed.shards, strict=True):
        memory, disk = (shard.only_part.cells for shard in pair)
        n = memory.n_rows
        labels = rng.integers(-1, 4, n).astype(np.int32)
        labels[: n // 2] = rng.choice([-1, 2])
        assert isinstance(disk, gaussian_cells.FiledCells)
        assert equal(memory.by_cluster(labels, 4), disk.by_cluster(labels, 4))
        assert memory.by_cluster(labels, 4).arrays[0].any()
        for rows in (slice(0, n), slice(1, n - 1), slice(0, n, 2), rng.permutation(n)[: n // 2]):
            assert equal(memory.by_group(rows, columns, 3), disk.by_group(rows, columns, 3))
        for (first, ours), (start, theirs) in zip(memory.stretches(4), disk.stretches(4), strict=True):
            assert (first, ours.tobytes()) == (start, np.ascontiguousarray(theirs).tobytes())


@pytest.mark.parametrize(
    ("kind", "low", "expected"),
    [
        ("f4", 0, "<f4"),
        (">f4", 0, "<f4"),
        ("f2", 0, "<f2"),
        ("f8", 0, "<f8"),
        ("i8", 0, "|u1"),
        ("i8", -3, "<i2"),
        ("u4", 1000, "<u2"),
        ("i8", 2**40, "<f8"),
        ("?", 0, "|u1"),
    ],
)
def test_shards_keep_the_type_of_the_file_and_whole_numbers_are_small(
    tmp_path: Path, kind: str, low: int, expected: str
) -> None:
    values = (low + np.arange(N * P * 1.0) % 200).astype(kind).reshape(N, P)
    store, manifest = prepared(tmp_path, values)
    assert manifest.kind == expected
    assert np.load(tmp_path / "store" / "q" / "shards" / "00000.npy").dtype == np.dtype(expected)
    np.testing.assert_array_equal(load_shard(store, manifest, 1)[:, :, 0], values[1::2])
    np.testing.assert_array_equal(map_shard(store, manifest, 1)[0][:, :, 0], values[1::2])


def test_transformed_cells_are_kept_as_they_are_computed(tmp_path: Path) -> None:
    assert prepared(tmp_path, table(1, "f4", False), transform="standardize")[1].kind == FLOAT64


def test_a_shard_that_is_another_one_is_not_mapped(tmp_path: Path) -> None:
    store, manifest = prepared(tmp_path, table(1, "f4", False))
    path = tmp_path / "store" / "q" / "shards" / "00000.npy"
    body = bytearray(path.read_bytes())
    body[-1] ^= 1
    path.write_bytes(body)
    with pytest.raises(RunError, match=r"shard 0 .* is damaged"):
        map_shard(store, manifest, 0)
    path.write_bytes(b"")
    with pytest.raises(RunError, match=r"shard 0 .* is damaged"):
        map_shard(store, manifest, 0)
    memory = open_store("memory://")
    in_memory = prepare(ingest(ArraySource(table(1, "f4", False)), memory, "d"), memory, "q")
    with pytest.raises(RunError, match="is damaged"):
        map_shard(memory, in_memory, 0)


def test_memory_goes_to_statistics_first_and_then_to_cells(tmp_path: Path) -> None:
    _, manifest = prepared(tmp_path, table(1, "f8", False))
    least, ended, rows = least_memory(N, P), (ITEM_BYTES - LABEL_BYTES) * N, 8 * 3 * 8 * N
    one = manifest.memory_bytes(0)
    assert share_out(manifest, None, on_disk=True) == Residence(2, CACHE_BYTES)
    assert share_out(manifest, least, on_disk=True) == Residence(0, ended)
    short = least - ended + rows + one
    assert share_out(manifest, short, on_disk=True) == Residence(1, rows)
    assert share_out(manifest, short - 1, on_disk=True) == Residence(0, rows + one - 1)
    assert share_out(manifest, least + 2**30, on_disk=True).in_memory == 2
    assert share_out(manifest, least, on_disk=False) == Residence(2, CACHE_BYTES)
    with pytest.raises(InputError, match="even if they stay on disk"):
        share_out(manifest, least - 1, on_disk=True)
