"""Columns of several kinds in one table: what they are taken as, what is said of them, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from birds import FOODS, ISLANDS, KINDS, birds, save
from disnplbm.cell_types import MIXED
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.mixed.file import open_parts
from disnplbm.data.mixed.frames import find_parts_in_memory
from disnplbm.data.reading import Reading
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Note


def opened(frame: pd.DataFrame, folder: Path, ending: str = ".csv", **reading: Any) -> SourceOfParts:
    return open_parts(save(frame, folder / f"birds{ending}"), Reading(**reading), None)


def read(parts: SourceOfParts) -> list[tuple[str, list[str], np.ndarray, list[str] | None]]:
    """Kind, columns, cells and row names of each part."""
    found = []
    for part in parts.parts:
        chunks = list(part.source.chunks())
        ids = [name for chunk in chunks for name in chunk.ids or ()]
        cells = np.concatenate([chunk.values for chunk in chunks])[..., 0]
        found.append((part.cells, part.source.column_names, cells, ids or None))
    return found


def in_memory(frame: Any, **columns_as: str) -> SourceOfParts:
    return find_parts_in_memory(frame, MIXED, columns_as, None)


@pytest.mark.parametrize("where", ["csv", "parquet", "memory", "arrow"])
def test_each_column_is_what_it_holds(where: str, tmp_path: Path) -> None:
    frame = birds()
    if where == "arrow":
        parts = in_memory(pa.Table.from_pandas(frame, preserve_index=False))
    else:
        parts = in_memory(frame) if where == "memory" else opened(frame, tmp_path, f".{where}")
    found = read(parts)
    assert [kind for kind, *_ in found] == ["categorical", "gaussian", "binary", "counts", "categorical"]
    islands, numbers, binary, counts, foods = found
    assert (islands[1], foods[1]) == (["island", "origin"], ["food"])
    for kind, columns, _, ids in found:
        assert set(columns) <= set(KINDS[kind])
        assert ids == (None if where == "arrow" else list(frame.index))
    np.testing.assert_array_equal(numbers[2], frame[KINDS["gaussian"]].to_numpy())
    np.testing.assert_array_equal(counts[2][:, 0], frame["eggs"])
    male = frame["sex"].map({"male": 1.0, "female": 0.0}).astype(float)
    np.testing.assert_array_equal(binary[2], np.stack([male, frame["ringed"]], axis=1))
    codes = frame[["island", "origin"]].apply(lambda column: column.map(ISLANDS.index))
    np.testing.assert_array_equal(islands[2], codes.to_numpy(dtype=float))
    np.testing.assert_array_equal(foods[2][:, 0], frame["food"].map(FOODS.index, na_action="ignore").astype(float))
    assert [part.columns for part in parts.parts] == [(0, 5), (1, 2, 3), (4, 7), (6,), (8,)]
    assert [part.transform for part in parts.parts] == ["none", "standardize", "none", "none", "none"]


def test_each_part_is_said_in_one_line_with_the_option_that_overrules_it(tmp_path: Path) -> None:
    parts = opened(birds(), tmp_path)
    notes = [note for note in parts.notes if isinstance(note, Note) and note.kind == "parts"]
    assert notes == [part.note for part in parts.parts]
    assert [str(note).partition(" (otherwise")[0] for note in notes] == [
        "2 columns of categories (east, north or south): island, origin",
        "3 columns of real numbers: bill, flipper, mass; standardised by column",
        "2 columns of yes and no: sex (1 is male), ringed",
        "1 column of counts: eggs",
        "1 column of categories (fish, krill or squid): food",
    ]
    assert str(notes[1]).endswith(" (otherwise: --columns-as bill=categorical)")


def test_columns_are_taken_as_asked_for(tmp_path: Path) -> None:
    asked = ("ringed=gaussian", "eggs=categorical", "flipper=counts")
    parts = opened(birds(), tmp_path, columns_as=asked)
    by_column = {name: kind for kind, columns, *_ in read(parts) for name in columns}
    assert {name: by_column[name] for name in ("ringed", "eggs", "flipper", "bill")} == {
        "ringed": "gaussian",
        "eggs": "categorical",
        "flipper": "counts",
        "bill": "gaussian",
    }


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("bill", "must be NAME=KIND"),
        ("bill=words", "KIND one of gaussian, counts, binary, categorical"),
        ("bil=counts", "has no column 'bil'"),
        ("food=counts", "column food holds 'fish', which is no number"),
        ("bill=binary", "column bill does not hold two values"),
    ],
)
def test_what_a_column_cannot_be_taken_as_is_refused(asked: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=words):
        opened(birds(), tmp_path, columns_as=(asked,))


def test_free_text_is_refused_with_the_option_that_drops_it(tmp_path: Path) -> None:
    frame = birds().assign(remark=[f"seen at {i}:00, well" for i in range(60)], nest="none built", blank=np.nan)
    with pytest.raises(OptionsNeeded) as refused:
        opened(frame, tmp_path)
    assert "column remark holds free text: 60 different values in 60 cells" in str(refused.value)
    assert refused.value.reading.drop_columns == ("remark", "nest", "blank")
    assert len(open_parts(tmp_path / "birds.csv", refused.value.reading, None).parts) == 5
    with pytest.raises(InputError, match=r"X\.drop\(columns=\['remark', 'nest', 'blank'\]\)"):
        in_memory(frame)


def test_marks_of_missing_cells_among_numbers_are_refused_with_the_option_that_reads_them(tmp_path: Path) -> None:
    frame = birds()
    frame["bill"] = frame["bill"].astype(object)
    frame.loc["bird 9", "bill"] = "n.d."
    with pytest.raises(OptionsNeeded) as refused:
        opened(frame, tmp_path)
    assert refused.value.reading.missing == ("n.d.",)
    numbers = read(open_parts(tmp_path / "birds.csv", refused.value.reading, None))[1]
    assert np.isnan(numbers[2][9, 0])


def test_a_word_among_numbers_is_refused(tmp_path: Path) -> None:
    frame = birds()
    frame["bill"] = frame["bill"].astype(object)
    frame.loc["bird 9", "bill"] = "long"
    with pytest.raises(InputError, match="column bill holds 'long', which is no number"):
        opened(frame, tmp_path)


def test_types_of_pandas_mean_what_they_say() -> None:
    frame = birds()
    grades = pd.CategoricalDtype([1, 2, 3, 4])
    frame["first"] = pd.Categorical(np.arange(60) % 3 + 1, dtype=grades)
    frame["second"] = pd.Categorical(np.arange(60) % 4 + 1, dtype=grades)
    frame["sex"] = frame["sex"].astype("category")
    frame["eggs"] = frame["eggs"].astype("Int64")
    frame.loc["bird 2", "eggs"] = pd.NA
    frame["tame"] = pd.array([True, None, *[False] * 58], dtype="boolean")
    found = {tuple(columns): (kind, cells) for kind, columns, cells, _ in read(in_memory(frame))}
    # Both grades declare the same categories, of which the first holds three.
    assert found["first", "second"][0] == "categorical"
    assert found["sex",][0] == "categorical"
    assert found["eggs",][0] == "counts"
    assert np.isnan(found["eggs",][1][2, 0])
    np.testing.assert_array_equal(found["ringed", "tame"][1][:3, 1], [1.0, np.nan, 0.0])


def test_a_first_column_of_different_words_names_the_rows(tmp_path: Path) -> None:
    frame = birds().rename_axis("who is it")
    parts = opened(frame, tmp_path)
    assert read(parts)[0][3] == list(frame.index)
    assert any("no two of its words are the same" in note for note in parts.notes)


def test_truth_and_percentages_are_read_as_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    rows = [f"{i / 10}%,{'TRUE' if i % 3 else 'FALSE'},{i * 1.5}" for i in range(20)]
    path.write_text("\n".join(["share,tame,length", *rows]))
    numbers, binary = read(open_parts(path, Reading(id_column="none"), None))
    assert (numbers[1], binary[1]) == (["share", "length"], ["tame"])
    np.testing.assert_allclose(numbers[2][:, 0], np.arange(20) / 1000)
    np.testing.assert_array_equal(binary[2][:, 0], np.arange(20) % 3 > 0)


@pytest.mark.parametrize(
    ("name", "reading", "words"),
    [
        ("x.npy", {}, "has no columns of several kinds"),
        ("x.csv", {"transpose": True}, "leave out --transpose"),
        ("x.csv", {"header": False}, "add a first line of names"),
    ],
)
def test_other_tables_are_refused(name: str, reading: dict[str, Any], words: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    (tmp_path / "x.csv").write_text("a,b\n1,x\n2,y\n1,x\n")
    with pytest.raises(InputError, match=words):
        open_parts(tmp_path / name, Reading(**reading), None)
