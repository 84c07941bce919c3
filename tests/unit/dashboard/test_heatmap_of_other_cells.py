"""Pictures of counts, yes and no, and categories: read sparse, beside what is expected."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
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


class Runs:
    """Finished runs of such tables on one dashboard, each made once."""

    def __init__(self, folder: Path) -> None:
        self.dashboard = Dashboard(folder)
        self._made: dict[tuple[Any, ...], str] = {}

    def of(self, values: Values, cells: str, *, shards: int = 3, axis: str = "rows", exposure: str = "margins") -> str:
        """The run of a table that has names for its rows."""
        key = values.tobytes(), cells, shards, axis, exposure
        if key not in self._made:
            lines = ["id," + ",".join(f"c{j}" for j in range(P))]
            for i, row in enumerate(values):
                lines.append(f"r{i}," + ",".join("" if np.isnan(cell) else f"{cell:g}" for cell in row))
            dataset = self.dashboard.upload(("\n".join(lines) + "\n").encode(), id_column="id")
            options = {"iterations": 3, "cells": cells, "exposure": exposure}
            self._made[key] = self.dashboard.submit(dataset, shards=shards, axis=axis, options=options)
            self.dashboard.finish()
        # Pictures of other tests would be taken for those of this one.
        self.dashboard.backend.pictures._made.clear()
        return self._made[key]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    found = Runs(tmp_path_factory.mktemp("dashboard"))
    yield found
    found.dashboard.database.close()


def picture_of(runs: Runs, run: str, query: str = "") -> dict[str, Any]:
    """A picture in the order of the file."""
    answer = runs.dashboard.get(f"/runs/{run}/heatmap?order=original{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json
    return found


def expected(answer: dict[str, Any]) -> Values:
    """The mean that is expected of each pixel."""
    return np.outer(answer["row_exposure"], answer["column_exposure"])


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_single_counts_are_those_of_the_table(runs: Runs, axis: str) -> None:
    values = counts(missing=True)
    run = runs.of(values, "counts", axis=axis)
    answer = picture_of(runs, run)
    mean, missing = _decoded(answer)
    assert (answer["cells"], answer["exact"], answer["categories"]) == ("counts", True, None)
    np.testing.assert_array_equal(mean, values)
    assert missing is not None
    np.testing.assert_array_equal(missing == 255, np.isnan(values))
    part = picture_of(runs, run, "&row_from=7&row_to=12&column_from=2&column_to=5")
    np.testing.assert_array_equal(_decoded(part)[0], values[7:12, 2:5])


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_a_picture_of_counts_says_what_totals_let_expect(runs: Runs, axis: str) -> None:
    values = counts()
    run = runs.of(values, "counts", axis=axis)
    whole = np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum()
    np.testing.assert_allclose(expected(picture_of(runs, run)), whole)
    # Of a part, too, by the totals of whole rows and columns.
    part = picture_of(runs, run, "&row_from=10&row_to=40&column_to=6&height=3&width=2")
    np.testing.assert_allclose(expected(part), whole[10:40, :6].reshape(3, 10, 2, 3).mean(axis=(1, 3)))
    np.testing.assert_allclose(_decoded(part)[0], values[10:40, :6].reshape(3, 10, 2, 3).mean(axis=(1, 3)), rtol=1e-6)


def test_reordered_counts_lie_in_their_clusters(runs: Runs) -> None:
    values = counts()
    run = runs.of(values, "counts")
    answer = runs.dashboard.get(f"/runs/{run}/heatmap").json
    rows = [int(name[1:]) for name in answer["row_names"]]
    columns = [int(name[1:]) for name in answer["column_names"]]
    np.testing.assert_array_equal(_decoded(answer)[0], values[np.ix_(rows, columns)])
    whole = np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum()
    np.testing.assert_allclose(expected(answer), whole[np.ix_(rows, columns)])


def test_counts_by_themselves_are_compared_with_nothing(runs: Runs) -> None:
    assert picture_of(runs, runs.of(counts(), "counts", exposure="none"))["row_exposure"] is None


def test_yes_and_no_are_shares_of_ones(runs: Runs) -> None:
    values = (counts() > 0).astype(float)
    answer = picture_of(runs, runs.of(values, "binary"), "&height=6&width=2")
    np.testing.assert_allclose(_decoded(answer)[0], values.reshape(6, 10, 2, 4).mean(axis=(1, 3)), rtol=1e-6)
    assert (answer["cells"], answer["row_exposure"]) == ("binary", None)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_categories_are_single_cells_by_their_numbers(runs: Runs, axis: str) -> None:
    values = votes()
    run = runs.of(values, "categorical", axis=axis)
    answer = picture_of(runs, run)
    assert answer["categories"] == ["-1", "0", "1"]
    np.testing.assert_array_equal(_decoded(answer)[0], values + 1)
    few = picture_of(runs, run, "&height=6&width=4")
    # The middle one of the ten rows of each pixel, and of its two columns.
    np.testing.assert_array_equal(_decoded(few)[0], (values + 1)[5::10, 1::2])
    assert not few["exact"]


@pytest.mark.parametrize("cells", ["counts", "categorical"])
def test_a_large_matrix_is_shown_from_the_runs_own_picture(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, cells: str
) -> None:
    values = counts() if cells == "counts" else votes()
    run = runs.of(values, cells)
    monkeypatch.setattr(pictures, "_CELLS", 100)
    answer = picture_of(runs, run)
    assert not answer["exact"]
    shown = values if cells == "counts" else values + 1
    np.testing.assert_allclose(_decoded(answer)[0], shown, atol=1e-3)
    if cells == "counts":
        np.testing.assert_allclose(
            expected(answer), np.outer(values.sum(axis=1), values.sum(axis=0)) / values.sum(), rtol=1e-9
        )


def test_parts_that_store_too_many_cells_are_sampled(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    values = counts()
    run = runs.of(values, "counts")
    monkeypatch.setattr(pictures, "_STORED", 1)
    part = picture_of(runs, run, "&row_to=50&height=5&width=8")
    assert not part["exact"]
    np.testing.assert_array_equal(_decoded(part)[0], values[5:50:10])


def test_items_are_taken_out_some_at_a_time(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    values = votes()
    run = runs.of(values, "categorical", shards=1)
    monkeypatch.setattr(typed, "_DENSE", 3 * P)
    monkeypatch.setattr(typed, "_ITEMS", 7)
    np.testing.assert_array_equal(_decoded(picture_of(runs, run))[0], values + 1)


def test_an_object_store_gives_the_cells_that_a_folder_gives(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    run = runs.of(counts(missing=True), "counts")
    of_files = picture_of(runs, run)
    monkeypatch.setattr(ObjectStore, "view", lambda *_: None)
    runs.dashboard.backend.pictures._made.clear()
    assert picture_of(runs, run) == of_files


def test_a_file_that_is_damaged_is_said_to_be(runs: Runs) -> None:
    run = runs.of(counts() + 1, "counts", shards=1)
    (shard,) = (runs.dashboard.folder / "store" / runs.dashboard.backend.service.run(run).shards_prefix).rglob("*.npz")
    content = shard.read_bytes()
    with np.load(shard) as archive:
        arrays = dict(archive)
    elsewhere = io.BytesIO()
    np.savez(elsewhere, **arrays | {"indices": arrays["indices"] + 1000})
    for body in (content[:-8], content[:20], b"", elsewhere.getvalue()):
        shard.write_bytes(body)
        answer = runs.dashboard.get(f"/runs/{run}/heatmap")
        assert answer.status_code == 500
        assert "is damaged: delete" in answer.json["detail"]


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_real_numbers_without_their_zeros_are_those_of_the_table(runs: Runs, axis: str) -> None:
    """1,000 x 1,000 cells, of which 5,000 are not 0 and some are missing."""
    table = sp.random_array((1000, 1000), density=0.005, rng=np.random.default_rng(4)).tocsr()
    table.data[::50] = np.nan
    file = io.BytesIO()
    sp.save_npz(file, table)
    dashboard, values = runs.dashboard, table.toarray()
    run = dashboard.submit(dashboard.upload(file.getvalue(), name="x.npz"), shards=3, axis=axis)
    dashboard.finish()
    answer = picture_of(runs, run, "&row_to=100&column_from=30&column_to=90&height=100&width=60")
    mean, missing = _decoded(answer)
    assert (answer["cells"], answer["exact"], answer["row_exposure"]) == ("gaussian", True, None)
    np.testing.assert_array_equal(mean, values[:100, 30:90].astype(np.float32))
    assert missing is not None
    np.testing.assert_array_equal(missing == 255, np.isnan(values[:100, 30:90]))
    whole = _decoded(picture_of(runs, run, "&height=10&width=10"))[0]
    expected = np.nanmean(values.reshape(10, 100, 10, 100), axis=(1, 3))
    np.testing.assert_allclose(whole, expected, rtol=1e-5)


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_a_response_that_is_not_stored_is_missing(runs: Runs, axis: str) -> None:
    values = np.random.default_rng(6).normal(size=(N, P)).round(3)
    values[0, 0] = 0.0
    values[np.random.default_rng(7).random((N, P)) < 0.5] = np.nan
    run = runs.of(values, "responses", axis=axis)
    mean, missing = _decoded(picture_of(runs, run))
    np.testing.assert_allclose(mean, values, atol=1e-6)
    np.testing.assert_array_equal(missing == 255, np.isnan(values))
    part = _decoded(picture_of(runs, run, "&row_to=12&height=6&width=4"))[0]
    cells = values[:12].reshape(6, 2, 4, 2)
    seen = (~np.isnan(cells)).sum(axis=(1, 3))
    expected = np.divide(np.nansum(cells, axis=(1, 3)), seen, out=np.full(seen.shape, np.nan), where=seen > 0)
    np.testing.assert_allclose(part, expected, atol=1e-5)
