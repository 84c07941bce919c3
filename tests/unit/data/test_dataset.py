"""Ingest: chunks, hash, warnings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest, load_dataset
from disnplbm.data.source import open_source
from disnplbm.errors import RunError
from disnplbm.objects import open_store

from .tables import tables, with_unified_missing


@settings(deadline=None, max_examples=60)
@given(values=tables(), chunk_bytes=st.integers(1, 3000))
def test_chunks_reassemble_and_hash_does_not_depend_on_their_size(
    values: NDArray[np.float64], chunk_bytes: int
) -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(values), store, "small", chunk_bytes=chunk_bytes)
    whole = np.concatenate([chunk for _, chunk in dataset.arrays()])
    assert np.array_equal(whole, with_unified_missing(values), equal_nan=True)
    assert dataset.sha256 == ingest(ArraySource(values), store, "large").sha256
    assert dataset.missing == np.isnan(values).any(axis=2).sum()
    assert load_dataset(store, "small") == dataset


def test_hash_tells_shape_and_values_but_not_the_sign_of_zero() -> None:
    def sha(values: object) -> str:
        return ingest(ArraySource(values), open_store("memory://"), "d").sha256

    base = np.arange(12.0).reshape(3, 4)
    others = [base.T, base.reshape(4, 3), base.reshape(3, 2, 2), base + 1e-12, base[:2]]
    assert len({sha(base), *map(sha, others)}) == 6
    signed = base.copy()
    signed[0, 0] = -0.0
    assert sha(signed) == sha(base)
    payload = base.copy()
    payload.view(np.uint64)[0, 0] = 0x7FF8000000000123
    plain = base.copy()
    plain[0, 0] = np.nan
    assert sha(payload) == sha(plain)


def test_names_and_classes_survive_chunking(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,a,k\n" + "".join(f"r{i},{i},{'uv'[i % 2]}\n" for i in range(50)))
    dataset = ingest(open_source(path, id_column="id", class_column="k"), open_store("memory://"), "d", chunk_bytes=56)
    assert len(dataset.chunks) > 5
    assert dataset.row_names == [f"r{i}" for i in range(50)]
    assert dataset.classes == ["uv"[i % 2] for i in range(50)]
    assert dataset.column_names == ["a"]


def test_rows_without_names_are_counted_from_zero() -> None:
    dataset = ingest(ArraySource(np.zeros((3, 2))), open_store("memory://"), "d")
    assert dataset.row_names == ["0", "1", "2"]
    assert dataset.classes is None


def test_odd_columns_and_rows_are_named() -> None:
    x = np.random.default_rng(0).normal(size=(100, 12))
    x[:, 3] = 7.0
    x[:, 5] = np.nan
    x[:, 8:11] = x[0, 8]
    x[20, 9] = np.nan
    x[4:11] = np.nan
    names = [f"gene-{j}" for j in range(11)] + ["gene-0"]
    dataset = ingest(ArraySource(x, column_names=names), open_store("memory://"), "d", chunk_bytes=1000)
    assert dataset.warnings == (
        "4 columns constant: gene-3, gene-8, gene-9, gene-10",
        "1 column with all cells missing: gene-5",
        "1 column name used more than once, told apart by position: gene-0",
        "7 rows with all cells missing: 4, 5, 6, 7, 8 and 2 more",
    )


def test_one_row_is_not_called_constant() -> None:
    assert ingest(ArraySource([[1.0, 2.0]]), open_store("memory://"), "d").warnings == ()


def test_progress_ends_at_the_size_of_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((500_000, 10)))
    seen: list[tuple[int, int]] = []
    ingest(
        open_source(tmp_path / "x.npy"), open_store("memory://"), "d", lambda done, total: seen.append((done, total))
    )
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] == (tmp_path / "x.npy").stat().st_size


def test_unknown_dataset_is_refused() -> None:
    with pytest.raises(RunError, match=r"nothing/dataset\.json is missing"):
        load_dataset(open_store("memory://"), "nothing")
