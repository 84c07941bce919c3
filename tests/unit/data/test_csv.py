"""Reading comma- and tab-separated text."""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data import csv as fast
from disnplbm.data import text_blocks
from disnplbm.data.csv import CsvSource
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import InputError


def read(source: Source) -> NDArray[np.float64]:
    return np.concatenate([chunk.values for chunk in source.chunks()])[:, :, 0]


def write(folder: Path, text: str, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def error(path: Path, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        list(open_source(path, **options).chunks())
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_blank_na_and_nan_are_missing_and_nothing_else_is(tmp_path: Path) -> None:
    values = read(open_source(write(tmp_path, 'a,b,c,d,e\n,NA,NaN,nan,""\n1,2,3,4,5\n')))
    assert np.isnan(values[0]).all()
    assert values[1].tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("cell", ["N/A", "null", "NULL", "NAN", "-nan", "na", "-", "1,5", "0x10", "1_000", "?"])
def test_other_spellings_of_missing_are_refused(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, f'a,b\n1,2\n3,"{cell}"\n')
    assert f"line 3, column b: {cell!r} is not a number" in error(path)


def test_quotes_that_are_no_csv_quotes_are_text(tmp_path: Path) -> None:
    message = error(write(tmp_path, "a,b,c\n,'',nan\n1.1,3,\n"))
    assert "line 2, column b" in message


@pytest.mark.parametrize("cell", ["inf", "-Infinity", "1e999"])
def test_infinite_cell_is_named(tmp_path: Path, cell: str) -> None:
    assert f"line 3, column b: {cell!r} is not a finite number" in error(write(tmp_path, f"a,b\n1,2\n3,{cell}\n5,6\n"))


def test_line_number_of_an_error_counts_blank_lines_and_lines_of_quoted_cells(tmp_path: Path) -> None:
    path = write(tmp_path, 'id,a\n"two\nlines",1\n\nx,2\ny,oops\nz,3\n')
    assert "line 6, column a: 'oops'" in error(path, id_column="id")


def test_error_far_into_the_file_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "BLOCK_BYTES", 1000)
    lines = ["a,b,c"] + [f"{i},{i}.5,{-i}" for i in range(5000)]
    lines[4321] = "1,x,2"
    assert "line 4322, column b: 'x'" in error(write(tmp_path, "\n".join(lines)))


def test_blanks_around_numbers_and_missing_cells_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "BLOCK_BYTES", 200)
    rows = [f"{i}, {i}" for i in range(100)] + ["7, NA ", "8,  "] + [f" {i} ,+{i}" for i in range(100)]
    values = read(open_source(write(tmp_path, "a,b\n" + "\n".join(rows) + "\n")))
    assert len(values) == 202
    assert np.isnan(values[100:102, 1]).all()
    assert values[:, 0].tolist() == [*range(100), 7, 8, *range(100)]


def test_ragged_row_is_named(tmp_path: Path) -> None:
    message = error(write(tmp_path, "a,b,c\n1,2,3\n\n4,5\n6,7,8\n"))
    assert "line 4 has 2 cells where the first line has 3" in message
    assert "line 3 has 4 cells" in error(write(tmp_path, "1,2,3\n1,2,3\n1,2,3,4\n"))


def test_empty_files_are_refused(tmp_path: Path) -> None:
    assert "is empty" in error(write(tmp_path, ""))
    assert "blank lines only" in error(write(tmp_path, "\n\n"))
    assert "header but no rows" in error(write(tmp_path, "a,b\n"))
    assert "header but no rows" in error(write(tmp_path, "a,b\n\n\n"))


def test_text_column_suggests_the_id_column(tmp_path: Path) -> None:
    message = error(write(tmp_path, "gene,x\ng1,1\ng2,2\n"))
    assert "line 2, column gene" in message
    assert "--id-column gene" in message
    assert "--id-column" not in error(write(tmp_path, "x,y\n1,1\ntypo,2\n3,4\n"))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("1,2\n3,4\n", ["0", "1"]),
        ("2001,2002,x\n1,2,3\n", None),
        ("a,2002,x\n1,2,3\n", ["a", "2002", "x"]),
        ("1.5\n2.5\n", ["0"]),
        ("-1.0010415476e-146\n", ["0"]),
        ("NA,1\n2,3\n", ["0", "1"]),
        ("a,b\n,NA\n1,2\n", ["a", "b"]),
        ("\ufeffa,b\n1,2\n", ["a", "b"]),
        ("a,,c\n1,2,3\n", ["a", "unnamed_1", "c"]),
        ("a,a,b\n1,2,3\n", ["a", "a", "b"]),
    ],
)
def test_header_is_found(tmp_path: Path, text: str, names: list[str] | None) -> None:
    path = write(tmp_path, text)
    if names is None:
        assert "line 1, column 2: 'x'" in error(path)
    else:
        assert open_source(path).column_names == names


def test_header_can_be_said(tmp_path: Path) -> None:
    path = write(tmp_path, "2001,2002\n1,2\n")
    assert open_source(path).column_names == ["0", "1"]
    source = open_source(path, header=True)
    assert source.column_names == ["2001", "2002"]
    assert read(source).tolist() == [[1, 2]]


def test_duplicate_names_are_read_by_position(tmp_path: Path) -> None:
    assert read(open_source(write(tmp_path, "g,g,h\n1,2,3\n"))).tolist() == [[1, 2, 3]]


def test_id_and_class_columns_are_no_data(tmp_path: Path) -> None:
    path = write(tmp_path, "id,x,kind,y\nr1,1,A,2\nNA,3,B,4\nr1,5,A,6\n")
    source = open_source(path, id_column="id", class_column="kind")
    (chunk,) = source.chunks()
    assert source.column_names == ["x", "y"]
    assert chunk.ids == ["r1", "NA", "r1"]
    assert chunk.classes == ["A", "B", "A"]
    assert chunk.values[:, :, 0].tolist() == [[1, 2], [3, 4], [5, 6]]


def test_id_column_may_hold_integers(tmp_path: Path) -> None:
    (chunk,) = open_source(write(tmp_path, "id,x\n007,1\n8,2\n"), id_column="id").chunks()
    assert chunk.ids == ["007", "8"]


def test_unknown_id_column_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    path = write(tmp_path, "sample,x,y\ns,1,2\n")
    assert "no column 'smaple' for --id-column: did you mean sample?" in error(path, id_column="smaple")
    assert "there are sample, x, y" in error(path, id_column="nothing")


def test_index_saved_by_a_data_frame_becomes_row_names_and_says_so(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, ",0,1\n10,1.5,2\n11,3,4\n"))
    (chunk,) = source.chunks()
    assert source.column_names == ["0", "1"]
    assert chunk.ids == ["10", "11"]
    assert source.notes == [
        "the first line is taken as column names (blank, 0, 1); --header no reads it as data",
        "the first column holds row names, not data: it has no name (to read it as data: --id-column none)",
    ]


def test_blank_line_in_a_file_of_one_column_is_a_missing_cell(tmp_path: Path) -> None:
    values = read(open_source(write(tmp_path, "a\n1\n\n3\n\n")))
    assert np.array_equal(values[:, 0], [1, np.nan, 3], equal_nan=True)


def test_stray_quote_inside_a_cell_does_not_swallow_lines(tmp_path: Path) -> None:
    source = open_source(write(tmp_path, 'id,a,b\n5" pipe,1,2\n6" pipe,3, NA\n'), id_column="id")
    chunks = list(source.chunks())
    assert [name for chunk in chunks for name in chunk.ids or []] == ['5" pipe', '6" pipe']


def test_quote_that_is_never_closed_is_named(tmp_path: Path) -> None:
    assert "line 3: a quoted cell is never closed" in error(write(tmp_path, 'a,b\n1,2\n3,"4\n5,6\n'))


def test_text_of_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes("a,größe\n1,2\n".encode("latin-1"))
    assert "line 1 is not UTF-8 text but looks like Windows-1252 (Latin-1)" in error(path)
    path.write_bytes("id,x\na,1\né,2\n".encode("latin-1"))
    assert "line 3 is not UTF-8" in error(path, id_column="id")
    path.write_bytes("a,b\n1,2\n".encode("utf-16"))
    assert "looks like UTF-16" in error(path)


def given_command(message: str) -> str:
    """The line for a shell at the end of a refusal."""
    return message.rpartition(": ")[2]


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["x.csv", "größe of it.tsv", "x.csv.gz"])
def test_the_command_for_another_encoding_makes_a_file_that_is_read(tmp_path: Path, encoding: str, name: str) -> None:
    sign = "\t" if name.endswith("tsv") else ","
    text = f"id{sign}größe{sign}b\n" + "".join(f"é{i}{sign}{i}{sign}2.5\n" for i in range(50))
    path = tmp_path / name
    content = text.encode(encoding)
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    subprocess.run(given_command(error(path)), shell=True, check=True)
    (result,) = (each for each in tmp_path.iterdir() if each != path)
    assert result.name == name.removesuffix(".gz").replace(".", "-utf8.")
    source = open_source(result)
    assert source.column_names == ["größe", "b"]
    assert next(source.chunks()).ids == [f"é{i}" for i in range(50)]


def test_the_command_for_carriage_returns_makes_a_file_that_is_read(tmp_path: Path) -> None:
    subprocess.run(given_command(error(write(tmp_path, "a,b\r1,2\r3,4\r"))), shell=True, check=True)
    assert read(open_source(tmp_path / "x-utf8.csv")).tolist() == [[1, 2], [3, 4]]


def test_gzip_and_tabs(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n1\t2\n3\tNA\n"))
    source = open_source(path)
    values = read(source)
    assert np.array_equal(values, [[1, 2], [3, np.nan]], equal_nan=True)
    assert list(source.chunks())[-1].bytes_read == source.bytes_total


def test_damaged_gzip_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(b"a,b\n" + b"1.25,2.5\n" * 5000)
    path = tmp_path / "x.csv.gz"
    for damaged in (whole[: len(whole) // 2], b"not gzip", whole[:-8] + b"\0" * 8):
        path.write_bytes(damaged)
        assert "is damaged" in error(path)


def test_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"a,b\r\n1,2\r\n3,\r\n")
    assert np.array_equal(read(open_source(path)), [[1, 2], [3, np.nan]], equal_nan=True)
    path.write_bytes(b"a,b\r1,2\r")
    assert "carriage return alone" in error(path)
    path.write_bytes(b"a,b\n1, NA\r3,4\n")
    assert "line 2 holds a carriage return" in error(path)


def test_quoted_cells_survive_any_cut_into_blocks(tmp_path: Path) -> None:
    text = "a,id\n" + "".join(f'{i},"row\n{i}, ""x"""\n' for i in range(40))
    for size in range(20, 60):
        source = CsvSource(write(tmp_path, text), ",", Reading(id_column="id"))
        source._block_bytes = size
        chunks = list(source.chunks())
        assert [name for chunk in chunks for name in chunk.ids or []] == [f'row\n{i}, "x"' for i in range(40)]


CELLS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(
        ["", "NA", "nan", "NaN", '""', '"1.5"', " 2", "3 ", " NA", "x", "inf", "NAN", "+1", ".5", "5.", "1e5"]
    ),
)


@pytest.mark.parametrize("wide", [1, 100])
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(2, 4).flatmap(lambda p: st.lists(st.lists(CELLS, min_size=p, max_size=p), min_size=1, max_size=8))
)
def test_fast_readers_say_what_the_plain_one_says(tmp_path: Path, wide: int, rows: list[list[str]]) -> None:
    """The plain reader is the reference: same numbers, or the same error message."""
    header = [f"c{j}" for j in range(len(rows[0]))]
    path = write(tmp_path, "\n".join(",".join(row) for row in [header, *rows]) + "\n")
    source = CsvSource(path, ",", Reading())
    source._block_bytes = 30

    def outcome(chunks: object) -> object:
        try:
            return np.concatenate([chunk.values for chunk in chunks]).tobytes()  # type: ignore[attr-defined]
        except InputError as caught:
            return str(caught)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "WIDE", wide)
        found = outcome(source.chunks())
    assert found == outcome(source._plain_chunks(0))


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n=st.integers(1, 20),
    id_at=st.one_of(st.none(), st.integers(0, 249)),
    class_at=st.one_of(st.none(), st.integers(0, 249)),
    end=st.sampled_from(["\n", "\r\n"]),
    size=st.integers(100, 5000),
)
def test_wide_files_with_names_anywhere(
    tmp_path: Path, n: int, id_at: int | None, class_at: int | None, end: str, size: int
) -> None:
    cells = np.random.default_rng(n).normal(size=(n, 250)).astype(object)
    cells[0, 3] = cells[n - 1, 249] = cells[n - 1, 0] = ""
    for i in range(n):
        for at in (id_at, class_at):
            if at is not None:
                cells[i, at] = f"é {i} {at}"
    lines = [",".join(f"c{j}" for j in range(250)), *(",".join(map(str, row)) for row in cells)]
    path = tmp_path / "x.csv"
    path.write_bytes((end.join(lines) + end).encode())
    options = {
        "id_column": None if id_at is None else f"c{id_at}",
        "class_column": None if class_at is None else f"c{class_at}",
    }
    source = CsvSource(path, ",", Reading(**options))
    source._block_bytes = size
    fast_chunks = list(source._fast_chunks())
    assert None not in fast_chunks
    found = list(source.chunks())
    expected = list(source._plain_chunks(0))
    assert np.concatenate([c.values for c in found]).tobytes() == np.concatenate([c.values for c in expected]).tobytes()
    for kind in ("ids", "classes"):
        assert [x for c in found for x in getattr(c, kind) or []] == [
            x for c in expected for x in getattr(c, kind) or []
        ]
