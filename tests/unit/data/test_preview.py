"""The first lines of a file are read as the whole of it is, wherever they are cut."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

from disnplbm.data import preview as looking
from disnplbm.data.csv import CsvSource
from disnplbm.data.formats import usual_delimiter
from disnplbm.data.preview import Preview, preview
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.errors import InputError, OptionsNeeded

SEMICOLONS = "id;a;b\n" + "".join(f"r{i};{i % 4},5;{i % 3},25\n" for i in range(40))
NUMBERS = "".join(f"{i}.5\t{i % 7}\n" for i in range(40))
CLASSES = "a,group,b\n" + "".join(f"{i}.5,{i % 2},{i % 3}.25\n" for i in range(40))
TEXTS = "sample,site,kind,a,b\n" + "".join(
    f"s{i},{'xyz'[i % 3]},{'ill' if i % 2 else 'well'},{i % 5},{'?' if i == 7 else i % 7}\n" for i in range(40)
)


def _write(path: Path, text: str | bytes) -> Path:
    content = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def _cut(path: Path, share: float = 0.7) -> Path:
    """The beginning of a file, cut anywhere."""
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    return path


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("x.csv", SEMICOLONS, ("semicolon", ",", True, "id", (), ("id", "a", "b"))),
        ("x.tsv", NUMBERS, ("tab", ".", False, None, (), ("0", "1"))),
        ("x.csv", CLASSES, ("comma", ".", True, None, ("group",), ("a", "group", "b"))),
    ],
)
def test_a_beginning_is_read_as_the_whole(tmp_path: Path, name: str, ending: str, text: str, found: object) -> None:
    whole = preview(_write(tmp_path / (name + ending), text), Reading(), whole=True)
    assert (whole.delimiter, whole.decimal, whole.header, whole.id_column, whole.class_like, whole.names) == found
    assert (whole.columns, len(whole.rows), whole.problem, whole.more) == (len(whole.names), 5, None, False)
    cut = preview(_cut(_write(tmp_path / (name + ending), text)), Reading(), whole=False)
    assert cut == replace(whole, more=True)


def test_the_reader_of_the_whole_file_finds_the_same(tmp_path: Path) -> None:
    for name, text in (("a.csv", SEMICOLONS), ("b.tsv", NUMBERS), ("c.csv", CLASSES)):
        path = _write(tmp_path / name, text)
        source = open_source(path)
        seen = preview(path, Reading(), whole=True)
        assert list(seen.notes) == source.notes
        assert [each for each in seen.names if each != seen.id_column] == source.column_names


def test_a_beginning_as_long_as_a_reader_looks_is_certain(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.csv", "a,b\n" + "1,2\n" * 500)
    assert not preview(path, Reading(), whole=False).more


def test_what_is_refused_is_refused_with_the_options_that_read_it(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.csv", TEXTS)
    with pytest.raises(OptionsNeeded) as refused:
        for _ in CsvSource(path, usual_delimiter(path), Reading()).chunks():
            pass
    seen = preview(path, Reading(), whole=True)
    assert (seen.problem, seen.proposed) == (refused.value.problem, refused.value.reading.to_dict())
    assert (seen.id_column, seen.rows[0]) == ("sample", ("s0", "x", "well", "0", "0"))
    assert seen.proposed is not None
    better = preview(path, Reading.from_dict(seen.proposed), whole=True)
    assert (better.problem, better.class_column) == (None, "site")


def test_lines_are_shown_where_they_can_be_read_in_two_ways(tmp_path: Path) -> None:
    text = "a;b\n" + "1,234;5,678\n" * 10
    seen = preview(_write(tmp_path / "x.csv", text), Reading(), whole=True)
    assert seen.problem is not None
    assert "may be 1.234, or 1234" in seen.problem
    assert (seen.proposed or {})["decimal"] == ","
    assert (seen.names, seen.rows[0]) == (("a", "b"), ("1,234", "5,678"))


def test_first_lines_of_any_length_are_seen_and_few_of_them_told(tmp_path: Path) -> None:
    lines = ["id," + ",".join(f"g{j}" for j in range(60_000))]
    lines += [f"s{i}," + ",".join(str((i + j) % 10) for j in range(60_000)) for i in range(8)]
    path = _write(tmp_path / "x.csv", "\n".join(lines))
    seen = preview(path, Reading(), whole=True)
    assert (seen.columns, len(seen.names), seen.id_column) == (60_001, 500, "id")
    assert (len(seen.rows), len(seen.rows[0])) == (4, 10)
    short = preview(_cut(path, 0.1), Reading(), whole=False)
    assert short == Preview(more=True)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_no_more_is_looked_at_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(looking, "MOST_BYTES", 2**10)
    seen = preview(_write(tmp_path / name, "a,b\n" + "1,2\n" * 300 + "x,y\n" * 10_000), Reading(), whole=True)
    assert (seen.problem, seen.more, seen.names) == (None, False, ("a", "b"))
    long = preview(_write(tmp_path / name, "1," * 2**10), Reading(), whole=False)
    assert "longer than" in str(long.problem)


def test_a_cell_in_quotes_that_is_cut_is_left_out_with_its_row(tmp_path: Path) -> None:
    path = _write(tmp_path / "x.csv", 'id,a\n"r\n1",1\n"r\n2",2\n"r\n3')
    seen = preview(path, Reading(), whole=False)
    assert (seen.problem, seen.rows) == (None, (("r\n1", "1"), ("r\n2", "2")))


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.csv", "a;b\n1;2\n".encode("utf-16"), "UTF-16"),
        ("x.csv", b"a,b\r1,2\r", "carriage return"),
        ("x.csv", b"\n\n\n", "blank lines only"),
        ("x.csv", b"PK\x03\x04 and more\n and more\n", "spreadsheet"),
        ("x.csv.gz", b"no gzip", "damaged"),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_what_is_no_table_is_told_at_once(tmp_path: Path, name: str, content: bytes, says: str, whole: bool) -> None:
    (tmp_path / name).write_bytes(content)
    seen = preview(tmp_path / name, Reading(), whole=whole)
    assert says in str(seen.problem)
    assert seen.proposed is None


def test_a_packed_file_that_ends_early_is_damaged(tmp_path: Path) -> None:
    path = _cut(_write(tmp_path / "x.csv.gz", SEMICOLONS))
    assert "damaged" in str(preview(path, Reading(), whole=True).problem)


def test_files_without_lines_of_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="once it is uploaded"):
        usual_delimiter(tmp_path / "x.parquet")
