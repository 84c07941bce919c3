"""Tables of words: which are, what becomes of their cells, and what is said where they are not plain."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from disnplbm.cli.flags import flag
from disnplbm.data.array import ArraySource
from disnplbm.data.cell_choice import choose_for_words
from disnplbm.data.dataset import ingest, load_dataset
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.data.words import as_fitted, words_of
from disnplbm.errors import InputError
from disnplbm.objects.store import open_store

NAN = np.nan

ANSWERS = [["yes", "no", ""], ["no", "maybe", "no"], ["yes", "yes", "NA"], ["no", "no", "maybe"]]
CODES = [[2, 1, NAN], [1, 0, 1], [2, 2, NAN], [1, 1, 0]]


def written(folder: Path, rows: Sequence[Sequence[str]], name: str = "x.csv") -> Path:
    path = folder / name
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    return path


def cells(source: Source) -> NDArray[np.float64]:
    return np.concatenate([chunk.values for chunk in source.chunks()])[:, :, 0]


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        list(open_source(path, **options).chunks())
    assert "\n" not in str(caught.value)
    caught.value.naming = flag
    return str(caught.value)


def test_words_are_numbers_in_sorted_order(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, [["a", "b", "c"], *ANSWERS]))
    np.testing.assert_array_equal(cells(source), CODES)
    assert words_of(source) == ("maybe", "no", "yes")
    assert source.column_names == ["a", "b", "c"]
    assert source.notes == []


@pytest.mark.parametrize("kind", ["string", "category", "object"])
def test_a_parquet_file_of_words(tmp_path: Path, kind: str) -> None:
    table = pd.DataFrame(ANSWERS, columns=["a", "b", "c"]).replace("", None).astype(kind)
    table.to_parquet(tmp_path / "x.parquet")
    source = open_source(tmp_path / "x.parquet")
    np.testing.assert_array_equal(cells(source), CODES)
    assert words_of(source) == ("maybe", "no", "yes")


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "y.npz"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<U5", ">U40"])
def test_an_array_of_words_in_a_file(tmp_path: Path, name: str, order: Any, kind: str) -> None:
    many = np.array(ANSWERS * 50, dtype=kind, order=order)
    save = {"x.npy": np.save, "x.npz": lambda path, x: np.savez(path, x=x), "y.npz": np.savez_compressed}[name]
    save(tmp_path / name, many)
    source = open_source(tmp_path / name)
    np.testing.assert_array_equal(cells(source), CODES * 50)
    assert (words_of(source), source.notes) == (("maybe", "no", "yes"), [])
    assert cells(source).tobytes() == cells(ArraySource(many, words="auto")).tobytes()


def test_an_array_of_text_that_is_no_table_of_words(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.array([["1.5", "2"], ["3", "4"]] * 9))
    assert "x.npy holds text, not real numbers; convert it to float64 first" in refused(path)
    np.save(path, np.array([["a", "2"], ["3", "4"]] * 9))
    assert refused(path).endswith("to take all cells as categories: --cells categorical")
    assert words_of(open_source(path, Reading(words="yes"))) == ("2", "3", "4", "a")
    assert "holds text" in refused(path, reading=Reading(words="no"))
    np.save(path, np.array([["a"]] * 9, dtype=object))
    assert "holds object" in refused(path)
    np.save(path, np.array([[f"w{i % 300}", "b", "b"] for i in range(600)]))
    assert refused(path).endswith("column 0 has 300 different words in 600 cells (row names?); leave it out")
    np.save(path, np.array([["a", "?"], ["?", "a"]] * 9))
    source = open_source(path, Reading(words="yes"))
    list(source.chunks())
    assert source.notes == ["'?' is taken as a category; if it stands for a missing cell, write NA instead"]


@pytest.mark.parametrize("letter", [0xD800, 0x110000, 2**32 - 1])
def test_letters_that_unicode_does_not_have_are_refused(tmp_path: Path, letter: int) -> None:
    np.save(tmp_path / "x.npy", np.array([["a", "b"]] * 9))
    content = bytearray((tmp_path / "x.npy").read_bytes())
    content[-8:-4] = letter.to_bytes(4, "little")
    (tmp_path / "x.npy").write_bytes(content)
    assert "x.npy: row 9 holds text that is no Unicode" in refused(tmp_path / "x.npy")


@pytest.mark.parametrize(
    "table",
    [
        np.array(ANSWERS),
        np.array(ANSWERS, dtype=object),
        ANSWERS,
        pd.DataFrame(ANSWERS),
        pd.DataFrame(ANSWERS).astype("category"),
        pd.DataFrame(ANSWERS).replace("", None).astype("string"),
    ],
    ids=["array", "objects", "lists", "frame", "categories", "strings"],
)
def test_words_in_memory(table: Any) -> None:
    source = ArraySource(table, words="auto")
    np.testing.assert_array_equal(cells(source), CODES)
    assert source.words == ("maybe", "no", "yes")


def test_numbers_among_words_are_words(tmp_path: Path) -> None:
    rows = [["yes", "1", "no"], ["no", "2", "no"], ["no", "1", "yes"], ["yes", "1", "yes"]]
    source = open_source(written(tmp_path, [["a", "b", "c"], *rows]))
    assert words_of(source) == ("1", "2", "no", "yes")
    np.testing.assert_array_equal(cells(source), [[3, 0, 2], [2, 1, 2], [2, 0, 3], [3, 0, 3]])
    table = pd.DataFrame(rows, columns=["a", "b", "c"]).astype({"b": float})
    assert ArraySource(table, words="auto").words == ("1", "2", "no", "yes")


def test_a_word_among_numbers_is_refused_as_ever(tmp_path: Path) -> None:
    path = written(tmp_path, [["a", "b"], *[[str(i), f"{i}.5"] for i in range(9)], ["3", "n"]])
    assert refused(path) == (
        f"{path} line 11, column b: 'n' is not a number; correct it, or leave the cell blank if it is missing (or read"
        " it as missing: --missing n); to take all cells as categories: --cells categorical"
    )
    assert refused(path, words="no").endswith("(or read it as missing: --missing n)")
    assert words_of(open_source(path, words="yes")) == tuple(sorted({*"012345678n", *(f"{i}.5" for i in range(9))}))


def test_a_late_word_counts_where_words_may_be(tmp_path: Path) -> None:
    rows = [[str(i % 3), str(i % 2)] for i in range(1000)]
    path = written(tmp_path, [["a", "b"], *rows, ["2", "other"]])
    assert "'other' is not a number" in refused(path)
    assert words_of(open_source(path, words="yes")) == ("0", "1", "2", "other")
    assert words_of(open_source(written(tmp_path, [["a", "b"], *rows]), words="yes")) is None


def test_measurements_beside_words_are_no_categories(tmp_path: Path) -> None:
    rows = [["red" if i % 2 else "blue", f"{i / 7:.3f}"] for i in range(20)]
    said = refused(written(tmp_path, [["colour", "size"], *rows]))
    assert "--row-classes colour" in said
    assert "--cells categorical" in said


def test_a_column_of_different_words_is_refused_by_its_name(tmp_path: Path) -> None:
    rows = [["xy"[i % 2], "uvw"[i % 3], f"text {i}"] for i in range(400)]
    path = written(tmp_path, [["a", "b", "comment"], *rows])
    assert refused(path, words="yes") == (
        f"{path}: the cells are words, and there are more than 255 different ones, too many for categories; column"
        " comment has 400 different words in 400 cells (row names?); read it with --id-column comment"
        " --cells categorical"
    )
    assert words_of(open_source(path, words="yes", id_column="comment")) == ("u", "v", "w", "x", "y")
    with pytest.raises(InputError, match="column comment has 400 different words in 400 cells"):
        ArraySource(pd.DataFrame(rows, columns=["a", "b", "comment"]), words="yes")


def test_255_words_are_categories_and_256_are_not(tmp_path: Path) -> None:
    for words in (255, 256):
        path = written(tmp_path, [["a", "b"], *[[f"w{i % words}", f"w{(i + 1) % words}"] for i in range(3 * words)]])
        if words == 255:
            assert len(words_of(open_source(path, words="yes")) or ()) == 255
        else:
            assert "more than 255 different ones" in refused(path, words="yes")


def test_a_first_column_of_different_words_names_the_rows(tmp_path: Path) -> None:
    rows = [[f"p{i}", *row] for i, row in enumerate(ANSWERS)]
    source = open_source(written(tmp_path, [["who", "a", "b", "c"], *rows]))
    assert next(iter(source.chunks())).ids == ["p0", "p1", "p2", "p3"]
    assert source.column_names == ["a", "b", "c"]
    assert "no two of its words are the same" in source.notes[0]
    whole = open_source(written(tmp_path, [["who", "a", "b", "c"], *rows]), id_column="none")
    assert whole.column_names == ["who", "a", "b", "c"]


def test_a_table_of_words_without_names_of_columns(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, ANSWERS * 3))
    assert len(cells(source)) == 12
    assert "the first line (yes, no, blank) is read as data" in source.notes[0]
    assert len(cells(open_source(written(tmp_path, ANSWERS * 3), header=True))) == 11


def test_a_long_table_of_words(tmp_path: Path) -> None:
    rows = [[f"p{i}", f"q{j}", ANSWERS[i][j]] for i in range(4) for j in range(3)]
    source = open_source(written(tmp_path, [["who", "question", "answer"], *rows]), layout="long")
    np.testing.assert_array_equal(cells(source), CODES)
    assert words_of(source) == ("maybe", "no", "yes")


def test_a_transposed_table_of_words(tmp_path: Path) -> None:
    source = open_source(written(tmp_path, [["a", "b", "c"], *ANSWERS]), transpose=True)
    np.testing.assert_array_equal(cells(source), np.array(CODES).T)
    assert words_of(source) == ("maybe", "no", "yes")


def test_a_dataset_keeps_its_words_and_knows_itself_by_them(tmp_path: Path) -> None:
    store = open_store("memory://")
    path = written(tmp_path, [["a", "b", "c"], *ANSWERS])
    ingest(open_source(path), store, "words")
    other = ingest(open_source(written(tmp_path, [["a", "b", "c"], *np.char.upper(ANSWERS).tolist()])), store, "other")
    found = load_dataset(store, "words")
    assert found.words == ("maybe", "no", "yes")
    assert other.words == ("MAYBE", "NO", "YES")
    assert found.sha256 != other.sha256
    assert sum(len(values) for _, values in found.checked_arrays()) == 4


def test_new_cells_get_the_numbers_of_the_run(tmp_path: Path) -> None:
    path = written(tmp_path, [["a", "b", "c"], ["2", "yes", "1"], ["1", "", "yes"]])
    source = as_fitted(open_source(path, words="only"), ["1", "2", "no", "yes"])
    np.testing.assert_array_equal(cells(source), [[1, 3, 0], [0, NAN, 3]])
    with pytest.raises(InputError) as caught:
        cells(as_fitted(open_source(path, words="only"), ["1", "yes"]))
    assert str(caught.value) == (
        f"{path}: row 1, column a: '2' is not one of the run's categories, which are 1 or yes; correct the cell, or"
        " leave it blank if it is missing"
    )


def test_words_and_numbers_do_not_mix_between_tables() -> None:
    words, numbers = ArraySource(ANSWERS, words="auto"), ArraySource(np.eye(3))
    with pytest.raises(InputError, match="X holds words, and the table of the run numbers"):
        as_fitted(words, None)
    with pytest.raises(InputError, match=r"X holds numbers, and the table of the run words \(no or yes\)"):
        as_fitted(numbers, ["no", "yes"])


def test_a_reading_says_whether_words_may_be() -> None:
    with pytest.raises(InputError, match="must be auto, yes or no"):
        Reading(words="maybe")  # type: ignore[arg-type]
    assert "words" not in Reading().to_dict()


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_the_sign_between_words_is_found(tmp_path: Path, sign: str) -> None:
    rows = [["a", "b", "c"], *[[f"quite {cell} 1" if cell else cell for cell in row] for row in ANSWERS]]
    path = tmp_path / "x.csv"
    path.write_text("\n".join(map(sign.join, rows)) + "\n")
    assert words_of(open_source(path)) == ("quite NA 1", "quite maybe 1", "quite no 1", "quite yes 1")


def test_words_that_may_be_meant_otherwise_are_named(tmp_path: Path) -> None:
    rows = [["yes", "Yes", "?"], ["no", "no", "yes"]] * 5
    source = open_source(written(tmp_path, [["a", "b", "c"], *rows]))
    words = words_of(source) or ()
    assert words == ("?", "Yes", "no", "yes")
    (mark,) = source.notes
    assert mark.startswith("'?' is taken as a category; if it stands for a missing cell, add ")
    assert words_of(open_source(written(tmp_path, [["a", "b", "c"], *rows]), missing=("?",))) == ("Yes", "no", "yes")
    *_, alike = choose_for_words("auto", words).notes
    assert alike == "words that differ in capitals only are categories of their own: Yes and yes"
    assert len(choose_for_words("categorical", ["no", "yes"]).notes) == 0
