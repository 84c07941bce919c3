"""Parquet files: what pandas saved as the index is no data, and decimals are rounded once."""

from __future__ import annotations

import decimal
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.data import parquet
from disnplbm.data.arrow import numbers
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import InputError, OptionsNeeded
from spoken import typed_for

FRAME = pd.DataFrame({"sample": ["x", "y", "z"], "a": [1.0, 2, 3], "b": [4.0, 5, 6]}, index=[10, 20, 30])
DATA = FRAME[["a", "b"]]
LEVELS = pd.MultiIndex.from_tuples([(1, 2001), (1, 2002), (2, 2001)], names=["id", "year"])


def opened(folder: Path, frame: Any, **options: Any) -> tuple[Source, list[str] | None]:
    frame.to_parquet(folder / "x.parquet")
    source = open_source(folder / "x.parquet", **options)
    (chunk,) = source.chunks()
    np.testing.assert_array_equal(chunk.values[:, :, 0], DATA)
    assert source.column_names == ["a", "b"]
    return source, chunk.ids


def test_a_saved_index_is_no_data_beside_an_id_column(tmp_path: Path) -> None:
    """Report 09, first half."""
    source, ids = opened(tmp_path, FRAME, id_column="sample")
    assert ids == ["x", "y", "z"]
    assert source.notes == ["the index that pandas saved (unnamed) is left out: it is not data"]


def test_an_index_of_several_levels_names_the_rows(tmp_path: Path) -> None:
    """Report 09, second half."""
    source, ids = opened(tmp_path, DATA.set_axis(LEVELS))
    assert ids == ["1, 2001", "1, 2002", "2, 2001"]
    assert source.notes == ["the index that pandas saved (id, year) is taken as row names, not as data"]


def test_a_level_can_name_the_rows_or_hold_their_classes(tmp_path: Path) -> None:
    source, ids = opened(tmp_path, DATA.set_axis(LEVELS), id_column="year", class_column="id")
    assert (ids, source.notes) == (["2001", "2002", "2001"], [])
    assert [chunk.classes for chunk in source.chunks()] == [["1", "1", "2"]]
    source, ids = opened(tmp_path, DATA.set_axis(LEVELS), id_column="none")
    assert (ids, source.notes) == (None, ["the index that pandas saved (id, year) is left out: it is not data"])


def test_a_named_index_names_the_rows_and_a_count_does_not(tmp_path: Path) -> None:
    source, ids = opened(tmp_path, FRAME.set_index("sample"))
    assert ids == ["x", "y", "z"]
    assert source.notes == ["the index that pandas saved (sample) is taken as row names, not as data"]
    source, ids = opened(tmp_path, DATA.reset_index(drop=True))
    assert (ids, source.notes) == (None, [])


@pytest.mark.parametrize(
    "noted",
    [b"{", b"[]", b"{}", b"\xff", b"[" * 100_000, json.dumps({"index_columns": [7, "nowhere", {"kind": "range"}]})],
    ids=["cut", "a list", "nothing", "no text", "deep", "no columns"],
)
def test_notes_that_make_no_sense_are_left_alone(tmp_path: Path, noted: bytes) -> None:
    pq.write_table(pa.table({"a": [1.0]}).replace_schema_metadata({"pandas": noted}), tmp_path / "x.parquet")
    assert open_source(tmp_path / "x.parquet").column_names == ["a"]


@given(
    digits=st.lists(st.none() | st.integers(-(10**17), 10**17), min_size=1, max_size=20),
    kind=st.sampled_from([pa.decimal64(18, 5), pa.decimal128(38, 20), pa.decimal256(60, 30), pa.decimal128(18, 0)]),
)
def test_a_decimal_is_rounded_once(digits: list[int | None], kind: pa.DataType) -> None:
    cells = [None if number is None else decimal.Decimal(number).scaleb(-kind.scale) for number in digits]
    column = pa.array(cells, type=kind)
    expected = [float("nan") if cell is None else float(cell) for cell in cells]
    np.testing.assert_array_equal(numbers(column), expected)
    np.testing.assert_array_equal(numbers(pa.chunked_array([column])), expected)


def test_dates_are_refused_with_the_option_that_leaves_them_out(tmp_path: Path) -> None:
    frame = DATA.assign(**{"seen on": pd.Timestamp("2026-11-29"), "stay": pd.Timedelta(1, "D")})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(OptionsNeeded, match=r"column seen on is of type timestamp.*likewise stay") as caught:
        open_source(tmp_path / "x.parquet")
    assert typed_for(caught.value) == ("--drop-column", "seen on", "--drop-column", "stay")
    assert open_source(tmp_path / "x.parquet", drop_columns=("seen on", "stay")).column_names == ["a", "b"]


@pytest.mark.parametrize("options", [{}, {"id_column": "id"}, {"class_column": "id"}])
def test_words_that_are_no_text_are_damage(tmp_path: Path, options: dict[str, str]) -> None:
    words = pa.array([b"\xff\xfe", b"b"]).view(pa.string())
    pq.write_table(pa.table({"id": words, "a": [1.0, 2.0], "b": [2.0, 1.0]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x\.parquet is damaged: .*; copy or write it again"):
        list(open_source(tmp_path / "x.parquet", **options).chunks())


def test_a_column_without_name_and_values_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    long = pd.concat([DATA] * 500, ignore_index=True)
    for nothing in (np.nan, None):
        long.assign(**{"Unnamed: 2": nothing}).to_parquet(path)
        source = open_source(path)
        assert source.column_names == ["a", "b"]
        assert source.notes == ["left out 1 column without a name and without values"]
        assert sum(len(chunk.values) for chunk in source.chunks()) == 1500
    late = long.assign(**{"Unnamed: 2": np.nan})
    late.loc[1400, "Unnamed: 2"] = 1.0
    late.to_parquet(path)
    with pytest.raises(InputError, match=r"further down; leave the column out \(--drop-column 'Unnamed: 2'\)"):
        list(open_source(path).chunks())
    assert len(list(open_source(path, drop_columns=("Unnamed: 2",)).chunks()))


def test_the_columns_of_a_wide_file_are_asked_for_a_few_times_in_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrow makes its description of the columns anew whenever it is asked for."""
    asked = list[pq.ParquetFile]()
    describe = pq.ParquetFile.schema_arrow.fget
    monkeypatch.setattr(pq.ParquetFile, "schema_arrow", property(lambda file: (asked.append(file), describe(file))[1]))
    pq.write_table(pa.table({f"c{j}": [1.0, 2.0 * j] for j in range(300)}), tmp_path / "x.parquet")
    assert sum(len(chunk.values) for chunk in open_source(tmp_path / "x.parquet").chunks()) == 2
    assert 0 < len(asked) < 10


def is_written(kind: pa.DataType) -> bool:
    """Whether this version of pyarrow writes columns of a type; all versions write the first two of `WORDS`."""
    try:
        pq.write_table(pa.table({"a": pa.array(["b"]).cast(kind)}), io.BytesIO())
    except pa.ArrowNotImplementedError:
        return False
    return True


WORDS = [pa.string(), pa.dictionary(pa.int32(), pa.string()), *filter(is_written, [pa.string_view()])]


@pytest.mark.parametrize("kind", WORDS)
@pytest.mark.parametrize(("group", "most"), [(10_000, 2**24), (10_000, 1), (356, 2**24), (356, 1)])
def test_words_beside_many_rows_are_read_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: pa.DataType, group: int, most: int
) -> None:
    """Numbers come as many rows at a time as in a file without words, unless the words are long."""
    monkeypatch.setattr(parquet, "WORD_BYTES", most)
    monkeypatch.setattr(parquet, "READ_BYTES", 16 * 1000)
    path, ids = tmp_path / "x.parquet", [f"sample {i}" for i in range(3007)]
    table = pa.table({"a": np.arange(3007) / 3, "id": pa.array(ids).cast(kind), "b": np.arange(3007) % 7 / 7})
    pq.write_table(table, path, row_group_size=group)
    chunks = list(open_source(path, id_column="id").chunks())
    assert [name for chunk in chunks for name in chunk.ids or ()] == ids
    cells = np.concatenate([chunk.values[:, :, 0] for chunk in chunks])
    np.testing.assert_array_equal(cells, np.column_stack([table["a"], table["b"]]))
    rows = [len(chunk.values) for chunk in chunks]
    assert max(rows) <= (1000 if most > 1 else 2 * parquet.WORDY_ROWS)
    if most > 1:
        assert rows == [1000, 1000, 1000, 7]
