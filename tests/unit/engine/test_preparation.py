"""What an uploaded sparse table may become."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.engine import preparation
from disnplbm.errors import InputError
from disnplbm.objects import open_store
from disnplbm.settings import Settings


def test_a_sparse_upload_counts_as_it_is_stored_and_its_shards_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2,000 x 500 cells are 8 MB dense, and 20,000 of them are not zero."""
    table = sp.random_array((2000, 500), density=0.02, rng=np.random.default_rng(0)).tocsr()
    file, store = io.BytesIO(), open_store(str(tmp_path))
    sp.save_npz(file, table)
    content = file.getvalue()
    store.put("uploads/1/x.npz", content)
    limits = Settings(upload_limit_bytes=1_000_000)
    monkeypatch.setattr(preparation, "settings", lambda: limits)
    sent = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    survey, _ = preparation.survey_upload(store, "uploads/1/x.npz", {}, **sent)
    dataset = preparation.read_once(store, "datasets/1", "uploads/1/x.npz", {}, **sent)
    assert (survey.rows, dataset.n, dataset.sparse) == (2000, 2000, True)
    how = {"n_shards": 1, "axis": "rows", "cells": "gaussian", "exposure": "margins"}
    sparse = preparation.shard_once(store, "datasets/1", seal=dataset.seal, transform="log1p", **how)
    assert (sparse.sparse, sparse.n) == (True, 2000)
    assert sparse.shards[0].bytes < 300_000
    with pytest.raises(InputError, match=r"after standardize its zeros are no zeros any more: .* transform = 'log1p'"):
        preparation.shard_once(store, "datasets/1", seal=dataset.seal, transform="standardize", **how)
    limits = Settings(upload_limit_bytes=8_000_000)
    dense = preparation.shard_once(store, "datasets/1", seal=dataset.seal, transform="standardize", **how)
    assert (dense.sparse, dense.n) == (False, 2000)


def test_a_small_sparse_upload_is_dense_once_it_is_sharded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """400 x 500 cells are 1.6 MB dense, and swept in milliseconds."""
    table = sp.random_array((400, 500), density=0.02, rng=np.random.default_rng(0)).tocsr()
    store = open_store(str(tmp_path))
    dataset = ingest(ArraySource(table), store, "datasets/1")
    limits = Settings(upload_limit_bytes=1_000_000)
    monkeypatch.setattr(preparation, "settings", lambda: limits)
    how = {"n_shards": 1, "axis": "rows", "transform": "none", "cells": "gaussian", "exposure": "margins"}
    with pytest.raises(InputError, match=r"takes .* with its zeros, and there is room for .*cells = 'counts'"):
        preparation.shard_once(store, "datasets/1", seal=dataset.seal, **how)
