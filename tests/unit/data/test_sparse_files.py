"""Sparse matrices in files: scipy's .npz, AnnData, folders of 10x. What points beyond the matrix is refused."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp

from disnplbm.data.source import open_source
from disnplbm.data.table import Source, is_sparse
from disnplbm.errors import InputError

TABLE = sp.random_array((8, 6), density=0.4, rng=np.random.default_rng(0)).toarray()


def cells(source: Source) -> np.ndarray:
    return np.concatenate([chunk.values[:, :, 0] for chunk in source.chunks()])


def refusal(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        cells(open_source(path, **options))
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("make", [sp.coo_array, sp.coo_matrix])
@pytest.mark.parametrize("compressed", [True, False])
def test_what_scipy_saved_is_read(tmp_path: Path, kind: str, make: Any, compressed: bool) -> None:
    for table in (TABLE, TABLE.astype(np.float32), np.rint(5 * TABLE).astype(np.int32), TABLE > 0.5):
        sp.save_npz(tmp_path / "x.npz", make(table).asformat(kind), compressed=compressed)
        np.testing.assert_array_equal(cells(open_source(tmp_path / "x.npz")), table)


def test_blocks_of_several_cells_are_read(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.bsr_array(TABLE, blocksize=(2, 3)))
    np.testing.assert_array_equal(cells(open_source(tmp_path / "x.npz")), TABLE)


def saved(folder: Path, **changes: Any) -> Path:
    matrix = sp.csr_array(TABLE)
    parts = {"format": b"csr", "shape": matrix.shape, "data": matrix.data}
    np.savez(folder / "x.npz", **parts | {"indices": matrix.indices, "indptr": matrix.indptr} | changes)
    return folder / "x.npz"


def changed(values: np.ndarray, position: int, value: int) -> np.ndarray:
    values = values.copy()
    values[position] = value
    return values


MATRIX = sp.csr_array(TABLE)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"indices": changed(MATRIX.indices, 3, 6)}, "damaged: "),
        ({"indices": changed(MATRIX.indices, 3, 2_000_000_000)}, "damaged: "),
        ({"indices": changed(MATRIX.indices, 3, -1)}, "damaged: "),
        ({"indices": MATRIX.indices + 0.5}, "damaged: "),
        ({"indptr": changed(MATRIX.indptr, 3, 2_000_000_000)}, "damaged: "),
        ({"indptr": changed(MATRIX.indptr, -1, 10_000)}, "damaged: "),
        ({"indptr": MATRIX.indptr[:-2]}, "damaged: "),
        ({"data": MATRIX.data[:-2]}, "damaged: "),
        ({"data": MATRIX.data[None]}, "damaged: "),
        ({"data": MATRIX.data * 1j}, "holds complex128"),
        ({"data": MATRIX.data.astype(object)}, "not real numbers"),
        ({"format": b"lil"}, "unknown format 'lil'"),
        ({"format": np.array(["csr"] * 9)}, "no sparse matrix of two axes"),
        ({"shape": (8, 6, 1)}, "no sparse matrix of two axes"),
        ({"shape": (8.5, 6)}, "a table has two axes"),
        ({"shape": (0, 6)}, "at least one row"),
        ({"shape": (10**12, 6)}, "at most"),
        ({"shape": (10**6, 10**6)}, "less than one in 10,000"),
        ({"shape": (-8, 6)}, "damaged"),
    ],
    ids=range(19),
)
def test_a_sparse_file_that_does_not_add_up_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    assert said in refusal(saved(tmp_path, **changes))


def test_coo_beyond_its_shape_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", format=b"coo", shape=(2, 2), data=[1.0], row=[0], col=[7])
    assert "damaged" in refusal(tmp_path / "x.npz")


@pytest.mark.parametrize("index", [4, 99, 2_000_000_000, -1])
@pytest.mark.parametrize(("make", "noun"), [(sp.csr_matrix, "column"), (sp.csc_matrix, "row")])
def test_an_index_beyond_the_last_is_refused_in_h5ad(tmp_path: Path, make: Any, noun: str, index: int) -> None:
    """Report 01: SciPy's C code wrote where the index points."""
    anndata.AnnData(make(np.arange(12.0).reshape(3, 4))).write_h5ad(tmp_path / "x.h5ad")
    with h5py.File(tmp_path / "x.h5ad", "a") as file:
        file["X/indices"][-1] = index
    assert f"damaged: a {noun} index is beyond the last {noun}" in refusal(tmp_path / "x.h5ad")


def test_rows_that_do_not_add_up_are_refused_in_h5ad(tmp_path: Path) -> None:
    anndata.AnnData(sp.csr_matrix(np.arange(12.0).reshape(3, 4))).write_h5ad(tmp_path / "x.h5ad")
    with h5py.File(tmp_path / "x.h5ad", "a") as file:
        file["X/indptr"][1] = 9
    assert "its rows do not add up to its 11 cells" in refusal(tmp_path / "x.h5ad")


@pytest.mark.parametrize(
    "classes",
    [
        pd.array([1, None, 3], dtype="Int64"),
        pd.array(["1", None, "3"], dtype="string"),
        pd.Categorical(["1", None, "3"]),
    ],
    ids=["Int64", "string", "category"],
)
def test_a_missing_class_of_anndata_is_no_class(tmp_path: Path, classes: Any) -> None:
    """Report 23, first half."""
    obs = pd.DataFrame({"k": classes}, index=["c1", "c2", "c3"])
    with anndata.settings.override(allow_write_nullable_strings=True):
        anndata.AnnData(np.arange(6.0).reshape(3, 2), obs=obs).write_h5ad(tmp_path / "x.h5ad")
    (chunk,) = open_source(tmp_path / "x.h5ad", class_column="k").chunks()
    assert chunk.classes == ["1", "", "3"]


def test_anndata_without_x_names_its_layers(tmp_path: Path) -> None:
    """Report 23, second half."""
    obs, var = pd.DataFrame(index=["c1"]), pd.DataFrame(index=["g"])
    anndata.AnnData(obs=obs, var=var, layers={"counts": np.ones((1, 1))}).write_h5ad(tmp_path / "x.h5ad")
    said = refusal(tmp_path / "x.h5ad")
    assert said.endswith("has no matrix X; its layers are counts: choose one by --layer counts")
    anndata.AnnData(obs=obs, var=var).write_h5ad(tmp_path / "y.h5ad")
    assert refusal(tmp_path / "y.h5ad").endswith("has no matrix X, nor has it any layer: store the data in X")
    assert "has no layer 'counts' for --layer: it has none" in refusal(tmp_path / "y.h5ad", layer="counts")


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, np.asarray])
def test_a_layer_is_read_with_its_names(tmp_path: Path, make: Any) -> None:
    counts = np.rint(9 * TABLE)
    names = pd.DataFrame({"kind": list("uvuvuvuv")}, index=[f"c{i}" for i in range(8)])
    whole = anndata.AnnData(make(TABLE), obs=names, var=pd.DataFrame(index=list("abcdef")))
    data = whole[:, 2:].copy()
    data.raw, data.layers["counts"] = whole, make(counts[:, 2:])
    data.write_h5ad(tmp_path / "x.h5ad")
    for layer, due, columns in (
        (None, TABLE[:, 2:], "cdef"),
        ("X", TABLE[:, 2:], "cdef"),
        ("counts", counts[:, 2:], "cdef"),
        ("raw", TABLE, "abcdef"),
    ):
        source = open_source(tmp_path / "x.h5ad", layer=layer, class_column="kind")
        np.testing.assert_array_equal(cells(source), due)
        assert (is_sparse(source), source.column_names) == (make is not np.asarray, list(columns))
        turned = open_source(tmp_path / "x.h5ad", layer=layer, transpose=True)
        np.testing.assert_array_equal(cells(turned), due.T)
        assert turned.column_names == list(names.index)
    fewer = open_source(tmp_path / "x.h5ad", layer="counts", drop_columns=("d",))
    np.testing.assert_array_equal(cells(fewer), counts[:, [2, 4, 5]])
    assert "has no layer 'count' for --layer: its layers are counts, raw" in refusal(tmp_path / "x.h5ad", layer="count")


def test_a_layer_that_is_called_raw_is_read(tmp_path: Path) -> None:
    data = anndata.AnnData(sp.csr_matrix(TABLE), layers={"raw": sp.csr_matrix(2 * TABLE)})
    data.raw = data
    data.write_h5ad(tmp_path / "x.h5ad")
    np.testing.assert_array_equal(cells(open_source(tmp_path / "x.h5ad", layer="raw")), 2 * TABLE)


def test_a_layer_of_another_length_is_refused(tmp_path: Path) -> None:
    anndata.AnnData(TABLE, layers={"a": TABLE}).write_h5ad(tmp_path / "x.h5ad")
    with h5py.File(tmp_path / "x.h5ad", "a") as file:
        del file["layers/a"]
        file["layers/a"] = np.ones((9, 6))
    assert "obs names 8 of 9" in refusal(tmp_path / "x.h5ad", layer="a")


def test_other_formats_have_no_layers(tmp_path: Path) -> None:
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(TABLE))
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    for name in ("x.npz", "x.csv"):
        assert "file has no layers, so --layer counts does not apply" in refusal(tmp_path / name, layer="counts")


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("turned", [False, True])
def test_a_folder_of_10x_is_sparse_in_either_orientation(tmp_path: Path, packed: bool, turned: bool) -> None:
    source = open_source(tenx(tmp_path / "folder", packed=packed), transpose=turned)
    assert is_sparse(source)
    (chunk,) = source.sparse_chunks()
    counts = np.rint(9 * TABLE)
    np.testing.assert_array_equal(chunk.values.toarray(), counts if turned else counts.T)
    genes, barcodes = [f"Gene{j}" for j in range(8)], [f"AAAC-{i}" for i in range(6)]
    assert (chunk.ids, source.column_names) == ((genes, barcodes) if turned else (barcodes, genes))


def tenx(folder: Path, prefix: str = "", features: str = "features.tsv.gz", packed: bool = True) -> Path:
    """8 genes of 6 cells."""
    folder.mkdir()
    texts = {
        features: "".join(f"ENSG{j}\tGene{j}\tGene Expression\n" for j in range(8)),
        "barcodes.tsv.gz": "".join(f"AAAC-{i}\n" for i in range(6)),
    }
    for name, text in texts.items():
        content = text.encode()
        path = folder / f"{prefix}{name if packed else name.removesuffix('.gz')}"
        path.write_bytes(gzip.compress(content) if packed else content)
    plain = folder / f"{prefix}matrix.mtx"
    scipy.io.mmwrite(plain, sp.coo_array(np.rint(9 * TABLE).astype(int)))
    if packed:
        (folder / f"{prefix}matrix.mtx.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    return folder


@pytest.mark.parametrize(
    ("prefix", "features", "packed"), [("", "features.tsv.gz", True), ("GSM1_", "genes.tsv.gz", False)]
)
def test_a_10x_folder_has_cells_as_rows_and_genes_as_columns(
    tmp_path: Path, prefix: str, features: str, packed: bool
) -> None:
    source = open_source(tenx(tmp_path / "pbmc", prefix, features, packed))
    np.testing.assert_array_equal(cells(source), np.rint(9 * TABLE).T)
    assert source.column_names == [f"Gene{j}" for j in range(8)]
    assert [name for chunk in source.chunks() for name in chunk.ids or ()] == [f"AAAC-{i}" for i in range(6)]
    assert source.notes == ["pbmc is a 10x folder: cells are the rows, genes are the columns"]


def test_a_10x_folder_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    folder = tenx(tmp_path / "pbmc")
    (folder / "barcodes.tsv.gz").rename(tmp_path / "elsewhere")
    assert "has no barcodes.tsv (or barcodes.tsv.gz) with the cells" in refusal(folder)
    (folder / "barcodes.tsv").write_text("AAAC-1\n")
    assert "lists 8 genes and barcodes.tsv 1 cells: the files are not of one folder" in refusal(folder)
    (folder / "s2_features.tsv").write_text("g\n")
    assert "more than one file with the genes (features.tsv.gz, s2_features.tsv)" in refusal(folder)
    assert "a 10x folder has no named columns, so --id-column a does not apply" in refusal(folder, id_column="a")
    assert "is a folder: give a file" in refusal(tmp_path)


def test_a_matrix_beside_barcodes_says_that_the_folder_can_be_given(tmp_path: Path) -> None:
    (note,) = open_source(tenx(tmp_path / "pbmc") / "matrix.mtx.gz").notes
    assert "give the folder" in note


def test_a_large_matrix_is_read_in_stretches_as_often_as_one_asks(tmp_path: Path) -> None:
    """Rows that are compressed are never in memory as a whole; a member that lacks, or is garbled, is told."""
    rng = np.random.default_rng(3)
    rows = np.sort(rng.integers(0, 3000, 1_300_000))
    table = sp.coo_array((rng.integers(1, 9, len(rows)), (rows, rng.integers(0, 900, len(rows)))), (3000, 900)).tocsr()
    for compressed in (True, False):
        sp.save_npz(tmp_path / "x.npz", table, compressed=compressed)
        source = open_source(tmp_path / "x.npz")
        assert is_sparse(source)
        for _ in range(2):
            chunks = [chunk.values for chunk in source.sparse_chunks()]
            assert len(chunks) > 1
            assert (sp.vstack(chunks) != table).nnz == 0
    whole = (tmp_path / "x.npz").read_bytes()
    place = whole.index(b"data.npy") + 200_000
    (tmp_path / "x.npz").write_bytes(whole[:place] + b"\xff" + whole[place + 1 :])
    assert "damaged" in refusal(tmp_path / "x.npz")


def test_a_sparse_file_without_its_indices_is_damaged(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", format=b"csr", shape=MATRIX.shape, data=MATRIX.data, indptr=MATRIX.indptr)
    assert "damaged" in refusal(tmp_path / "x.npz")
