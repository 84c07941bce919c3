"""A table in memory is cut and transformed to the very bits that shards in an object store have."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import load_shard, load_transform, prepare
from disnplbm.data.working import WorkingTable
from disnplbm.objects.store import open_store


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("axis", ["rows", "columns"])
@pytest.mark.parametrize("n_shards", [1, 3, 100])
@pytest.mark.parametrize("transform", ["none", "standardize", "log1p,standardize-rows", "boxcox"])
def test_the_bits_are_those_of_the_object_store(dimension: int, axis: str, n_shards: int, transform: str) -> None:
    x = np.random.default_rng(0).gamma(2.0, size=(23, 7, dimension))
    x[:, 2] = 1.5
    x[4, 5] = x[9] = np.nan
    store = open_store("memory://")
    # Chunks of 5 rows.
    dataset = ingest(ArraySource(x), store, "d", chunk_bytes=5 * 7 * dimension * 8)
    manifest = prepare(dataset, store, "s", n_shards=n_shards, axis=axis, transform=transform)  # type: ignore[arg-type]

    table = WorkingTable(ArraySource(x), n_shards=n_shards, axis=axis, chunk_rows=5)
    prepared, fitted = table.transform(transform)

    assert vars(prepared).items() <= vars(manifest).items()
    assert manifest.missing == dataset.missing == 8
    assert table.notes == list(manifest.warnings)
    assert fitted.to_json() == load_transform(store, manifest).to_json()
    assert len(table.shards) == manifest.n_shards
    for index, shard in enumerate(table.shards):
        assert shard.tobytes() == load_shard(store, manifest, index).tobytes()
