"""Several tables over the same rows: how these are matched."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.mixed.frames import find_parts_in_memory
from disnplbm.errors import InputError
from disnplbm.objects import open_store


def joined(**tables: object) -> SourceOfParts:
    return find_parts_in_memory(tables, "auto", {}, None)


def frame(names: list[str], start: float) -> pd.DataFrame:
    values = start + np.arange(2.0 * len(names)).reshape(-1, 2)
    return pd.DataFrame(values, index=names, columns=["x", "y"])


def datasets(source: SourceOfParts) -> list[Dataset]:
    store = open_store("memory://")
    return [ingest(part.source, store, str(number)) for number, part in enumerate(source.parts)]


def cells(dataset: Dataset) -> np.ndarray:
    return np.concatenate([values for _, values in dataset.checked_arrays()])[..., 0]


def test_rows_are_matched_by_name_and_new_ones_follow_in_order() -> None:
    source = joined(a=frame(["r1", "r2", "r3"], 0.0), b=frame(["r4", "r3", "r1", "r5"], 10.0))
    a, b = datasets(source)
    assert a.row_names == b.row_names == ["r1", "r2", "r3", "r4", "r5"]
    nan = np.nan
    np.testing.assert_array_equal(cells(a)[:, 0], [0.0, 2.0, 4.0, nan, nan])
    np.testing.assert_array_equal(cells(b)[:, 0], [14.0, nan, 12.0, 10.0, 16.0])
    assert source.column_names == ["x", "y", "x", "y"]
    assert [(part.name, part.columns) for part in source.parts] == [("a", (0, 1)), ("b", (2, 3))]
    assert source.notes == [
        "b is matched by the names of rows: 2 rows of the tables before it, 1 row of theirs missing in it, 2 rows that"
        " they lack"
    ]


def test_a_sparse_table_is_matched_likewise() -> None:
    counts = sp.csr_array(np.array([[0, 3], [1, 0], [0, 2]]))
    sparse = pd.DataFrame.sparse.from_spmatrix(counts, index=["r3", "r9", "r1"], columns=["g", "h"])
    a, b = datasets(joined(a=frame(["r1", "r2", "r3"], 0.0), b=sparse))
    assert (b.sparse, b.row_names, a.row_names) == (True, a.row_names, ["r1", "r2", "r3", "r9"])
    np.testing.assert_array_equal(cells(b), [[0, 2], [np.nan, np.nan], [0, 3], [1, 0]])
    assert (b.missing, a.missing) == (2, 2)


def test_tables_in_the_same_order_are_left_as_they_are() -> None:
    names = ["r1", "r2"]
    source = joined(a=frame(names, 0.0), b=frame(names, 10.0))
    alone = [datasets(joined(a=table))[0] for table in (frame(names, 0.0), frame(names, 10.0))]
    assert [dataset.sha256 for dataset in datasets(source)] == [dataset.sha256 for dataset in alone]


def test_a_table_without_names_has_the_rows_of_the_first() -> None:
    source = joined(a=frame(["r1", "r2"], 0.0), b=np.eye(2))
    assert [part.source.row_names for part in source.parts] == [["r1", "r2"], None]
    assert source.notes == ["b names no rows: its rows are taken in the order of the other table"]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (frame(["r1", "r1"], 0.0), r"b: rows of the same name cannot be matched .*: r1; .* --id-column"),
        (frame(["s1", "s2"], 0.0), r"no row of b \(s1, s2\) is in the tables before it \(r1, r2\)"),
        (np.eye(3), "b names no rows, and a and b have 2 and 3"),
    ],
)
def test_rows_that_cannot_be_matched_are_refused(second: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        joined(a=frame(["r1", "r2"], 0.0), b=second)
