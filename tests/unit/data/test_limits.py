"""Files that would have a reader take memory for more than is in them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data import csv, limits, text, text_blocks
from disnplbm.data.array import check_shape
from disnplbm.data.limits import check_promise
from disnplbm.data.source import open_source
from disnplbm.errors import InputError


@pytest.fixture
def short_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of at most 100 bytes; text is read in pieces of 10."""
    for module in (text_blocks, text):
        monkeypatch.setattr(module, "LONGEST_LINE", 100)
    monkeypatch.setattr(csv, "BLOCK_BYTES", 10)


@pytest.mark.usefixtures("short_lines")
@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("1" * 200, 1),
        ("a,b\n1,2\n3," + "4" * 200, 3),
        ("a,b\n1,2\n3," + "4" * 200 + "\n5,6\n", 3),
        ('a,b\n1,2\n3,"' + "4\n" * 200, 3),
        ("a,b\n1,2\n3,NA \n" + "5" * 200, 4),
    ],
)
def test_a_line_that_is_too_long_is_told_of(tmp_path: Path, content: str, line: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(content)
    with pytest.raises(InputError, match=f"x.csv line {line} is longer than"):
        list(open_source(path).chunks())


@pytest.mark.usefixtures("short_lines")
def test_lines_that_are_just_short_enough_are_read(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = [f"{'1'.zfill(40)},{'2'.zfill(40)}"] * 50
    path.write_text("\n".join(["a,b", *lines]) + "\n")
    assert sum(len(chunk.values) for chunk in open_source(path).chunks()) == 50


def test_blocks_are_cut_no_further_than_a_line_may_be_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_blocks, "LONGEST_LINE", 100)
    path = tmp_path / "x"
    path.write_bytes(b"1,2\n" + b"3" * 1000)
    with path.open("rb") as stream:
        assert list(text_blocks.cut(stream, 10)) == [b"1,2\n", None]
        assert stream.tell() < 200


def test_blank_lines_between_the_rows_of_one_column_are_rows(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a\n1\n\n\n2\n\n")
    (chunk,) = open_source(path).chunks()
    np.testing.assert_array_equal(chunk.values[:, 0, 0], [1.0, np.nan, np.nan, 2.0])


def test_columns_are_counted_before_they_are_named() -> None:
    with pytest.raises(InputError, match="at most 5,000,000"):
        check_shape((1, limits.MOST_COLUMNS + 1), "x")
    with pytest.raises(InputError, match="at most 5,000,000"):
        check_shape((1, 1000, limits.MOST_COLUMNS), "x")
    assert check_shape((1, limits.MOST_COLUMNS), "x") == (1, limits.MOST_COLUMNS, 1)


def test_what_zlib_can_pack_is_believed(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, x=np.zeros((200_000, 100)))
    source = open_source(path)
    assert sum(len(chunk.values) for chunk in source.chunks()) == 200_000
    assert 900 * path.stat().st_size < 160_000_000
    with pytest.raises(InputError, match="cannot hold"):
        check_promise(2 * 160_000_000, path.stat().st_size, "x.npz")
