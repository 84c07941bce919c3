"""The same table gives the same numbers whatever format it comes in, and bad files are refused in one line."""

from __future__ import annotations

import gzip
import sys
import warnings
from pathlib import Path
from typing import Any

import anndata
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from numpy.typing import NDArray

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import InputError
from disnplbm.objects import open_store

from .tables import write_csv


def read(source: Source) -> NDArray[np.float64]:
    return np.concatenate([chunk.values for chunk in source.chunks()])


def error(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        list(open_source(path, **options).chunks())
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write_h5ad(path: Path, matrix: object, obs: pd.DataFrame | None = None, var: pd.DataFrame | None = None) -> Path:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        anndata.AnnData(matrix, obs=obs, var=var).write_h5ad(path)
    return path


@pytest.fixture
def table() -> NDArray[np.float64]:
    values = np.random.default_rng(5).normal(size=(50, 7))
    values[3, 2] = values[10] = np.nan
    return values


def test_one_hash_for_all_dense_formats_and_one_for_all_sparse_ones(tmp_path: Path, table: NDArray[np.float64]) -> None:
    frame = pd.DataFrame(table, columns=[f"c{j}" for j in range(7)])
    np.save(tmp_path / "c.npy", table)
    np.save(tmp_path / "f.npy", np.asfortranarray(table))
    np.save(tmp_path / "big.npy", table.astype(">f8"))
    np.savez(tmp_path / "a.npz", table)
    np.savez_compressed(tmp_path / "f.npz", x=np.asfortranarray(table), other=np.zeros(3))
    frame.to_parquet(tmp_path / "a.parquet", row_group_size=11)
    write_csv(tmp_path / "a.csv", table)
    write_csv(tmp_path / "a.tsv", table, missing="NA", delimiter="\t")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    write_h5ad(tmp_path / "dense.h5ad", table)
    write_h5ad(tmp_path / "csr.h5ad", sp.csr_matrix(table))
    write_h5ad(tmp_path / "csc.h5ad", sp.csc_matrix(table))
    scipy.io.mmwrite(tmp_path / "dense.mtx", table, precision=17)
    scipy.io.mmwrite(tmp_path / "sparse.mtx", sp.coo_array(table), precision=17)
    (tmp_path / "a.mtx.gz").write_bytes(gzip.compress((tmp_path / "sparse.mtx").read_bytes()))
    sources: list[Source] = [open_source(path) for path in sorted(tmp_path.iterdir())]
    sources += [ArraySource(x) for x in (table, table[:, :, None], frame, sp.csr_array(table), table.tolist())]
    datasets = [ingest(source, open_store("memory://"), "d") for source in sources]
    assert sum(dataset.sparse for dataset in datasets) == 5
    for sparse in (False, True):
        hashes = {dataset.sha256 for dataset in datasets if dataset.sparse == sparse}
        assert len(hashes) == 1, hashes
    for dataset in datasets:
        ((_, cells),) = dataset.arrays()
        np.testing.assert_array_equal(cells[:, :, 0], table)


def test_small_numbers_of_any_type_are_the_same(tmp_path: Path) -> None:
    small = np.random.default_rng(0).integers(0, 2, size=(20, 4))
    expected = small.astype(np.float64)[:, :, None]
    for dtype in ("bool", "int8", "uint16", "int64", "float16", "float32", ">i4"):
        np.save(tmp_path / "x.npy", small.astype(dtype))
        assert np.array_equal(read(open_source(tmp_path / "x.npy")), expected)
    mixed = pd.DataFrame(
        {
            "a": small[:, 0].astype(bool),
            "b": small[:, 1].astype("int32"),
            "c": pd.array(small[:, 2], "Int64"),
            "d": small[:, 3].astype("float32"),
        }
    )
    assert np.array_equal(read(ArraySource(mixed)), expected)
    mixed.to_parquet(tmp_path / "x.parquet")
    assert np.array_equal(read(open_source(tmp_path / "x.parquet")), expected)


def test_three_axes(tmp_path: Path, shared_dir: Path) -> None:
    cells = np.random.default_rng(1).normal(size=(9, 5, 4))
    for order in ("C", "F"):
        np.save(tmp_path / "x.npy", np.asarray(cells, order=order))
        source = open_source(tmp_path / "x.npy")
        assert source.dimension == 4
        assert np.array_equal(read(source), cells)
    assert "cannot tell which array" in error(shared_dir / "data" / "velib.npz")


def test_cell_that_misses_one_component_is_missing_whole() -> None:
    cells = np.ones((2, 2, 2))
    cells[0, 1, 1] = np.nan
    values = read(ArraySource(cells))
    assert np.isnan(values[0, 1]).all()
    assert np.isnan(cells[0, 1]).tolist() == [False, True], "the caller's array is left alone"


def padded(complete: int) -> NDArray[np.float64]:
    """100 cells of three numbers, of which only so many are complete."""
    x = np.arange(300.0).reshape(20, 5, 3)
    x.reshape(100, 3)[complete:, 2] = np.nan
    return x


@pytest.mark.parametrize("ending", [None, ".npy", ".npz"])
def test_an_array_padded_until_almost_no_cell_is_complete_is_refused(tmp_path: Path, ending: str | None) -> None:
    def source(x: NDArray[np.float64]) -> Source:
        if ending is None:
            return ArraySource(x)
        (np.save if ending == ".npy" else np.savez)(tmp_path / f"x{ending}", x)
        return open_source(tmp_path / f"x{ending}")

    with pytest.raises(InputError, match=r"91 of 100 cells .* missing as a whole, which leaves 9 cells; cut all cells"):
        list(source(padded(9)).chunks())
    most = source(padded(10))
    assert [len(list(most.chunks())), len(list(most.chunks()))] == [1, 1]
    assert [note for note in most.notes if "90 of 100 cells" in note] == most.notes[-1:]
    for complete, said in ((99, "1 of 100 cells"), (100, None)):
        few = source(padded(complete))
        list(few.chunks())
        assert [note for note in few.notes if said is not None and said in note] == few.notes[:1]


def test_a_cell_of_too_many_numbers_is_refused_with_what_to_do() -> None:
    assert ArraySource(np.zeros((3, 2, 1024))).dimension == 1024
    with pytest.raises(InputError, match=r"X has 1,025 numbers a cell, .* at most 1,024: keep fewer"):
        ArraySource(np.zeros((3, 2, 1025)))


def test_infinite_cell_of_an_array_is_named_by_row_and_column(tmp_path: Path) -> None:
    x = np.tile([1.0, 2.0, 3.0, np.inf], (4, 1))
    np.save(tmp_path / "x.npy", x)
    assert "row 1, column 3: inf is not a finite number" in error(tmp_path / "x.npy")
    x[:2, 3] = 0
    pd.DataFrame(x, columns=list("abcd")).to_parquet(tmp_path / "x.parquet")
    assert "row 3, column d: inf" in error(tmp_path / "x.parquet")
    with pytest.raises(InputError, match="X: row 3, column 3: -inf"):
        list(ArraySource(-x).chunks())


def test_row_names(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "kind": ["u", "v"]}, index=["r1", "r2"])
    frame.to_parquet(tmp_path / "x.parquet")
    (chunk,) = open_source(tmp_path / "x.parquet", class_column="kind").chunks()
    assert chunk.ids == ["r1", "r2"]
    assert chunk.classes == ["u", "v"]
    (chunk,) = ArraySource(frame[["a"]]).chunks()
    assert chunk.ids == ["r1", "r2"]
    obs = pd.DataFrame({"donor": ["d1", "d2"], "type": pd.Categorical(["T", "B"])}, index=["cell1", "cell2"])
    var = pd.DataFrame(index=["gene-0", "gene-0", "gene-1"])
    path = write_h5ad(tmp_path / "x.h5ad", np.ones((2, 3)), obs, var)
    source = open_source(path, class_column="type")
    (chunk,) = source.chunks()
    assert source.column_names == ["gene-0", "gene-0", "gene-1"]
    assert chunk.ids == ["cell1", "cell2"]
    assert chunk.classes == ["T", "B"]
    (chunk,) = open_source(path, id_column="donor").chunks()
    assert chunk.ids == ["d1", "d2"]
    assert "no column 'dnor' for --id-column: did you mean donor?" in error(path, id_column="dnor")


def test_text_column_of_parquet_suggests_the_id_column(tmp_path: Path) -> None:
    pd.DataFrame({"gene": ["a", "b"], "x": [1.0, 2.0]}).to_parquet(tmp_path / "x.parquet")
    assert "--id-column gene" in error(tmp_path / "x.parquet")
    assert next(open_source(tmp_path / "x.parquet", id_column="gene").chunks()).ids == ["a", "b"]
    pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}).to_parquet(tmp_path / "t.parquet")
    assert "column t is of type timestamp" in error(tmp_path / "t.parquet")


@pytest.mark.parametrize("ending", ["npy", "npz", "parquet", "h5ad", "mtx"])
def test_file_that_is_not_what_its_name_says_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"x.{ending}"
    path.write_text("this is no such file\n")
    assert str(path) in error(path)


def test_arrays_that_are_no_tables_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    for array, said in (
        (np.zeros(3), "two axes"),
        (np.zeros((2, 0)), "at least one row"),
        (np.zeros((2, 2), complex), "complex128"),
        (np.array([["a", "b"]]), "not real numbers"),
        (np.zeros((1, 1, 1, 1)), "two axes"),
    ):
        np.save(path, array)
        assert said in error(path)
        with pytest.raises(InputError, match=said):
            ArraySource(array)
    np.save(path, np.array([[1, "a"]], dtype=object), allow_pickle=True)
    assert "object" in error(path)


def test_file_that_is_cut_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((100, 10)))
    path.write_bytes(path.read_bytes()[:-1])
    assert "cut short" in error(path)


def test_names_do_not_apply_to_arrays(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 2)))
    assert "--id-column a does not apply" in error(tmp_path / "x.npy", id_column="a")


def test_missing_file_folder_and_unknown_kind(tmp_path: Path) -> None:
    assert "file not found" in error(tmp_path / "x.csv")
    assert "is a folder" in error(tmp_path)
    (tmp_path / "x.doc").write_text("x")
    assert "unknown kind of file '.doc'; supported are .csv" in error(tmp_path / "x.doc")


@pytest.mark.parametrize("ending", ["xlsx", "xls", "ods", "XLSX"])
def test_a_spreadsheet_is_to_be_saved_as_csv(tmp_path: Path, ending: str) -> None:
    for name in (f"x.{ending}", "renamed.csv"):
        (tmp_path / name).write_bytes(b"PK\x03\x04 and more")
        assert "save the sheet as CSV (UTF-8)" in error(tmp_path / name)


def test_h5ad_without_the_extra_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_h5ad(tmp_path / "x.h5ad", np.ones((2, 3)))
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert "pip install 'disnplbm[bio]'" in error(path)


def test_wide_sparse_matrix_is_made_dense_in_pieces() -> None:
    matrix = sp.random_array((600, 20_000), density=0.015, format="csr", rng=np.random.default_rng(0))
    chunks = list(ArraySource(matrix).chunks())
    assert max(chunk.values.nbytes for chunk in chunks) <= 8 * 2**20
    assert sum(chunk.values.sum() for chunk in chunks) == pytest.approx(matrix.sum())


def test_real_data_sets(shared_dir: Path) -> None:
    for name, shape, missing in (
        ("chowdary-2006", (104, 182), 0),
        ("nutt-2003-v3", (22, 1152), 0),
        ("senate109", (102, 645), 2933),
    ):
        source = open_source(shared_dir / "data" / f"{name}.csv.gz", id_column="sample", class_column="class")
        values = read(source)
        assert values.shape == (*shape, 1)
        assert np.isnan(values).sum() == missing


@pytest.mark.parametrize("kind", ["csv", "parquet", "h5ad"])
def test_columns_are_left_out_of_every_format_with_names(tmp_path: Path, table: NDArray[np.float64], kind: str) -> None:
    frame = pd.DataFrame(table, columns=[f"c{j}" for j in range(7)])
    path = tmp_path / f"x.{kind}"
    if kind == "csv":
        write_csv(path, table)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        write_h5ad(path, table, var=pd.DataFrame(index=frame.columns))
    source = open_source(path, drop_columns=("c5", "c1"))
    assert source.column_names == ["c0", "c2", "c3", "c4", "c6"]
    assert np.array_equal(read(source)[:, :, 0], table[:, [0, 2, 3, 4, 6]], equal_nan=True)
    assert "no column 'c9' for --drop-column" in error(path, drop_columns=("c9",))
    turned = open_source(path, drop_columns=("c5", "c1"), transpose=True)
    assert np.array_equal(read(turned)[:, :, 0], table[:, [0, 2, 3, 4, 6]].T, equal_nan=True)
