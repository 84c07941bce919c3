"""Sparse tables from the reader to the store: the same cells as a dense table, with the memory of what is not zero."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data import sparse_rows
from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import Dataset, ingest, load_dataset
from disnplbm.data.limited import LimitedSource
from disnplbm.data.odd_columns import TableSummary
from disnplbm.data.preflight import survey
from disnplbm.data.source import open_source
from disnplbm.data.table import SparseChunk, is_sparse
from disnplbm.data.transposed import TransposedSource
from disnplbm.errors import InputError, RunError
from disnplbm.objects import open_store


@st.composite
def sparse_tables(draw: st.DrawFn) -> NDArray[np.float64]:
    """Tables with many zeros: counts, numbers with fractions, codes of missing cells, missing cells."""
    n, p = draw(st.integers(1, 30)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    table = rng.poisson(draw(st.sampled_from([0.05, 0.5, 5.0])), (n, p)).astype(np.float64)
    table *= draw(st.sampled_from([1.0, 100.0, 40_000.0, -1.0, 0.1]))
    table[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.0, 0.1]))] = -999.0
    table[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.0, 0.2, 1.0]))] = np.nan
    table[:, rng.random(p) < draw(st.sampled_from([0.0, 0.3]))] = draw(st.sampled_from([0.0, 3.0, np.nan]))
    return table


def dense_cells(dataset: Dataset) -> NDArray[np.float64]:
    return np.concatenate([values[:, :, 0] for _, values in dataset.checked_arrays()])


@settings(deadline=None, max_examples=60)
@given(table=sparse_tables(), chunk_bytes=st.integers(1, 3000), entries=st.sampled_from([1, 7, 2**19]))
def test_a_sparse_table_and_a_dense_one_are_the_same_table(
    table: NDArray[np.float64], chunk_bytes: int, entries: int
) -> None:
    store = open_store("memory://")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_rows, "READ_ENTRIES", entries)
        found = ingest(ArraySource(sp.csr_array(table)), store, "small", chunk_bytes=chunk_bytes)
    dense = ingest(ArraySource(table), store, "dense")
    assert (found.sparse, dense.sparse) == (True, False)
    assert np.array_equal(dense_cells(found), table, equal_nan=True)
    assert (found.missing, found.warnings) == (dense.missing, dense.warnings)
    assert found.sha256 == ingest(ArraySource(sp.csc_matrix(table)), store, "large").sha256 != dense.sha256
    assert load_dataset(store, "small") == found
    for dataset in (found, dense):
        rows = [rows for _, rows in dataset.checked_csr_chunks()]
        ends = np.cumsum([0, *(len(part.indptr) - 1 for part in rows)]).tolist()
        assert [first for first, _ in dataset.csr_chunks()] == ends[:-1]
        whole = sp.vstack(rows, format="csr")
        assert np.array_equal(whole.toarray(), table, equal_nan=True)
        assert whole.nnz == np.count_nonzero(table)


@settings(deadline=None, max_examples=40)
@given(table=sparse_tables(), entries=st.sampled_from([1, 7, 2**19]))
def test_what_is_odd_about_a_table_is_found_without_its_zeros(table: NDArray[np.float64], entries: int) -> None:
    names = [f"g{j}" for j in range(table.shape[1])]
    sources = [ArraySource(x, column_names=names) for x in (table, sp.csr_array(table))]
    dense, sparse = map(TableSummary, sources)
    for chunk in sources[0].chunks():
        dense.add(chunk)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse_rows, "READ_ENTRIES", entries)
        assert is_sparse(sources[1])
        for sparse_chunk in sources[1].sparse_chunks():
            sparse.add_sparse(sparse_chunk)
    for name in ("low", "high", "observed", "constant", "empty"):
        np.testing.assert_array_equal(getattr(sparse, name), getattr(dense, name))
    assert (sparse.rows, sparse.missing, sparse.notes()) == (dense.rows, dense.missing, dense.notes())


def chunks_of(source: object) -> list[SparseChunk]:
    assert is_sparse(source)  # type: ignore[arg-type]
    return list(source.sparse_chunks())  # type: ignore[attr-defined]


def test_rows_are_cleaned() -> None:
    """An entry twice, a stored zero, two that add up to zero, and columns that are not in order."""
    data = np.array([1.0, 2.0, 4.0, 0.0, 3.0, -3.0, np.nan, 5.0])
    columns = np.array([2, 0, 2, 1, 1, 1, 2, 0])
    given = sp.csr_array((data, columns, np.array([0, 4, 6, 8])), shape=(3, 3))
    before = data.copy(), columns.copy()
    (chunk,) = chunks_of(ArraySource(given))
    assert chunk.values.toarray().tolist()[:2] == [[2.0, 0.0, 5.0], [0.0, 0.0, 0.0]]
    assert (chunk.values.nnz, chunk.values.data.dtype, chunk.values.indices.dtype) == (4, np.float64, np.int32)
    assert chunk.values.has_canonical_format
    # What was given stays as it was.
    np.testing.assert_array_equal(given.data, before[0])
    np.testing.assert_array_equal(given.indices, before[1])


def test_an_infinite_cell_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_rows, "READ_ENTRIES", 2)
    table = np.eye(5)
    table[3, 1] = -np.inf
    with pytest.raises(InputError, match="X: row 4, column 1: -inf is not a finite number"):
        chunks_of(ArraySource(sp.csr_array(table)))


def test_rows_keep_their_names_and_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_rows, "READ_ENTRIES", 5)
    names, classes = [f"r{i}" for i in range(40)], ["uv"[i % 2] for i in range(40)]
    table = sp.random_array((40, 6), density=0.4, rng=np.random.default_rng(1))
    source = ArraySource(table, row_names=names, classes=classes)
    assert len(chunks_of(source)) > 5
    dataset = ingest(source, open_store("memory://"), "d", chunk_bytes=300)
    assert len(dataset.chunks) > 5
    assert (dataset.row_names, dataset.classes) == (names, classes)
    seen = [(chunk.ids, chunk.classes, chunk.bytes_read) for chunk in source.chunks()]
    assert [name for ids, _, _ in seen for name in ids or ()] == names
    assert seen[-1][2] == source.bytes_total


def test_the_room_of_a_sparse_table_is_that_of_what_it_stores() -> None:
    table = sp.eye_array(2000, format="csr")
    source = LimitedSource(ArraySource(table), 100_000)
    assert sum(chunk.values.nnz for chunk in chunks_of(source)) == 2000
    # Dense rows are made one after the other, and count as the sparse ones.
    assert sum(len(chunk.values) for chunk in source.chunks()) == 2000
    with pytest.raises(InputError, match="unpacks to more than 10,000 bytes of cells"):
        chunks_of(LimitedSource(ArraySource(table), 10_000))


@pytest.mark.parametrize("drop", [(), ("2", "0")])
def test_wrappers_keep_a_sparse_table_sparse(tmp_path: Path, drop: tuple[str, ...]) -> None:
    table = sp.random_array((9, 5), density=0.4, rng=np.random.default_rng(2)).toarray()
    frame = pd.DataFrame.sparse.from_spmatrix(sp.csr_matrix(table), columns=list("01234"))
    kept = [j for j in range(5) if str(j) not in drop]
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(table))
    source = open_source(tmp_path / "x.npz", most_bytes=10_000, transpose=True)
    assert np.array_equal(np.concatenate([c.values.toarray() for c in chunks_of(source)]), table.T)
    assert np.array_equal(np.concatenate([c.values[:, :, 0] for c in source.chunks()]), table.T)
    source = TransposedSource(ArraySource(frame.drop(columns=list(drop)), row_names=list("abcdefghi")))
    (chunk,) = chunks_of(source)
    assert (chunk.ids, source.column_names) == ([str(j) for j in kept], list("abcdefghi"))
    assert np.array_equal(chunk.values.toarray(), table[:, kept].T)


def test_a_survey_of_a_sparse_table_is_that_of_the_dense_one() -> None:
    table = np.random.default_rng(3).poisson(0.3, (60, 20)).astype(np.float64)
    assert survey(ArraySource(sp.csr_array(table)))[0] == survey(ArraySource(table))[0]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1, 255], np.uint8),
        ([1, 256], np.uint16),
        ([1, 65_536], np.int32),
        ([-1, 3], np.int32),
        ([1, 2**31], np.float64),
        ([0.5, 1], np.float64),
        ([np.nan, 1], np.float64),
    ],
)
def test_counts_take_a_byte_each(values: list[float], dtype: type) -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(sp.csr_array([[0, value] for value in values], dtype=np.float64)), store, "d")
    # Three headers of 128 bytes, where rows end, and columns.
    assert store.size(dataset.chunks[0].key) == 3 * 128 + 3 * 8 + 2 * (4 + np.dtype(dtype).itemsize)
    np.testing.assert_array_equal(dense_cells(dataset)[:, 1], values)


def test_cells_that_were_changed_are_found() -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(sp.eye_array(4)), store, "d")
    ingest(ArraySource(2 * sp.eye_array(4)), store, "other")
    store.put(dataset.chunks[0].key, bytes(store.get("other/chunks/000000.csr")))
    for read in (dataset.checked_arrays, dataset.checked_csr_chunks):
        with pytest.raises(RunError, match="chunks in memory:// is damaged"):
            list(read())


def test_a_dataset_from_before_is_dense() -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(np.eye(3)), store, "d")
    text = bytes(store.get("d/dataset.json")).decode()
    store.put("d/dataset.json", text.replace(',\n "sparse": false', "").encode())
    assert "sparse" not in bytes(store.get("d/dataset.json")).decode()
    assert load_dataset(store, "d") == dataset


def test_counts_in_a_text_file_may_add_up_to_more_than_a_byte(tmp_path: Path) -> None:
    entries = sp.coo_array((np.array([200, 100, 7]), (np.array([0, 0, 1]), np.array([1, 1, 0]))), shape=(2, 2))
    lines = "".join(f"{i + 1} {j + 1} {value}\n" for i, j, value in zip(*entries.coords, entries.data, strict=True))
    (tmp_path / "x.mtx").write_text(f"%%MatrixMarket matrix coordinate integer general\n2 2 3\n{lines}")
    (chunk,) = chunks_of(open_source(tmp_path / "x.mtx"))
    assert chunk.values.toarray().tolist() == [[0.0, 300.0], [7.0, 0.0]]


_MEASURED = """
import sys
from pathlib import Path
from disnplbm.data.dataset import ingest
from disnplbm.data.source import open_source
from disnplbm.objects import open_store
dataset = ingest(open_source(sys.argv[1], transpose=sys.argv[2] == "turned"), open_store(sys.argv[3]), "d")
print(dataset.n, dataset.p, sum(rows.nnz for _, rows in dataset.checked_csr_chunks()))
(peak,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(int(peak.split()[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak from /proc")
@pytest.mark.parametrize(("name", "orientation"), [("x.npz", "turned"), ("x.mtx", "plain")])
def test_ten_thousand_cells_take_the_memory_of_their_counts(tmp_path: Path, name: str, orientation: str) -> None:
    """10,000 x 20,000 cells are 1.6 GB dense; 2.8 % of them take 67 MB."""
    rng, n, p, entries = np.random.default_rng(0), 10_000, 20_000, 5_600_000
    row, column = np.sort(rng.integers(0, n, entries)), rng.integers(0, p, entries)
    table = sp.csr_array((rng.geometric(0.4, entries).astype(np.int32), (row, column)), shape=(n, p))
    if name == "x.npz":
        sp.save_npz(tmp_path / name, table, compressed=False)
    else:
        scipy.io.mmwrite(tmp_path / name, table)
    asked = [sys.executable, "-c", _MEASURED, str(tmp_path / name), orientation, str(tmp_path / "store")]
    done = subprocess.run(asked, capture_output=True, text=True, check=True)
    found, peak = done.stdout.splitlines()
    shape = (n, p) if orientation == "plain" else (p, n)
    assert found == f"{shape[0]} {shape[1]} {table.nnz}"
    assert int(peak) < 300
