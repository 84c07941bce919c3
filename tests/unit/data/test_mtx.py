"""MatrixMarket files: every number is read as it is written, or refused with its line."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from disnplbm.data import mtx
from disnplbm.data.source import open_source
from disnplbm.errors import InputError


def written(folder: Path, kind: str, body: str, name: str = "x.mtx") -> Path:
    text = f"%%MatrixMarket matrix {kind}\n{body}".encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return folder / name


def cells(path: Path) -> list[list[float]]:
    (chunk,) = open_source(path).chunks()
    return chunk.values[:, :, 0].tolist()


@pytest.mark.parametrize("name", ["x.mtx", "x.mtx.gz"])
@pytest.mark.parametrize(
    ("word", "number"), [("1.5", 1.5), ("1e+05", 1e5), ("+2", 2.0), (".5", 0.5), ("-3.", -3.0), ("1E-3", 0.001)]
)
@pytest.mark.parametrize("field", ["integer", "real", "double", "unsigned-integer"])
def test_a_number_is_read_as_it_is_written(tmp_path: Path, field: str, word: str, number: float, name: str) -> None:
    """Reports 07 and 07b: 1.5 and R's 1e+05 below a header that says integer."""
    assert cells(written(tmp_path, f"coordinate {field} general", f"1 2 1\n1 2 {word}\n", name)) == [[0.0, number]]
    assert cells(written(tmp_path, f"array {field} general", f"1 2\n7\n{word}\n", name)) == [[7.0, number]]


@pytest.mark.parametrize("name", ["x.mtx", "x.mtx.gz"])
@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("1,5", "'1,5' is not a number; write a decimal point and no comma"),
        ("1.5D+02", "'1.5D\\+02' is not a number; correct it"),
        ("12abc", "'12abc' is not a number"),
        ("1_000", "'1_000' is not a number"),
        ("0x1A", "'0x1A' is not a number"),
        ("1e999", "'1e999' is not a finite number"),
        ("-inf", "'-inf' is not a finite number"),
        ("-nan", "'-nan' is not a number"),
        ('"1"', "'\"1\"' is not a number"),
        ("1\x01", ".* is not a number"),
        ("\xb2", ".* is not a number"),
    ],
)
@pytest.mark.parametrize("field", ["integer", "real"])
def test_what_is_no_number_is_refused_with_its_line(
    tmp_path: Path, field: str, word: str, said: str, name: str
) -> None:
    """Reports 08, 08b and 08c: what follows a number is not dropped."""
    with pytest.raises(InputError, match=f"line 4: {said}"):
        cells(written(tmp_path, f"coordinate {field} general", f"3 4 2\n2 2 8\n1 1 {word}\n", name))
    with pytest.raises(InputError, match=f"line 5: {said}"):
        cells(written(tmp_path, f"array {field} general", f"1 2\n\n1\n{word}\n", name))


@pytest.mark.parametrize(
    ("kind", "body", "said"),
    [
        ("coordinate real general", "2 2 1\n0 1 5\n", "line 3: there is no row 0; they are counted from 1 to 2"),
        ("coordinate real general", "2 2 1\n1 3 5\n", "line 3: there is no column 3"),
        ("coordinate real general", "2 2 1\n1 1.5 5\n", "line 3: there is no column 1.5"),
        ("coordinate real general", "2 2 1\nnan 1 5\n", "line 3: there is no row nan"),
        ("coordinate real general", "2 2 1\n1 1 5 6\n", "line 3 has 4 numbers where 3 are due"),
        ("coordinate real general", "2 2 1\n1 1\n", "line 3 has 2 numbers where 3 are due"),
        ("coordinate real general", "2 2 1\n1 1 ", "line 3 has 2 numbers where 3 are due"),
        ("coordinate pattern general", "2 2 1\n1 1 5\n", "line 3 has 3 numbers where 2 are due"),
        ("coordinate real general", "2 2 1\n1 1 5\n2 2 6\n", "line 4: the file promises 1 entries and has more"),
        ("coordinate real general", "2 2 3\n1 1 5\n2 2 6\n", "is cut short: it ends after 2 of 3 entries"),
        ("array real general", "2 2\n1 2\n3 4\n", "line 3 has 2 numbers where 1 are due"),
        ("array real general", "2 2\n1\n2\n3\n", "is cut short: it ends after 3 of 4 entries"),
        ("array real general", "1 1\n1\n2\n", "line 4: the file promises 1 entries"),
        ("array real symmetric", "2 3\n1\n", "is symmetric and yet has 2 rows and 3 columns"),
        ("coordinate real general", "1,000 2 1\n1 1 5\n", "line 2 must hold the numbers of rows, columns and entries"),
        ("coordinate real general", "2 2\n1 1 5\n", "line 2 must hold"),
        ("coordinate real general", "% only this\n", "line 2 must hold"),
        ("coordinate real general", "0 2 0\n", "has 0 rows"),
        ("coordinate complex general", "1 1 1\n1 1 1 2\n", "holds complex numbers"),
        ("array pattern general", "1 1\n", "no MatrixMarket file of kind array pattern general"),
        ("coordinate real lower", "1 1 1\n1 1 1\n", "no MatrixMarket file of kind coordinate real lower"),
        ("coordinate real", "1 1 1\n1 1 1\n", "is not a MatrixMarket file"),
        ("array real general", "1000000000 10\n1\n", "promises 20,000,000,000 bytes"),
        ("coordinate real general", "10 10 1000000000000\n1 1 1\n", "promises 6,000,000,000,000 bytes"),
        ("coordinate real general", "1000000000 10 1\n1 1 1.0\n", "stores 1 of them, less than one in 10,000"),
        ("coordinate real general", "10000000000 1 1\n1 1 1.0\n", "has 10,000,000,000 rows"),
    ],
)
def test_a_file_that_does_not_add_up_is_refused(tmp_path: Path, kind: str, body: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cells(written(tmp_path, kind, body))


def test_comments_blank_lines_and_repeated_entries(tmp_path: Path) -> None:
    body = "% a comment\n\n 2\t2 3 \r\n1 1 1\r\n\n% another\n1 1 2\n\t2 1   nan  \n"
    np.testing.assert_array_equal(cells(written(tmp_path, "coordinate real general", body)), [[3, 0], [np.nan, 0]])


def test_a_matrix_without_entries_is_all_zero(tmp_path: Path) -> None:
    assert cells(written(tmp_path, "coordinate real general", "2 2 0\n")) == [[0, 0], [0, 0]]


@given(
    table=arrays(np.float64, (5, 5), elements=st.floats(-1e6, 1e6) | st.just(0.0)),
    symmetry=st.sampled_from(["general", "symmetric", "skew-symmetric"]),
    field=st.sampled_from(["real", "integer", "pattern"]),
    dense=st.booleans(),
)
def test_every_kind_of_file_is_read_as_scipy_wrote_it(
    tmp_path_factory: pytest.TempPathFactory, table: np.ndarray, symmetry: str, field: str, dense: bool
) -> None:
    if field == "integer":
        table = np.rint(table).astype(np.int64)
    if symmetry == "symmetric":
        table = table + table.T
    if symmetry == "skew-symmetric":
        table = table - table.T
    if field == "pattern":
        table, dense = (table != 0).astype(float), False
        symmetry = "general" if symmetry == "skew-symmetric" else symmetry
    file = io.BytesIO()
    matrix = table if dense else sp.coo_array(table)
    scipy.io.mmwrite(file, matrix, field=field, precision=17, symmetry=symmetry)
    path = tmp_path_factory.mktemp("mtx") / "x.mtx"
    path.write_bytes(file.getvalue())
    np.testing.assert_array_equal(cells(path), table)


def test_blocks_and_lines_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = sp.random_array((300, 40), density=0.3, rng=np.random.default_rng(0))
    scipy.io.mmwrite(tmp_path / "x.mtx", table, precision=17)
    monkeypatch.setattr(mtx, "BLOCK_BYTES", 100)
    np.testing.assert_array_equal(cells(tmp_path / "x.mtx"), table.toarray())
    monkeypatch.setattr(mtx, "_parse", lambda *_: None)
    np.testing.assert_array_equal(cells(tmp_path / "x.mtx"), table.toarray())
