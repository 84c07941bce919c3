"""Pictures of counts, yes and no, and categories: read sparse, beside what is expected."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.objects.store import ObjectStore
from disnplbm_dashboard.heatmap import pictures, typed

from .conftest import Dashboard
from .test_heatmap import _decoded

N, P = 60, 8

Values = NDArray[np.float64]


def counts(*, missing: bool = False) -> Values:
    """Many zeros, and some cells that are missing."""
    values = np.random.default_rng(1).poisson(0.8, (N, P)).astype(float)
    if missing:
        values[(np.add.outer(np.arange(N), 3 * np.arange(P)) % 17) == 0] = np.nan
    return np.asarray(values)


def votes() -> Values:
    """-1, 0 or 1; most are 0, the second of the three."""
    return np.asarray(np.random.default_rng(2).choice([-1.0, 0.0, 1.0], (N, P), p=[0.2, 0.6, 0.2]))


def finished(dashboard: Dashboard, values: Values, cells: str, *, shards: int = 3, **more: Any) -> str:
    """A run of a table that has names for its rows."""
    lines = ["id," + ",".join(f"c{j}" for j in range(P))]
    for i, row in enumerate(values):
        lines.append(f"r{i}," + ",".join("" if np.isnan(cell) else f"{cell:g}" for cell in row))
    dataset = dashboard.upload(("\n".join(lines) + "\n").encode(), id_column="id")
    run = dashboard.submit(dataset, shards=shards, **more | {"options": {"iterations": 3, "cells": cells}})
    dashboard.finish()
    return run


def picture_of(dashboard: Dashboard, run: str, query: str = "") -> dict[str, Any]:
    """A picture in the order of the file."""
    answer = dashboard.get(f"/runs/{run}/heatmap?order=original{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json
    return found


def expected(answer: dict[str, Any]) -> Values:
    """The mean that is expected of each pixel."""
    return np.outer(answer["row_exposure"], answer["column_exposure"])


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_single_counts_are_those_of_the_table(dashboard: Dashboard, axis: str) -> None:
    values = counts(missing=True)
    run = finished(dashboard, values, "counts", axis=axis)
    answer = picture_of(dashboard, run)
    mean, missing = _decoded(answer)
    assert (answer["cells"], answer["exact"], answer["categories"]) == ("counts", True, None)
    np.testing.assert_array_equal(mean, values)
    assert missing is not None
    np.testing.assert_array_equal(missing == 255, np.isnan(values))
    part = picture_of(dashboard, run, "&row_from=7&row_to=12&column_from=2&column_to=5")
    np.testing.assert_array_equal(_decoded(part)[0], values[7:12, 2:5])


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_a_picture_of_counts_says_what_totals_let_expect(dashboard: Dashboard, axis: str) -> None:
    values = counts()
    run = finished(dashboard, values, "counts", axis=axis)
    whole = np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum()
    np.testing.assert_allclose(expected(picture_of(dashboard, run)), whole)
    # Of a part, too, by the totals of whole rows and columns.
    part = picture_of(dashboard, run, "&row_from=10&row_to=40&column_to=6&height=3&width=2")
    np.testing.assert_allclose(expected(part), whole[10:40, :6].reshape(3, 10, 2, 3).mean(axis=(1, 3)))
    np.testing.assert_allclose(_decoded(part)[0], values[10:40, :6].reshape(3, 10, 2, 3).mean(axis=(1, 3)), rtol=1e-6)


def test_reordered_counts_lie_in_their_clusters(dashboard: Dashboard) -> None:
    values = counts()
    run = finished(dashboard, values, "counts")
    answer = dashboard.get(f"/runs/{run}/heatmap").json
    rows = [int(name[1:]) for name in answer["row_names"]]
    columns = [int(name[1:]) for name in answer["column_names"]]
    np.testing.assert_array_equal(_decoded(answer)[0], values[np.ix_(rows, columns)])
    whole = np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum()
    np.testing.assert_allclose(expected(answer), whole[np.ix_(rows, columns)])


def test_counts_by_themselves_are_compared_with_nothing(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(b"a,b\n1,0\n3,0\n0,7\n0,0\n")
    run = dashboard.submit(dataset, options={"iterations": 3, "cells": "counts", "exposure": "none"})
    dashboard.finish()
    assert picture_of(dashboard, run)["row_exposure"] is None


def test_yes_and_no_are_shares_of_ones(dashboard: Dashboard) -> None:
    values = (counts() > 0).astype(float)
    answer = picture_of(dashboard, finished(dashboard, values, "binary"), "&height=6&width=2")
    np.testing.assert_allclose(_decoded(answer)[0], values.reshape(6, 10, 2, 4).mean(axis=(1, 3)), rtol=1e-6)
    assert (answer["cells"], answer["row_exposure"]) == ("binary", None)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_categories_are_single_cells_by_their_numbers(dashboard: Dashboard, axis: str) -> None:
    values = votes()
    run = finished(dashboard, values, "categorical", axis=axis)
    answer = picture_of(dashboard, run)
    assert answer["categories"] == ["-1", "0", "1"]
    np.testing.assert_array_equal(_decoded(answer)[0], values + 1)
    few = picture_of(dashboard, run, "&height=6&width=4")
    # The middle one of the ten rows of each pixel, and of its two columns.
    np.testing.assert_array_equal(_decoded(few)[0], (values + 1)[5::10, 1::2])
    assert not few["exact"]


@pytest.mark.parametrize("cells", ["counts", "categorical"])
def test_a_large_matrix_is_shown_from_the_runs_own_picture(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch, cells: str
) -> None:
    values = counts() if cells == "counts" else votes()
    run = finished(dashboard, values, cells)
    monkeypatch.setattr(pictures, "_CELLS", 100)
    answer = picture_of(dashboard, run)
    assert not answer["exact"]
    shown = values if cells == "counts" else values + 1
    np.testing.assert_allclose(_decoded(answer)[0], shown, atol=1e-3)
    if cells == "counts":
        np.testing.assert_allclose(
            expected(answer), np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum(), rtol=1e-9
        )


def test_parts_that_store_too_many_cells_are_sampled(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    values = counts()
    run = finished(dashboard, values, "counts")
    monkeypatch.setattr(pictures, "_STORED", 1)
    part = picture_of(dashboard, run, "&row_to=50&height=5&width=8")
    assert not part["exact"]
    np.testing.assert_array_equal(_decoded(part)[0], values[5:50:10])


def test_items_are_taken_out_some_at_a_time(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    values = votes()
    run = finished(dashboard, values, "categorical", shards=1)
    monkeypatch.setattr(typed, "_DENSE", 3 * P)
    monkeypatch.setattr(typed, "_ITEMS", 7)
    np.testing.assert_array_equal(_decoded(picture_of(dashboard, run))[0], values + 1)


def test_an_object_store_gives_the_cells_that_a_folder_gives(
    dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = finished(dashboard, counts(missing=True), "counts")
    of_files = picture_of(dashboard, run)
    monkeypatch.setattr(ObjectStore, "view", lambda *_: None)
    dashboard.backend.pictures._made.clear()
    assert picture_of(dashboard, run) == of_files


@pytest.mark.parametrize("left", [-8, 20, 0])
def test_a_file_that_was_cut_short_is_said_to_be_damaged(dashboard: Dashboard, left: int) -> None:
    run = finished(dashboard, counts(), "counts", shards=1)
    (shard,) = (dashboard.folder / "store" / "shards").rglob("*.npz")
    shard.write_bytes(shard.read_bytes()[:left])
    answer = dashboard.get(f"/runs/{run}/heatmap")
    assert answer.status_code == 500
    assert "is damaged: delete" in answer.json["detail"]


def test_cells_that_point_elsewhere_are_said_to_be_damaged(dashboard: Dashboard) -> None:
    run = finished(dashboard, counts(), "counts", shards=1)
    (shard,) = (dashboard.folder / "store" / "shards").rglob("*.npz")
    with np.load(shard) as archive:
        arrays = dict(archive)
    np.savez(shard, **arrays | {"indices": arrays["indices"] + 1000})
    answer = dashboard.get(f"/runs/{run}/heatmap")
    assert answer.status_code == 500
    assert "is damaged: delete" in answer.json["detail"]
