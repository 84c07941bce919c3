"""Label files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.classes import read_labels
from disnplbm.errors import InputError


def labels(folder: Path, text: str, name: str = "l.csv") -> tuple[list[str] | None, list[str]]:
    (folder / name).write_text(text)
    return read_labels(folder / name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,label\na,0\nb,1\n", (["a", "b"], ["0", "1"])),
        ("class,other\nu,1\nv,2\n", (None, ["u", "v"])),
        ("Label\n0\n1\n", (None, ["0", "1"])),
        ("0\n1\n2\n", (None, ["0", "1", "2"])),
        ("red\nblue\n", (None, ["red", "blue"])),
        ('id,label\n"a,b","x y"\n', (["a,b"], ["x y"])),
    ],
)
def test_layouts(tmp_path: Path, text: str, expected: tuple[list[str] | None, list[str]]) -> None:
    assert labels(tmp_path, text) == expected


def test_other_endings(tmp_path: Path) -> None:
    assert labels(tmp_path, "id\tlabel\na\t1\n", "l.tsv") == (["a"], ["1"])
    assert labels(tmp_path, "1\n2\n", "l.txt") == (None, ["1", "2"])
    for array, expected in (
        (np.array([0, 1]), ["0", "1"]),
        (np.array([0.0, 2.0]), ["0", "2"]),
        (np.array(["u", "v"]), ["u", "v"]),
    ):
        np.save(tmp_path / "l.npy", array)
        assert read_labels(tmp_path / "l.npy") == (None, expected)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    for text, said in (
        ("id,kind\na,1\n", "no column named label or class"),
        ("id,label\na,1\nb,\n", "line 3 has no label"),
        ("id,label\na,1\nb\n", "line 3 has 1 cells"),
        ("label\n", "no labels"),
        ("\n", "blank lines only"),
        ("", "is empty"),
    ):
        with pytest.raises(InputError, match=said):
            labels(tmp_path, text)
    for array, said in (
        (np.zeros((2, 2)), "shape"),
        (np.array([1.0, np.nan]), "entry 2"),
        (np.zeros(1, complex), "complex"),
    ):
        np.save(tmp_path / "l.npy", array)
        with pytest.raises(InputError, match=said):
            read_labels(tmp_path / "l.npy")
