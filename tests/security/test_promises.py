"""What a file promises is weighed before it takes memory: small files that say they hold, or unpack to, gigabytes."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anndata
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp

from disnplbm.data import limits
from disnplbm.data.limited import LimitedSource
from disnplbm.data.source import open_source
from disnplbm.errors import InputError
from marks import long

from .reading import read_apart

MTX = b"%%MatrixMarket matrix coordinate real general\n"


def _text(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def _tall(path: Path) -> None:
    _text(path, MTX + b"400000000 1 1\n1 1 1.0\n")


def _report_20(path: Path) -> None:
    _text(path, MTX + b"1000000000 10 1\n1 1 1.0\n")


def _tall_packed(path: Path) -> None:
    """As many entries as such a table must have, all of them the same."""
    _text(path, MTX + b"400000000 1 40000\n" + b"1 1 1\n" * 40_000)


def _commas(path: Path) -> None:
    _text(path, b"," * 134_000_000 + b"\n")


def _blanks(path: Path) -> None:
    _text(path, b"1 " * 60_000_000 + b"\n")


def _packed_rows(path: Path) -> None:
    """A gibibyte of honest rows in a megabyte."""
    with path.open("wb") as file:
        for _ in range(32):
            file.write(gzip.compress(b"0,0\n" * 8_000_000))


def _array(path: Path, start: bytes, mebibytes: int) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as member,
    ):
        member.write(start)
        for _ in range(mebibytes):
            member.write(bytes(2**20))


def _header(shape: tuple[int, ...], *, fortran: bool) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"shape": shape, "fortran_order": fortran, "descr": "<f8"})
    return out.getvalue()


def _longer_than_it_says(path: Path) -> None:
    _array(path, _header((4, 3), fortran=True), 2048)


def _honest_and_too_much(path: Path) -> None:
    _array(path, _header((2**26, 4), fortran=True), 2048)


def _long_header(path: Path) -> None:
    _array(path, b"\x93NUMPY\x02\x00" + struct.pack("<I", 2_000_000_000), 2000)


def _long_header_unpacked(path: Path) -> None:
    with path.open("wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", 2_000_000_000))
        file.truncate(2_000_000_100)


def _deep_header(path: Path) -> None:
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", 9000) + b"-" * 8999 + b"\n")


def _beside_the_arrays(path: Path) -> None:
    """SciPy's reader takes a member of that name, array or not, into memory."""
    sp.save_npz(path, sp.csr_array(np.eye(3)))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("data", "w") as member:
        for _ in range(1500):
            member.write(bytes(2**20))


def _tall_anndata(path: Path, rows: int, word: str, categories: list[str]) -> None:
    """Rows of zeros, of which each name points to one and the same string; and classes, all the first one."""
    obs = pd.DataFrame({"k": pd.Categorical(categories)}, index=categories)
    anndata.AnnData(np.zeros((len(categories), 1), np.int8), obs=obs).write_h5ad(path)
    with h5py.File(path, "a") as file:
        for name in ("X", "obs/_index", "obs/k/codes"):
            old = file[name]
            attributes, kind, columns = dict(old.attrs), old.dtype, old.shape[1:]
            del file[name]
            new = file.create_dataset(
                name, (rows, *columns), kind, chunks=(rows, *columns), compression="gzip", compression_opts=9
            )
            new.attrs.update(attributes)
        file["obs/_index"][0] = word
    with h5py.File(path, "a") as file:
        names = file["obs/_index"]
        pointers = np.frombuffer(zlib.decompress(names.id.read_direct_chunk((0,))[1]), "V16").copy()
        pointers[:] = pointers[0]
        names.id.write_direct_chunk((0,), zlib.compress(pointers.tobytes(), 9))


def _one_string_many_times(path: Path) -> None:
    """116,000 names that point to one and the same string of 75 kB."""
    _tall_anndata(path, 116_000, "x" * 75_000, ["a"])


def _one_category_many_times(path: Path) -> None:
    _tall_anndata(path, 116_000, "x", ["y" * 75_000])


def _groups_in_groups(path: Path) -> None:
    """2,000 levels, of which HDF5 looks up each one from the first: a minute for 2 MiB, and far more for 4 MiB."""
    anndata.AnnData(np.zeros((3, 2))).write_h5ad(path)
    with h5py.File(path, "a") as file:
        group = file["uns"]
        for _ in range(2000):
            group = group.create_group("g")


def _large_chunk(path: Path) -> None:
    """HDF5 unpacks a whole chunk, of an array of one row too."""
    anndata.AnnData(np.zeros((1, 1))).write_h5ad(path)
    with h5py.File(path, "a") as file:
        del file["X"]
        cells = file.create_dataset("X", (1, 1), maxshape=(None, 1), chunks=(2**28, 1), dtype="f8", compression="gzip")
        cells.id.write_direct_chunk((0, 0), zlib.compress(bytes(2**20)))


def _one_word_many_times(path: Path) -> None:
    rows = 116_000
    words = pa.DictionaryArray.from_arrays(np.zeros(rows, np.int32), ["y" * 75_000])
    pq.write_table(pa.table({"id": words, "v": np.zeros(rows)}), path, store_schema=False)


def _words_that_share_their_beginning(path: Path) -> None:
    """Delta encoding stores what is new in each word."""
    words = pa.array(["y" * 75_000 + str(i) for i in range(8000)])
    table = pa.table({"id": words, "v": np.zeros(8000)})
    pq.write_table(table, path, use_dictionary=False, column_encoding={"id": "DELTA_BYTE_ARRAY", "v": "PLAIN"})


def _many_rows_alike(path: Path) -> None:
    writer = pq.ParquetWriter(path, pa.schema({"v": pa.float64()}))
    with writer:
        for _ in range(8):
            writer.write_table(pa.table({"v": np.zeros(10_000_000)}), row_group_size=10_000_000)


BOMBS: dict[str, tuple[Callable[[Path], None], dict[str, Any], int, str]] = {
    "tall.mtx": (_tall, {}, 70, "less than one in 10,000"),
    "report-20.mtx": (_report_20, {}, 80, "less than one in 10,000"),
    "tall.mtx.gz": (_tall_packed, {}, 1000, "less than one in 10,000"),
    "commas.csv.gz": (_commas, {}, 270_000, "134,000,001 columns, and at most 5,000,000 can be read"),
    "blanks.txt.gz": (_blanks, {"delimiter": "space"}, 270_000, "columns, and at most 5,000,000 can be read"),
    "rows.csv.gz": (_packed_rows, {}, 1_100_000, "and unpacks to more than"),
    "longer.npz": (_longer_than_it_says, {}, 2_200_000, "where its header promises 224"),
    "honest.npz": (_honest_and_too_much, {}, 2_200_000, "and unpacks to more than"),
    "header.npz": (_long_header, {}, 2_200_000, "is not a .npy array"),
    "header.npy": (_long_header_unpacked, {}, 2_100_000_000, "is not a .npy array"),
    "deep.npy": (_deep_header, {}, 10_000, "is not a .npy array"),
    "beside.npz": (_beside_the_arrays, {}, 1_600_000, "more than one sparse matrix"),
    "strings.h5ad": (_one_string_many_times, {}, 120_000, "longer than the file"),
    "category.h5ad": (_one_category_many_times, {"class_column": "k"}, 200_000, "letters of names"),
    "chunk.h5ad": (_large_chunk, {}, 100_000, "cannot hold"),
    "groups.h5ad": (_groups_in_groups, {}, 2_100_000, "groups within groups"),
    "ids.parquet": (_one_word_many_times, {"id_column": "id"}, 100_000, "letters of names"),
    "delta.parquet": (_words_that_share_their_beginning, {"id_column": "id"}, 800_000, "letters of names"),
    "alike.parquet": (_many_rows_alike, {}, 400_000, "and unpacks to more than"),
}


#: What takes longest to make or to read; each other ending and each other refusal is tried in `make test`.
SLOW = ["rows.csv.gz", "longer.npz", "header.npz", "beside.npz", "delta.parquet"]


@pytest.mark.parametrize("name", [long(name) if name in SLOW else name for name in BOMBS])
def test_a_small_file_takes_little_memory_whatever_it_promises(tmp_path: Path, name: str) -> None:
    make, options, size, words = BOMBS[name]
    make(tmp_path / name)
    assert (tmp_path / name).stat().st_size < size
    outcome = read_apart(tmp_path / name, **options)
    assert outcome.said.startswith(f"InputError: {tmp_path / name}")
    assert words in outcome.said
    assert outcome.peak < 700


def test_many_entries_take_little_more_than_their_numbers(tmp_path: Path) -> None:
    """20 million entries are 320 MB of numbers, and took ten times that."""
    (tmp_path / "x.mtx.gz").write_bytes(gzip.compress(MTX + b"10 10 20000000\n" + b"1 1 1\n" * 20_000_000))
    outcome = read_apart(tmp_path / "x.mtx.gz")
    assert outcome.said == ""
    assert outcome.peak < 900


@pytest.mark.parametrize("kind", ["npz", "h5ad", "parquet"])
def test_what_an_honest_file_holds_is_read(tmp_path: Path, kind: str) -> None:
    """A hundred megabytes of zeros, packed as well as can be."""
    path, cells = tmp_path / f"x.{kind}", np.zeros((500_000, 25))
    if kind == "npz":
        np.savez_compressed(path, x=cells)
    elif kind == "h5ad":
        anndata.AnnData(cells).write_h5ad(path, compression="gzip")
    else:
        pq.write_table(pa.table({f"c{j}": cells[:, j] for j in range(25)}), path)
    assert sum(len(chunk.values) for chunk in open_source(path).chunks()) == 500_000


def test_the_ratio_is_a_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "UNPACKED_FINE", 1000)
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"0,0\n" * 100_000))
    with pytest.raises(InputError, match=r"unpacks to more than .* or raise DISNPLBM_UNPACK_RATIO"):
        list(open_source(tmp_path / "x.csv.gz").chunks())
    monkeypatch.setenv("DISNPLBM_UNPACK_RATIO", "1000")
    assert sum(len(chunk.values) for chunk in open_source(tmp_path / "x.csv.gz").chunks()) == 100_000
    monkeypatch.setenv("DISNPLBM_UNPACK_RATIO", "many")
    with pytest.raises(InputError, match="DISNPLBM_UNPACK_RATIO must be a whole number above 0"):
        list(open_source(tmp_path / "x.csv.gz").chunks())


def test_a_table_that_says_its_size_is_weighed_before_it_is_read(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((100, 10)))
    source = open_source(tmp_path / "x.npy")
    LimitedSource(source, 8000)
    with pytest.raises(InputError, match="unpacks to more than 7,999 bytes of cells"):
        LimitedSource(source, 7999)


@pytest.mark.parametrize("index", [4, long(99), long(2_000_000_000), -1])
@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
def test_an_index_beyond_the_last_is_refused_in_npz(tmp_path: Path, kind: str, index: int) -> None:
    matrix = sp.csr_array(np.arange(12.0).reshape(3, 4)).asformat(kind)
    sp.save_npz(tmp_path / "x.npz", matrix)
    with np.load(tmp_path / "x.npz") as parts:
        changed = dict(parts)
    changed["col" if kind == "coo" else "indices"][-1] = index
    np.savez(tmp_path / "x.npz", **changed)
    outcome = read_apart(tmp_path / "x.npz")
    assert "x.npz is damaged: " in outcome.said


@pytest.mark.parametrize("offset", [-(10**9), -4, 5, 10**9])
def test_a_diagonal_outside_the_matrix_has_no_cells(tmp_path: Path, offset: int) -> None:
    """SciPy writes such files; its C code would count fewer cells than it then fills in."""
    np.savez(tmp_path / "x.npz", format=b"dia", shape=(3, 5), data=np.ones((2, 5)), offsets=[offset, 0])
    assert read_apart(tmp_path / "x.npz").said == ""
    (chunk,) = open_source(tmp_path / "x.npz").chunks()
    np.testing.assert_array_equal(chunk.values[:, :, 0], np.eye(3, 5))


@pytest.mark.parametrize(
    ("part", "length"), [("data", 5), ("indices", 5), ("indptr", 3), ("data", 0), ("indices", 0), ("indptr", 0)]
)
def test_a_sparse_matrix_whose_parts_do_not_fit_is_refused_in_h5ad(tmp_path: Path, part: str, length: int) -> None:
    anndata.AnnData(sp.csr_matrix(np.arange(12.0).reshape(3, 4))).write_h5ad(tmp_path / "x.h5ad")
    with h5py.File(tmp_path / "x.h5ad", "a") as file:
        kept = file["X"][part][:length]
        del file["X"][part]
        file["X"][part] = kept
    assert "is damaged: its rows do not add up" in read_apart(tmp_path / "x.h5ad").said
