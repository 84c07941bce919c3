"""A table whose file is read once more takes no copy of its cells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disnplbm.data.dataset import ingest, load_dataset
from disnplbm.data.reading import Reading
from disnplbm.data.shards import prepare
from disnplbm.data.source import open_source
from disnplbm.data.table import Source, is_read_quickly, kind_of
from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore, open_store


def opened(path: Path, kind: str = "f8") -> Source:
    """A table of 200 x 6 cells in a .npy or a .parquet file."""
    rng = np.random.default_rng(0)
    values = rng.integers(-90, 90, (200, 6)).astype(kind)
    if kind.startswith("f"):
        values[rng.random(values.shape) < 0.1] = np.nan
    if path.suffix == ".npy":
        np.save(path, values)
    else:
        pq.write_table(pa.table({f"c{j}": values[:, j] for j in range(6)}), path)
    return open_source(path, Reading())


def objects(store: ObjectStore, prefix: str) -> dict[str, bytes]:
    return {key: bytes(store.get(key)) for key in store.list(prefix)}


@pytest.mark.parametrize("name", ["x.npy", "x.parquet"])
@pytest.mark.parametrize("transform", ["none", "standardize"])
def test_shards_and_names_are_the_same_without_a_copy_of_the_cells(tmp_path: Path, name: str, transform: str) -> None:
    source = opened(tmp_path / name)
    assert is_read_quickly(source)
    kept, bare = open_store("memory://"), open_store("memory://")
    first = ingest(source, kept, "d", chunk_bytes=48 * 37)
    second = ingest(source, bare, "d", chunk_bytes=48 * 37, keep_cells=False)
    assert len(first.chunks) == 6
    assert first.to_json() == second.to_json()
    assert not bare.list("d/chunks")
    assert {key: body for key, body in objects(kept, "d").items() if "/chunks/" not in key} == objects(bare, "d")
    for dataset, store in ((first, kept), (second, bare)):
        prepare(dataset, store, "q", n_shards=3, transform=transform)
    assert objects(kept, "q") == objects(bare, "q")
    assert load_dataset(bare, "d").column_names == first.column_names


def test_a_file_that_changes_while_it_is_read_is_found_out(tmp_path: Path) -> None:
    source = opened(tmp_path / "x.npy")
    store = open_store("memory://")
    dataset = ingest(source, store, "d", keep_cells=False)
    np.save(tmp_path / "x.npy", np.ones((200, 6)))
    with pytest.raises(RunError, match=r"x\.npy changed while it was read: fit it once more"):
        prepare(dataset, store, "q", n_shards=3)
    assert not store.exists("q/manifest.json")


@pytest.mark.parametrize(("kind", "expected"), [("f8", "<f8"), ("f4", "<f4"), ("i4", "|i1")])
def test_shards_of_a_parquet_file_have_its_type(tmp_path: Path, kind: str, expected: str) -> None:
    source, store = opened(tmp_path / "x.parquet", kind), open_store("memory://")
    assert kind_of(source).kind == kind[0]
    prepare(ingest(source, store, "d"), store, "q", n_shards=2)
    assert json.loads(bytes(store.get("q/manifest.json")))["kind"] == expected
