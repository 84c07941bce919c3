"""First lines of numbers: names of columns, or data."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.data.source import open_source
from disnplbm.errors import OptionsNeeded
from spoken import typed_for

FOUND = "the first line is taken as column names"
NOT_FOUND = "no column names were found"


def opened(folder: Path, text: str, **options: object) -> tuple[list[str], list[str] | None, list[list[float]], str]:
    """Names, row names, cells and notes."""
    path = folder / "x.csv"
    path.write_text(text)
    source = open_source(path, **options)
    (chunk,) = source.chunks()
    return source.column_names, chunk.ids, chunk.values[:, :, 0].tolist(), "; ".join(source.notes)


def test_report_05_a_blank_corner_before_years(tmp_path: Path) -> None:
    text = ",2001,2002,2003\n0,1.5,2.5,3.5\n1,4.5,5.5,6.5\n2,7.5,8.5,9.5\n"
    names, ids, cells, notes = opened(tmp_path, text)
    assert (names, ids) == (["2001", "2002", "2003"], ["0", "1", "2"])
    assert cells == [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5], [7.5, 8.5, 9.5]]
    assert f"{FOUND} (blank, 2001, 2002, 2003); --header no reads it as data" in notes
    assert "--id-column none" in notes


def test_report_05_a_blank_corner_before_a_count(tmp_path: Path) -> None:
    for text in (",1,2,3\n0,1.5,2.5,3.5\n1,4.5,5.5,6.5\n", ",1,2,3\n7,10,20,35\n9,4,5,6\n"):
        assert opened(tmp_path, text)[0] == ["1", "2", "3"]


def test_report_06_a_word_before_years(tmp_path: Path) -> None:
    text = "country,2001,2002,2003\nFR,1.5,2.5,3.5\nDE,4.5,5.5,6.5\n"
    for options in ({}, {"id_column": "country"}):
        names, ids, cells, notes = opened(tmp_path, text, **options)
        assert (names, ids) == (["2001", "2002", "2003"], ["FR", "DE"])
        assert cells == [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]]
        assert FOUND in notes


@pytest.mark.parametrize(
    ("text", "options", "names"),
    [
        ("sample,class,186,742\ns1,A,5,7\ns2,B,6,7\n", {"class_column": "class"}, ["186", "742"]),
        ("sample,class,186,742\ns1,A,0.5,0.7\ns2,B,0.6,0.7\n", {"class_column": "class"}, ["186", "742"]),
        ("sample,186.2,742.1\ns1,5.3,7\ns2,6,7.7\n", {}, ["186.2", "742.1"]),
        ("patient,12,6\np1,5,7\np2,6,7\n", {}, ["12", "6"]),
        ("country,2001,2002,2003\nFR,10,20,5\nDE,4,5,60\n", {}, ["2001", "2002", "2003"]),
        ("patient,12,6\n101,0.5,7.5\n104,6,7.5\n102,6,7\n", {}, ["12", "6"]),
        (
            "spectrum,101.1,142.9,diagnosis\n1000,6.1,5,A\n1001,7,8,B\n1002,7,8,B\n",
            {"class_column": "diagnosis"},
            ["101.1", "142.9"],
        ),
        ("400,402,404,406,408\n.1,.3,.2,.1,.4\n.2,.1,.5,.3,.1\n", {}, ["400", "402", "404", "406", "408"]),
        ("400.5,402,404,406,409\n.1,.3,.2,.1,.4\n.2,.1,.5,.3,.1\n", {}, ["400.5", "402", "404", "406", "409"]),
    ],
)
def test_numbers_that_name_the_columns(tmp_path: Path, text: str, options: dict[str, str], names: list[str]) -> None:
    found, ids, cells, notes = opened(tmp_path, text, **options)
    assert found == names
    assert (ids is None) == text.startswith("400")
    assert len(cells) == text.count("\n") - 1
    assert FOUND in notes


@pytest.mark.parametrize(
    "text",
    [
        "1,2,3\n4,5,6\n7,8,9\n",
        "1,2\n3,4\n",
        ",1.5,2.5\n3.5,4.5,1.5\n",
        "5,1,9,2,7,3\n4,5,6,1,2,3\n",
        "1,2,3,4,5\n2,3,4,5,6\n3,4,5,6,7\n",
        "1,2,2,4,5\n.1,.3,.2,.1,.4\n",
        "NA,1\n2,3\n",
    ],
)
def test_numbers_that_are_data(tmp_path: Path, text: str) -> None:
    names, _, cells, notes = opened(tmp_path, text)
    assert len(cells) == text.count("\n")
    assert names == [str(j) for j in range(len(names))]
    assert NOT_FOUND in notes
    assert "--header yes takes it as names" in notes


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("patient,12.5,60.1,stage\n101,0.5,7,A\n101,6,7,A\n102,6,7,B\n102,6,7,B\n", "--row-classes stage --header yes"),
        ("1,visit,60.1,2\n3,6,7,5\n4,6,8,5\n", "--header yes"),
    ],
)
def test_a_word_over_numbers_is_not_read_as_missing(tmp_path: Path, text: str, command: str) -> None:
    """The command that is printed takes the first line as names, and works."""
    with pytest.raises(OptionsNeeded, match="may hold the names of the columns") as refused:
        opened(tmp_path, text)
    assert " ".join(typed_for(refused.value)) == command
    source = open_source(tmp_path / "x.csv", refused.value.reading)
    (chunk,) = source.chunks()
    assert len(chunk.values) == text.count("\n") - 1


def test_a_mark_of_missing_cells_is_no_name(tmp_path: Path) -> None:
    with pytest.raises(OptionsNeeded) as refused:
        opened(tmp_path, "#null!,5,6\n3,6,7\n3,6,8\n")
    assert typed_for(refused.value) == ("--header", "no", "--missing", "#null!")


def test_row_names_without_a_header(tmp_path: Path) -> None:
    for text in ("s1,10,20\ns2,11,5\ns3,4,4\n", "s1,1.5,2\ns2,1.5,2.5\n"):
        names, ids, cells, notes = opened(tmp_path, text, id_column="0")
        assert (names, ids) == (["1", "2"], [f"s{i + 1}" for i in range(len(cells))])
        assert NOT_FOUND in notes


def test_words_need_no_note(tmp_path: Path) -> None:
    assert opened(tmp_path, "a,b\n1,2\n")[3] == ""


def test_what_is_said_of_the_header_is_done_without_a_note(tmp_path: Path) -> None:
    assert opened(tmp_path, "1,2,3\n4,5,6\n", header=True)[0] == ["1", "2", "3"]
    assert opened(tmp_path, ",2001,2002\n0,1.5,2.5\n1,4.5,5.5\n", header=False, id_column="none")[0] == ["0", "1", "2"]
    assert opened(tmp_path, "1,2\n4,5\n", header=False)[3] == ""


def test_numeric_names_of_a_very_long_line(tmp_path: Path) -> None:
    width = 30_000
    text = "m/z," + ",".join(f"{100 + j / 10:.1f}" for j in range(width)) + "\n"
    text += "".join(f"s{i}," + ",".join([str(i)] * width) + "\n" for i in range(3))
    names, ids, cells, _ = opened(tmp_path, text)
    assert (names[0], names[-1], len(names)) == ("100.0", "3099.9", width)
    assert ids == ["s0", "s1", "s2"]
    assert len(cells) == 3
