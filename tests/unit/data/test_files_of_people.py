"""Text files as people have them: read, or refused with the options that read them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.data import text_blocks
from disnplbm.data.classes import read_labels
from disnplbm.data.csv import CsvSource
from disnplbm.data.matching import LabelList
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import InputError, OptionsNeeded
from spoken import typed_for

NAN = np.nan


def written(folder: Path, text: str | bytes, name: str = "x.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def cells(source: Source) -> NDArray[np.float64]:
    return np.concatenate([chunk.values for chunk in source.chunks()])[:, :, 0]


def needed(path: Path, **options: Any) -> OptionsNeeded:
    with pytest.raises(OptionsNeeded) as caught:
        list(open_source(path, **options).chunks())
    assert "\n" not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("width", [3, 150, 250])
@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.tsv"])
def test_report_14_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path, width: int, name: str) -> None:
    sign = "\t" if "tsv" in name else ","
    rows = [sign.join([f"s{i}", *(str(i + j) for j in range(width))]) for i in range(3)]
    for text, header in (("\n".join(rows), False), ("\n".join([sign.join(["id"] + ["x"] * width), *rows]), True)):
        content = b"\xef\xbb\xbf" + text.encode() + b"\n"
        path = written(tmp_path, gzip.compress(content) if name.endswith(".gz") else content, name)
        source = open_source(path, id_column="id" if header else "0", header=header)
        assert [each for chunk in source.chunks() for each in chunk.ids or ()] == ["s0", "s1", "s2"]
        assert next(open_source(path).chunks()).ids == ["s0", "s1", "s2"] if header else True


def test_a_byte_order_mark_before_labels(tmp_path: Path) -> None:
    assert read_labels(written(tmp_path, b"\xef\xbb\xbfid,label\na,1\n")) == LabelList(["1"], ["a"])
    assert read_labels(written(tmp_path, b"\xef\xbb\xbfred\nblue\n")) == LabelList(["red", "blue"])


@pytest.mark.parametrize(
    ("text", "name", "sign"),
    [
        ("a;b\n1;2\n3;4\n", "x.csv", "semicolons"),
        ("a\tb\n1\t2\n3\t4\n", "x.csv", "tabs"),
        ("a b\n1 2\n3 4\n", "x.csv", "spaces"),
        ("a   b\n  1  2\n3 4  \n", "x.txt", "spaces"),
        ("a|b\n1|2\n3|4\n", "x.csv", "pipes"),
        ("a,b\n1,2\n3,4\n", "x.txt", "commas"),
        ("a,b\n1,2\n3,4\n", "x.tsv", "commas"),
    ],
)
def test_other_delimiters_are_found_and_noted(tmp_path: Path, text: str, name: str, sign: str) -> None:
    source = open_source(written(tmp_path, text, name))
    assert source.column_names == ["a", "b"]
    assert cells(source).tolist() == [[1, 2], [3, 4]]
    (note,) = source.notes
    assert sign in note
    assert "--delimiter" in note


def test_a_delimiter_can_be_said(tmp_path: Path) -> None:
    assert cells(open_source(written(tmp_path, "a#b\n1#2\n"), delimiter="#")).tolist() == [[1, 2]]
    assert open_source(tmp_path / "x.csv", delimiter="#").notes == []


@pytest.mark.parametrize("width", [3, 250])
@pytest.mark.parametrize("sign", ["é", "\u00a0", "→", "𝄞", "\x01"])
def test_a_delimiter_can_be_any_character(tmp_path: Path, sign: str, width: int) -> None:
    names = [f"c{j}" for j in range(width)]
    lines = [["name", *names], ["x", *map(str, range(width))], ["y", "", *map(str, range(1, width))]]
    source = open_source(written(tmp_path, "".join(f"{sign.join(line)}\n" for line in lines)), delimiter=sign)
    (chunk,) = source.chunks()
    assert (source.column_names, chunk.ids) == (names, ["x", "y"])
    np.testing.assert_array_equal(chunk.values[:, :, 0], [range(width), [NAN, *range(1, width)]])


def test_a_comma_in_a_name_is_no_delimiter(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, 'name;x\n"Foo, Inc";1,5\nBar, Ltd;2,5\n'))
    assert next(source.chunks()).ids == ["Foo, Inc", "Bar, Ltd"]
    assert cells(source).tolist() == [[1.5], [2.5]]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
def test_semicolons_with_decimal_commas(tmp_path: Path, name: str) -> None:
    sign = ";" if name == "x.csv" else "\t"
    path = written(tmp_path, "id;a;b\nr1;1,5;-2\nr2;;3,25e2\n".replace(";", sign), name)
    source = open_source(path)
    assert np.array_equal(cells(source), [[1.5, -2], [NAN, 325]], equal_nan=True)
    assert any("decimal comma (for a decimal point: --decimal .)" in note for note in source.notes)


def test_a_file_with_commas_and_points_keeps_its_points(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n1.5;2\n2.5;1,5\n")
    with pytest.raises(InputError, match="line 3, column b: '1,5' is not a number"):
        cells(open_source(path))


def test_numbers_that_can_be_read_in_two_ways(tmp_path: Path) -> None:
    path = written(tmp_path, "a;b\n1,234;2\n5,678;3\n")
    error = needed(path)
    assert "'1,234' may be 1.234, or 1234 (--thousands ,)" in str(error)
    assert typed_for(error) == ("--decimal", ",")
    assert cells(open_source(path, decimal=","))[:, 0].tolist() == [1.234, 5.678]
    assert cells(open_source(path, thousands=","))[:, 0].tolist() == [1234, 5678]


def test_points_that_may_be_between_thousands_are_noted(tmp_path: Path) -> None:
    path = written(tmp_path, "id;a;b\nr1;1.234;2\nr2;56.789;3\n")
    said = "1.234 and the like are taken as written with a decimal point; --decimal , --thousands . reads 1.234 as 1234"
    assert said in open_source(path).notes
    assert cells(open_source(path, decimal=",", thousands="."))[:, 0].tolist() == [1234, 56789]
    assert said not in open_source(path, decimal=".").notes
    for other in ("id;a;b\nr1;1.234;2\nr2;0.789;3\n", "id;a;b\nr1;1.234;2\nr2;5.6;3\n", "id,a,b\nr1,1.234,2\n"):
        assert not any("--thousands" in note for note in open_source(written(tmp_path, other)).notes)


def test_a_decimal_comma_in_one_column_says_what_points_in_others_are(tmp_path: Path) -> None:
    error = needed(written(tmp_path, "a;b\n19.971;18,6\n20.132;7,5\n"))
    assert "'18,6' in column b has a decimal comma, so the point in '19.971' is between groups of digits" in str(error)
    assert typed_for(error) == ("--decimal", ",", "--thousands", ".")


@pytest.mark.parametrize(
    ("cell", "options", "number"),
    [
        ("1,234", ("--thousands", ","), 1234.0),
        ("1,234,567.5", ("--thousands", ","), 1234567.5),
        ("1'234.5", ("--thousands", "'"), 1234.5),
        ("1 234", ("--decimal", ",", "--thousands", " "), 1234.0),
        ("1,5", ("--decimal", ","), 1.5),
        ("1.234,5", ("--decimal", ",", "--thousands", "."), 1234.5),
        ("1\u00a0234,5", ("--decimal", ",", "--thousands", " "), 1234.5),
    ],
)
def test_other_ways_of_writing_numbers(tmp_path: Path, cell: str, options: tuple[str, ...], number: float) -> None:
    path = written(tmp_path, f'a,b\n"{cell}",2\n7,3\n')
    error = needed(path)
    assert f"line 2, column a: {cell!r} is not a number" in str(error)
    assert typed_for(error) == options
    words = dict(zip(options[::2], options[1::2], strict=True))
    source = open_source(path, decimal=words.get("--decimal", "."), thousands=words.get("--thousands", "none"))
    assert cells(source).tolist() == [[number, 2], [7, 3]]


def test_r_leaves_out_the_first_name(tmp_path: Path) -> None:
    for text, name in (
        ('"a" "b"\n"r1" 1.5 NA\n"r2" 2 3\n', "x.txt"),
        ("a\tb\nr1\t1.5\tNA\nr2\t2\t3\n", "x.tsv"),
        ("2001,2002\nr1,1.5,NA\nr2,2,3\n", "x.csv"),
    ):
        source = open_source(written(tmp_path, text, name))
        assert next(source.chunks()).ids == ["r1", "r2"]
        assert np.array_equal(cells(source), [[1.5, NAN], [2, 3]], equal_nan=True)
        assert len(source.column_names) == 2
        assert any("as R writes it" in note for note in source.notes)


def test_a_delimiter_too_many_is_not_taken_for_rs_way(tmp_path: Path) -> None:
    path = written(tmp_path, "1,2\n3,4,5\n")
    with pytest.raises(InputError, match="line 2 has 3 cells"):
        cells(open_source(path))


LEFT_OUT = "left out 1 column without a name and without values"


@pytest.mark.parametrize("width", [2, 250])
@pytest.mark.parametrize(("head", "foot"), [(",", ","), ("", ","), (",", ""), (",,", ",,"), (",Unnamed: 2", ",NA")])
def test_a_delimiter_at_the_end_of_the_lines_is_no_column(tmp_path: Path, head: str, foot: str, width: int) -> None:
    names = [f"c{j}" for j in range(width)]
    row = ",".join(["1.5"] * width)
    source = open_source(written(tmp_path, f"{','.join(names)}{head}\n" + f"{row}{foot}\n" * 300))
    assert source.column_names == names
    assert cells(source).tolist() == [[1.5] * width] * 300
    count = foot.count(",")
    assert any(f"left out {count} column" in note for note in source.notes) == (count > 0)


def test_a_delimiter_at_the_end_of_other_kinds_of_lines(tmp_path: Path) -> None:
    for text, ids, found in (
        ("1,2,\n3,4.5,\n", None, [[1, 2], [3, 4.5]]),
        ("a,b,\nr1,1,2,\nr2,3,4,\n", ["r1", "r2"], [[1, 2], [3, 4]]),
        ("a,b\nr1,1,2,\nr2,3,4,\n", ["r1", "r2"], [[1, 2], [3, 4]]),
        ("id;a;\nr1;1,5;\nr2;;\n", ["r1", "r2"], [[1.5], [NAN]]),
    ):
        source = open_source(written(tmp_path, text))
        assert next(source.chunks()).ids == ids
        assert np.array_equal(cells(source), found, equal_nan=True)
        assert LEFT_OUT in source.notes
    long = open_source(written(tmp_path, "row,column,value,\na,u,1,\na,v,2,\nb,u,3,\n"), layout="long")
    assert long.column_names == ["u", "v"]
    assert LEFT_OUT in long.notes


def test_a_blank_column_is_left_out_and_one_with_a_name_is_missing(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a,,b\n1,,2\n3,,4\n"))
    assert source.column_names == ["a", "b"]
    assert source.notes == [LEFT_OUT]
    source = open_source(written(tmp_path, "a,x,b\n1,,2\n3,,4\n"))
    assert source.column_names == ["a", "x", "b"]
    assert np.isnan(cells(source)[:, 1]).all()


def test_a_column_without_a_name_stays_and_is_noted_if_it_holds_a_value(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, "a,,b\n1,,2\n3,7,4\n"))
    assert source.column_names == ["a", "unnamed_1", "b"]
    (note,) = source.notes
    assert "1 column without a name is taken as data: unnamed_1" in note
    assert "--drop-column unnamed_1 leaves it out" in note
    left = open_source(tmp_path / "x.csv", drop_columns=("unnamed_1",))
    assert (left.column_names, left.notes) == (["a", "b"], [])


@pytest.mark.parametrize("header", ["a,b,\n", ""])
def test_a_value_far_below_in_a_column_left_out_is_refused(tmp_path: Path, header: str) -> None:
    path = written(tmp_path, header + "1,2.5,\n" * 400 + "1,2.5,7\n")
    line = 401 + bool(header)
    with pytest.raises(InputError, match=f"line {line}: '7' is in a column that has no name") as caught:
        cells(open_source(path))
    if header:
        assert "--drop-column unnamed_2" in str(caught.value)
        assert len(cells(open_source(path, drop_columns=("unnamed_2",)))) == 401
    else:
        path.write_text("a,b,c\n" + path.read_text())
        assert cells(open_source(path, header=True))[-1].tolist() == [1, 2.5, 7]


@pytest.mark.parametrize("width", [0, 250])
def test_true_and_false_and_percentages_are_numbers(tmp_path: Path, width: int) -> None:
    more, rest = "".join(f",c{j}" for j in range(width)), ",1" * width
    text = f"x,smoker,share,alive{more}\n1.5,TRUE,12.3%,false{rest}\n2,FALSE, -5 %,{rest}\nNA,true,NA,False{rest}\n"
    source = open_source(written(tmp_path, text))
    assert np.array_equal(
        cells(source)[:, :4], [[1.5, 1, 0.123, 0], [2, 0, -0.05, NAN], [NAN, 1, NAN, 0]], equal_nan=True
    )
    assert (cells(source)[:, 4:] == 1).all()
    assert source.notes == [
        "columns smoker, alive hold TRUE and FALSE: read as 1 and 0",
        "column share holds percentages: read as fractions (12.3% is 0.123)",
    ]


def test_true_and_false_alone_are_a_table(tmp_path: Path) -> None:
    for text, names in (("TRUE;FALSE\nFALSE;TRUE\n", ["0", "1"]), ("a;b\nTRUE;FALSE\nFALSE;TRUE\n", ["a", "b"])):
        source = open_source(written(tmp_path, text))
        assert source.column_names == names
        assert cells(source).tolist() == [[1, 0], [0, 1]]
    source = open_source(written(tmp_path, "id,True,False\na,1,2\nb,3,4\n"))
    assert source.column_names == ["True", "False"]


def test_percentages_with_a_decimal_comma(tmp_path: Path) -> None:
    assert cells(open_source(written(tmp_path, "a;b\n12,5%;1\n7%;2\n"))).tolist() == [[0.125, 1], [0.07, 2]]


@pytest.mark.parametrize(
    ("usual", "odd", "in_head", "far_below"),
    [
        ("TRUE", "7", "2, column a: 'TRUE' is among numbers", "303, column a: '7' is among TRUE and FALSE"),
        ("12%", "7", "2, column a: '12%' is among numbers", "303, column a: '7' is among percentages"),
        ("7", "TRUE", "4, column a: 'TRUE' is among numbers", "303, column a: 'TRUE' is among numbers"),
        ("7", "12%", "4, column a: '12%' is among numbers", "303, column a: '12%' is among numbers"),
    ],
)
def test_a_column_that_mixes_marks_and_numbers_is_refused(
    tmp_path: Path, usual: str, odd: str, in_head: str, far_below: str
) -> None:
    for rows, said in ((2, in_head), (301, far_below)):
        path = written(tmp_path, "x,a\n" + f"1,{usual}\n" * rows + f"2,{odd}\n")
        with pytest.raises(InputError, match=f"line {said}") as caught:
            cells(open_source(path))
        assert "1 and 0 for TRUE and FALSE, 0.12 for 12%" in str(caught.value)


@pytest.mark.parametrize("mark", ["N/A", "null", "-", "?", ".", "none", "#N/A"])
def test_common_marks_of_missing_cells_are_asked_for(tmp_path: Path, mark: str) -> None:
    path = written(tmp_path, f"a,b,c\n1,{mark},{mark}\n3,4,{mark}\n")
    error = needed(path)
    assert typed_for(error) == ("--missing", mark)
    assert np.array_equal(cells(open_source(path, missing=(mark,))), [[1, NAN, NAN], [3, 4, NAN]], equal_nan=True)


def test_a_number_can_mark_missing_cells_however_it_is_written(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,-999\n -999,2\n3,-998\n")
    found = cells(open_source(path, missing=("-999",)))
    assert np.array_equal(found, [[1, NAN], [NAN, 2], [3, -998]], equal_nan=True)


def test_a_stray_word_is_to_be_corrected_or_said_to_be_missing(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b\n1,2\noops,4\n5,6\n")
    with pytest.raises(InputError, match="correct it, or leave the cell blank if it is missing") as caught:
        cells(open_source(path))
    assert "--missing oops" in str(caught.value)
    assert not isinstance(caught.value, OptionsNeeded)


def test_everything_is_said_at_once(tmp_path: Path) -> None:
    rows = [
        f"g {i},{kind},{i}.5,{'N/A' if i == 4 else i},{smoker},n{i}"
        for i, kind, smoker in zip(range(20), ["case", "control"] * 10, ["yes", "no"] * 10, strict=True)
    ]
    path = written(tmp_path, "\n".join(["the gene,kind,x,y,smoker,comment", *rows]) + "\n")
    error = needed(path)
    message = str(error)
    assert "line 2, column the gene: 'g 0' is not a number" in message
    assert "4 columns hold text, not numbers: the gene (row names?), kind (known classes?)" in message
    assert "smoker (yes and no: write 1 and 0 to keep it)" in message
    assert "'N/A' can be read as missing" in message
    assert typed_for(error) == (
        *("--id-column", "the gene", "--row-classes", "kind", "--missing", "N/A"),
        *("--drop-column", "smoker", "--drop-column", "comment"),
    )
    source = open_source(
        path, id_column="the gene", class_column="kind", missing=("N/A",), drop_columns=("smoker", "comment")
    )
    assert source.column_names == ["x", "y"]
    assert np.isnan(cells(source)[4]).tolist() == [False, True]


@pytest.mark.parametrize(
    "day", ["2026-11-{:02d}", "{}.11.2026", "11/{}/26", "{} Nov 2026", "2026-11-{:02d}T10:30:00Z", "10:{}"]
)
def test_dates_are_told_and_left_out(tmp_path: Path, day: str) -> None:
    dates = [day.format(10 + i % 7) for i in range(20)]
    rows = "".join(f"p{i},{date},{i}.5\n" for i, date in enumerate(dates))
    error = needed(written(tmp_path, f"name of it,seen,x\n{rows}"))
    assert "seen (dates)" in str(error)
    assert typed_for(error) == ("--id-column", "name of it", "--drop-column", "seen")


def test_dates_that_differ_may_name_the_rows(tmp_path: Path) -> None:
    error = needed(written(tmp_path, "day,x\n2026-11-01,1.5\n2026-11-02,2.5\n"))
    assert typed_for(error) == ("--id-column", "day")


def test_the_header_is_part_of_the_advice_where_it_is_not_plain(tmp_path: Path) -> None:
    path = written(tmp_path, "sample,class,186,742\ns1,A,0.5,0.7\ns2,B,0.6,0.7\ns3,B,0.6,0.7\ns4,A,1.6,0.7\n")
    assert typed_for(needed(path)) == ("--row-classes", "class", "--header", "yes")
    path = written(tmp_path, "s1,0.5,0.7\ns2,0.6,0.7\n")
    assert typed_for(needed(path)) == ("--id-column", "0", "--header", "no")


def test_a_table_of_text_alone_gets_no_command(tmp_path: Path) -> None:
    path = written(tmp_path, "a,b,c,d\nu,v,w,x\ny,v,w,x\n")
    with pytest.raises(InputError, match="no column holds numbers") as caught:
        cells(open_source(path))
    assert not isinstance(caught.value, OptionsNeeded)


def test_a_first_line_of_any_length(tmp_path: Path) -> None:
    names = [f"ENSG{j:011d}.{j % 9}" for j in range(60_000)]
    path = written(tmp_path, ",".join(["cell", *names]) + "\n" + "".join(f"c{i}{',0' * 60_000}\n" for i in range(2)))
    assert path.read_bytes().index(b"\n") > 2**20
    source = open_source(path, id_column="cell")
    assert source.column_names == names
    assert cells(source).shape == (2, 60_000)
    assert typed_for(needed(path)) == ("--id-column", "cell")


@pytest.mark.parametrize("rows", [1, 40])
def test_a_stretch_of_blank_cells_between_tabs_is_rows(tmp_path: Path, rows: int) -> None:
    path = written(tmp_path, "a\tb\n1\t2\n" + "\t\n" * rows + "3\t4\n" + "\t\n" * rows, "x.tsv")
    source = CsvSource(path, "\t", Reading())
    source._block_bytes = 8
    found = np.concatenate([chunk.values for chunk in source.chunks()])[:, :, 0]
    blank = [[NAN, NAN]] * rows
    assert np.array_equal(found, [[1, 2], *blank, [3, 4], *blank], equal_nan=True)


NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr),
    st.integers(-(10**6), 10**6).map(str),
    st.sampled_from(["", "NA", "-9", " -9", "-9.0", "?", " ?", "x", "1,5", "1.5", "nan", "+1"]),
)


@pytest.mark.parametrize("wide", [1, 100])
@pytest.mark.parametrize(("delimiter", "decimal"), [(",", "."), (";", ","), (" ", "."), ("\t", ",")])
@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.integers(2, 4).flatmap(
        lambda p: st.lists(st.lists(NUMBERS, min_size=p, max_size=p), min_size=1, max_size=8)
    )
)
def test_fast_readers_say_what_the_plain_one_says(
    tmp_path: Path, wide: int, delimiter: str, decimal: str, rows: list[list[str]]
) -> None:
    """The plain reader is the reference: same numbers, or the same error message."""
    table = [[f"c{j}" for j in range(len(rows[0]))]]
    table += [[cell.replace(".", decimal) if cell not in ("1.5", "1,5") else cell for cell in row] for row in rows]
    path = written(tmp_path, "\n".join(delimiter.join(row) for row in table) + "\n")
    reading = Reading(
        delimiter=delimiter, decimal=decimal, missing=("-9", "?"), id_column="none", header=True, layout="table"
    )
    try:
        source = CsvSource(path, ",", reading)
    except InputError:
        return
    source._block_bytes = 30

    def outcome(chunks: object) -> object:
        try:
            return b"".join(chunk.values.tobytes() for chunk in chunks)  # type: ignore[attr-defined]
        except InputError as caught:
            return str(caught)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_blocks, "WIDE", wide)
        found = outcome(source.chunks())
    assert found == outcome(source._plain_chunks(0))


@pytest.mark.parametrize("turned", [False, True])
def test_genes_by_cells_as_r_writes_them_are_named_in_either_orientation(shared_dir: Path, turned: bool) -> None:
    """The header is one name short."""
    path = shared_dir / "data" / "counts" / "sc_dropseq.count.csv.gz"
    source = open_source(path, transpose=turned)
    chunks = list(source.chunks())
    rows, columns = [name for chunk in chunks for name in chunk.ids or ()], source.column_names
    genes, cells = (columns, rows) if turned else (rows, columns)
    assert (len(genes), genes[0], len(cells), cells[0]) == (15_127, "ENSG00000223849", 225, "CELL_000001")
    counts = np.concatenate([chunk.values[:, :, 0] for chunk in chunks])
    counts = counts.T if turned else counts
    assert (np.count_nonzero(counts), counts[0, :7].tolist()) == (1_290_921, [0, 0, 0, 0, 1, 0, 2])
