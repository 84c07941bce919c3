"""Real numbers that are mostly zero on their way to shards: which tables, and the same however a table is cut."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data import sparse_numbers
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import Dataset, ingest, load_dataset
from disnplbm.data.shards import load_shard, load_transform, prepare
from disnplbm.data.sparse_numbers import LEAST_CELLS, is_kept_sparse
from disnplbm.errors import InputError
from disnplbm.objects.store import open_store

Table = NDArray[np.float64]


def a_table(*, missing: bool = False, offset: float = 0.0) -> Table:
    rng = np.random.default_rng(0)
    values = np.where(rng.random((70, 9)) < 0.3, offset + rng.gamma(2.0, size=(70, 9)), 0.0)
    if missing:
        values[rng.random(values.shape) < 0.1] = np.nan
    return np.asarray(values)


@pytest.fixture(autouse=True)
def small_tables_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_numbers, "LEAST_CELLS", 100)


def ingested(values: Table, *, sparse: bool, chunk_bytes: int) -> Dataset:
    source = ArraySource(sp.csr_array(values) if sparse else values)
    return ingest(source, open_store("memory://"), "d", chunk_bytes=chunk_bytes)


def test_it_takes_many_cells_most_of_them_zero_and_a_transform_that_keeps_zeros(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sparse_numbers, "LEAST_CELLS", LEAST_CELLS)
    assert is_kept_sparse((1000, 1000, 1), 500_000, "none")
    assert is_kept_sparse((1000, 1000, 1), 0, "log1p")
    assert not is_kept_sparse((1000, 1000, 1), 500_001, "none")
    assert not is_kept_sparse((1000, 999, 1), 0, "none")
    assert not is_kept_sparse((1000, 1000, 2), 0, "none")
    for transform in ("standardize", "log1p,center", "boxcox", "standardize-rows", "log"):
        assert not is_kept_sparse((1000, 1000, 1), 0, transform)


@given(
    axis=st.sampled_from(["rows", "columns"]),
    n_shards=st.integers(1, 4),
    transform=st.sampled_from(["none", "log1p", "log1p,log1p"]),
    missing=st.booleans(),
    cuts=st.lists(st.integers(80, 6000), min_size=3, max_size=3),
)
def test_a_dense_and_a_sparse_table_give_the_same_shards_however_they_are_cut(
    axis: str, n_shards: int, transform: str, missing: bool, cuts: list[int]
) -> None:
    values, found = a_table(missing=missing), []
    for sparse, chunk_bytes in zip((True, True, False), cuts, strict=True):
        dataset = ingested(values, sparse=sparse, chunk_bytes=chunk_bytes)
        store = open_store("memory://")
        how = {"n_shards": n_shards, "axis": axis, "transform": transform, "cells": "gaussian"}
        manifest = prepare(dataset, store, "s", **how)  # type: ignore[arg-type]
        assert manifest.sparse
        found.append((manifest.mean, manifest.covariance, [shard.sha256 for shard in manifest.shards]))
    assert found[0] == found[1] == found[2]
    plain = load_transform(store, manifest).apply(values[..., None])[..., 0]
    items = plain if axis == "rows" else plain.T
    for index in range(n_shards):
        arrays = load_shard(store, manifest, index)
        assert isinstance(arrays, dict)
        shape = (len(arrays["indptr"]) - 1, manifest.n_others)
        cells = sp.csr_array((arrays["values"], arrays["indices"], arrays["indptr"]), shape)
        np.testing.assert_array_equal(cells.toarray(), items[index::n_shards])
    assert manifest.mean[0] == pytest.approx(np.nanmean(plain), rel=1e-13)
    assert manifest.covariance[0][0] == pytest.approx(np.nanvar(plain), rel=1e-12)
    assert (manifest.missing, manifest.observed) == (np.isnan(values).sum(), (~np.isnan(values)).sum())


def test_a_dataset_from_before_is_counted_by_a_pass() -> None:
    values = a_table(missing=True)
    for sparse in (True, False):
        dataset = ingested(values, sparse=sparse, chunk_bytes=1000)
        assert dataset.count_stored() == np.count_nonzero(values)
        text = bytes(dataset.store.get("d/dataset.json")).decode()
        dataset.store.put("d/dataset.json", text.replace(f',\n "stored": {dataset.stored}', "").encode())
        old = load_dataset(dataset.store, "d")
        assert old.stored is None
        assert old.count_stored() == dataset.stored


def prepared_from(values: Table, transform: str) -> None:
    dataset = ingested(values, sparse=True, chunk_bytes=1000)
    assert prepare(dataset, open_store("memory://"), "s", transform=transform, cells="gaussian").sparse


def test_numbers_that_no_run_can_take_are_refused() -> None:
    values = a_table()
    values[4, 3] = -2.0
    with pytest.raises(InputError, match=r"column 3, row 5 holds -2; log1p needs values above -1"):
        prepared_from(values, "log1p")
    with pytest.raises(InputError, match="the numbers are too large for their covariance"):
        prepared_from(a_table() * 1e200, "none")
    with pytest.raises(InputError, match="the numbers are too small for their variance"):
        prepared_from(a_table() * 1e-200, "none")
    with pytest.raises(InputError, match="unknown shard axis"):
        prepare(ingested(a_table(), sparse=True, chunk_bytes=1000), open_store("memory://"), "s", axis="up")  # type: ignore[arg-type]


def test_a_note_says_what_zeros_are_taken_for() -> None:
    dataset = ingested(a_table(), sparse=True, chunk_bytes=1000)
    manifest = prepare(dataset, open_store("memory://"), "s", cells="gaussian")
    (note,) = [str(note) for note in manifest.warnings if "of the cells are 0" in str(note)]
    share = (a_table() == 0).mean()
    assert note.startswith(f"{share:.0%} of the cells are 0, and a block takes them as measurements. If the numbers")
    assert "fit those with --cells counts; if a zero stands for what was not measured, leave the cell blank" in note
