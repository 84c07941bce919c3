"""Label files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.classes import paired, read_labels
from disnplbm.data.matching import LabelList
from disnplbm.errors import InputError


def labels(folder: Path, text: str, name: str = "l.csv", id_column: str | None = None) -> LabelList[str]:
    (folder / name).write_text(text)
    return read_labels(folder / name, id_column)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id,label\na,0\nb,1\n", LabelList(["0", "1"], ["a", "b"])),
        ("label,id\n0,a\n1,b\n", LabelList(["0", "1"], ["a", "b"])),
        ("sample,class\na,u\nb,v\n", LabelList(["u", "v"], ["a", "b"])),
        (",class\na,u\nb,v\n", LabelList(["u", "v"], ["a", "b"])),
        ("class,other\nu,1\nv,2\n", LabelList(["u", "v"])),
        ("other,class\n1,u\n2,v\n", LabelList(["u", "v"])),
        ("Label\n0\n1\n", LabelList(["0", "1"])),
        ("0\n1\n2\n", LabelList(["0", "1", "2"])),
        ("red\nblue\n", LabelList(["red", "blue"])),
        ('id,label\n"a,b","x y"\n', LabelList(["x y"], ["a,b"])),
        ("id,label\na,\n\nb,NA\n", LabelList(["", "NA"], ["a", "b"])),
        ("gene,class\ng1,u\ng2,v\n", LabelList(["u", "v"], ["g1", "g2"])),
        ("kind,class\nx,u\nx,v\n", LabelList(["u", "v"])),
        ("patient,class\n7,u\n5,v\n", LabelList(["u", "v"], ["7", "5"])),
        ("MRN,class\n704,u\n512,v\n631,u\n", LabelList(["u", "v", "u"], ["704", "512", "631"])),
        ("MRN,class\n704,u\n705,v\n706,u\n", LabelList(["u", "v", "u"], ["704", "705", "706"])),
        ("line,class\n1,u\n2,v\n3,u\n", LabelList(["u", "v", "u"])),
        ("size,class\n4,u\n4,v\n9,u\n", LabelList(["u", "v", "u"])),
        ("id;class\na;u\nb;v\n", LabelList(["u", "v"], ["a", "b"])),
        ("id\tclass\n a \tu\nb\tv\n", LabelList(["u", "v"], ["a", "b"])),
        ("\nlabel\n0\n\n1\n", LabelList(["0", "", "1"])),
    ],
)
def test_layouts(tmp_path: Path, text: str, expected: LabelList[str]) -> None:
    assert labels(tmp_path, text) == expected


def test_the_column_of_row_names_of_the_table_holds_the_ids_here_too(tmp_path: Path) -> None:
    text = "class,Barcode\nu,a\nv,b\n"
    assert labels(tmp_path, text, id_column="barcode") == LabelList(["u", "v"], ["a", "b"])
    assert labels(tmp_path, text, id_column="class") == LabelList(["u", "v"])


def test_other_endings(tmp_path: Path) -> None:
    assert labels(tmp_path, "id\tlabel\na\t1\n", "l.tsv") == LabelList(["1"], ["a"])
    assert labels(tmp_path, "1\n2\n", "l.txt") == LabelList(["1", "2"])
    for array, expected in (
        (np.array([0, 1]), ["0", "1"]),
        (np.array([0.0, np.nan, 2.0]), ["0", "", "2"]),
        (np.array([0.5, 1.0]), ["0.5", "1.0"]),
        (np.array(["u", "v"]), ["u", "v"]),
    ):
        np.save(tmp_path / "l.npy", array)
        assert read_labels(tmp_path / "l.npy") == LabelList(expected)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    for text, said in (
        ("id,kind\na,1\n", "no column named label or class"),
        ("id,label\na,1\nb\n", "line 3 has 1 cells"),
        ("label\n", "no labels"),
        ("\n", "blank lines only"),
        ("", "is empty"),
    ):
        with pytest.raises(InputError, match=said):
            labels(tmp_path, text)
    for array, said in (
        (np.zeros((2, 2)), "shape"),
        (np.zeros(1, complex), "complex"),
    ):
        np.save(tmp_path / "l.npy", array)
        with pytest.raises(InputError, match=said):
            read_labels(tmp_path / "l.npy")


@pytest.mark.parametrize(("head", "foot"), [(",", ","), ("", ",")])
def test_a_delimiter_at_the_end_of_the_lines_is_no_column(tmp_path: Path, head: str, foot: str) -> None:
    (tmp_path / "l.csv").write_text(f"id,label{head}\nr1,a{foot}\nr2,b{foot}\n")
    assert read_labels(tmp_path / "l.csv") == LabelList(["a", "b"], ["r1", "r2"])
    (tmp_path / "l.csv").write_text("id,label\nr1,a,b\n")
    with pytest.raises(InputError, match="line 2 has 3 cells where the first line has 2; add or remove cells"):
        read_labels(tmp_path / "l.csv")


def pairs(first: LabelList[str], second: LabelList[str]) -> tuple[list[str], list[str], list[str]]:
    return paired(first, second, "t.csv", "l.csv")


def test_pairs_without_a_label_are_left_out() -> None:
    """Report 15: an NA is no class."""
    in_order = "the labels in l.csv have no ids: taken in the order of the rows of t.csv"
    found = pairs(LabelList(["A", "NA", "B", "B"]), LabelList(["0", "0", "", "1"]))
    assert found == (["A", "B"], ["0", "1"], [in_order, "2 items without a label left out"])
    with pytest.raises(InputError, match=r"no item has a label in both t.csv and l.csv"):
        pairs(LabelList(["NA", "B"]), LabelList(["0", "nan"]))


def test_pairs_are_matched_by_id_where_both_have_ids() -> None:
    first = LabelList(["A", "B"], ["a", "b"])
    assert pairs(first, LabelList(["1", "0"], ["b", "a"]))[:2] == (["A", "B"], ["0", "1"])
    assert pairs(first, LabelList(["0", "1"]))[:2] == (["A", "B"], ["0", "1"])
    (note,) = pairs(LabelList(["0", "1"]), first)[2]
    assert note == "the labels in t.csv have no ids: those in l.csv are taken in the same order"
    assert pairs(first, LabelList(["0", "1"], ["0", "1"]))[:2] == (["A", "B"], ["0", "1"])


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (
            ["a", "b"],
            ["b", "c"],
            r"l.csv lacks 1 id of t.csv \(a\), and t.csv lacks 1 id of l.csv \(c\): give files of",
        ),
        (["a", "b", "c"], ["b"], r"^l.csv lacks 2 ids of t.csv \(a, c\): give files of the same items$"),
        (["a"], ["b", "a"], r"^t.csv lacks 1 id of l.csv \(b\)"),
        (["0", "1"], ["0", "1", "2"], r"^t.csv lacks 1 id of l.csv \(2\)"),
        (["a", "b"], 3, "^t.csv has 2 labels and l.csv has 3: give files of the same items"),
        (1, 2, "^t.csv has 1 label and l.csv has 2: give files of the same items"),
    ],
)
def test_files_of_unequal_items_are_refused_with_what_each_lacks(
    first: list[str] | int, second: list[str] | int, said: str
) -> None:
    listed = [
        LabelList(["x"] * ids) if isinstance(ids, int) else LabelList(["x"] * len(ids), ids) for ids in (first, second)
    ]
    with pytest.raises(InputError, match=said):
        pairs(*listed)
