"""Pictures: the cells that they are of, in either order, sampled where there are too many."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.objects.store import ObjectStore
from disnplbm_dashboard.comparison import labels
from disnplbm_dashboard.heatmap import pictures
from disnplbm_dashboard.heatmap.levels import read_levels
from disnplbm_dashboard.heatmap.viewport import Span, means

from .conftest import Dashboard


def _decoded(answer: dict[str, Any]) -> tuple[NDArray[np.float32], NDArray[np.uint8] | None]:
    shape = (answer["height"], answer["width"])
    mean = np.frombuffer(base64.b64decode(answer["mean"]), "<f4").reshape(shape)
    if answer["missing"] is None:
        return mean, None
    return mean, np.frombuffer(base64.b64decode(answer["missing"]), np.uint8).reshape(shape)


def _values(table: bytes) -> NDArray[np.float64]:
    rows = [line.split(",")[1:] for line in table.decode().splitlines()[1:]]
    return np.array([[float(cell) if cell else np.nan for cell in row] for row in rows])


def _finished(dashboard: Dashboard, table: bytes, **more: Any) -> str:
    run = dashboard.submit(dashboard.upload(table, id_column="id"), **more)
    dashboard.finish()
    return run


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_single_cells_are_those_of_the_table(dashboard: Dashboard, table: bytes, axis: str) -> None:
    run = _finished(dashboard, table, shards=3, axis=axis)
    values = _values(table)
    answer = dashboard.get(f"/runs/{run}/heatmap?order=original").json
    mean, missing = _decoded(answer)
    assert (answer["shape"], answer["exact"]) == ([60, 8], True)
    np.testing.assert_allclose(mean, values, rtol=1e-6)
    assert missing is not None
    np.testing.assert_array_equal(missing == 255, np.isnan(values))
    assert answer["row_names"] == [f"r{i}" for i in range(60)]
    assert answer["row_clusters"] == [0, 60]
    part = dashboard.get(f"/runs/{run}/heatmap?order=original&row_from=7&row_to=12&column_from=2&column_to=5").json
    np.testing.assert_allclose(_decoded(part)[0], values[7:12, 2:5], rtol=1e-6)
    assert part["row_names"] == ["r7", "r8", "r9", "r10", "r11"]
    assert part["column_names"] == ["c2", "c3", "c4"]


def test_reordered_cells_lie_in_their_clusters(dashboard: Dashboard, table: bytes) -> None:
    run = _finished(dashboard, table, shards=2)
    answer, found = dashboard.get(f"/runs/{run}/heatmap").json, dashboard.backend.service.run(run)
    rows, columns = (
        np.argsort(np.argsort(answer[shown])[labels(dashboard.backend.results, found, axis)], kind="stable")
        for axis, shown in (("rows", "row_labels"), ("columns", "column_labels"))
    )
    np.testing.assert_allclose(_decoded(answer)[0], _values(table)[np.ix_(rows, columns)], rtol=1e-6)
    assert answer["row_names"] == [f"r{row}" for row in rows]
    sizes = np.bincount(labels(dashboard.backend.results, found, "rows"))
    assert answer["row_clusters"] == [0, *np.cumsum(sizes[answer["row_labels"]])]
    assert answer["scale"] == sorted(answer["scale"])


def test_few_pixels_hold_the_means_of_many_cells(dashboard: Dashboard, table: bytes) -> None:
    run = _finished(dashboard, table)
    answer = dashboard.get(f"/runs/{run}/heatmap?order=original&height=6&width=2").json
    mean, missing = _decoded(answer)
    blocks = _values(table).reshape(6, 10, 2, 4)
    np.testing.assert_allclose(mean, np.nanmean(blocks, axis=(1, 3)), rtol=1e-5)
    assert missing is not None
    np.testing.assert_array_equal(missing, np.rint(np.isnan(blocks).mean(axis=(1, 3)) * 255))
    assert answer["row_names"] is None


def test_an_object_store_gives_the_cells_that_a_folder_gives(
    dashboard: Dashboard, table: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Files are viewed; of objects elsewhere pieces are read.
    run = _finished(dashboard, table, shards=3)
    part = f"/runs/{run}/heatmap?row_from=5&row_to=40&column_from=1&column_to=6"
    of_files = dashboard.get(part).json
    monkeypatch.setattr(ObjectStore, "view", lambda *_: None)
    dashboard.backend.pictures._made.clear()
    assert dashboard.get(part).json == of_files


def test_a_file_that_was_cut_short_is_said_to_be(dashboard: Dashboard, table: bytes) -> None:
    run = _finished(dashboard, table, shards=1)
    (shard,) = (dashboard.folder / "store" / "shards").rglob("*.npy")
    content = shard.read_bytes()
    for left in (-8, 20, 0):
        shard.write_bytes(content[:left])
        answer = dashboard.get(f"/runs/{run}/heatmap")
        assert answer.status_code == 500
        assert "cut short" in answer.json["detail"] or "not a .npy array" in answer.json["detail"]
    assert str(dashboard.folder) not in answer.json["detail"]


def test_parts_with_too_many_cells_are_sampled_and_say_so(
    dashboard: Dashboard, table: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _finished(dashboard, table, shards=3)
    monkeypatch.setattr(pictures, "_CELLS", 100)
    values = _values(table)
    part = dashboard.get(f"/runs/{run}/heatmap?order=original&row_to=50&height=5&width=8").json
    assert not part["exact"]
    # Two of the ten rows of each pixel.
    expected = [np.nanmean(values[[10 * pixel + 2, 10 * pixel + 7]], axis=0) for pixel in range(5)]
    np.testing.assert_allclose(_decoded(part)[0], expected, rtol=1e-5)
    whole = dashboard.get(f"/runs/{run}/heatmap?order=original").json
    assert not whole["exact"]
    assert whole["missing"] is None
    # From the run's own picture, in which each pixel is a cell here.
    np.testing.assert_allclose(_decoded(whole)[0], values, atol=1e-4)


@pytest.mark.parametrize(
    "query",
    [
        "row_from=60",
        "row_from=5&row_to=5",
        "row_to=61",
        "column_to=9",
        "height=0",
        "width=2001",
        "component=1",
        "order=x",
    ],
)
def test_parts_that_there_are_not_are_refused(dashboard: Dashboard, table: bytes, query: str) -> None:
    run = _finished(dashboard, table)
    assert dashboard.get(f"/runs/{run}/heatmap?{query}").status_code == 422


@given(st.integers(1, 200), st.data())
def test_every_pixel_has_a_position_and_every_position_one_pixel(items: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, items - 1))
    stop = data.draw(st.integers(first + 1, items))
    span = Span.of("rows", items, first, stop, data.draw(st.integers(1, 300)))
    positions = span.positions(data.draw(st.integers(1, 300)))
    starts = span.starts(positions)
    assert starts[0] == 0
    assert (np.diff(np.append(starts, len(positions))) > 0).all()
    assert positions.min() >= first
    assert positions.max() < stop
    assert (np.diff(positions) > 0).all()
    pixels = (positions - first) * span.pixels // span.length
    np.testing.assert_array_equal(np.searchsorted(pixels, np.arange(span.pixels)), starts)


def test_pixels_without_an_observed_cell_have_no_mean() -> None:
    mean, missing = means(np.array([[np.nan, np.nan, 1.0], [np.nan, 3.0, np.nan]]), np.array([0]), np.array([0, 1]))
    np.testing.assert_array_equal(mean, [[np.nan, 2.0]])
    np.testing.assert_array_equal(missing, [[1.0, 0.5]])


def test_the_levels_of_a_run_are_those_of_its_picture(dashboard: Dashboard, table: bytes) -> None:
    run = _finished(dashboard, table)
    found = dashboard.get(f"/runs/{run}/levels").json["levels"]
    answer = dashboard.get(f"/runs/{run}/heatmap").json
    for axis, shown, starts in (
        ("rows", "row_labels", "row_clusters"),
        ("columns", "column_labels", "column_clusters"),
    ):
        tree = found[axis]
        assert np.diff(answer[starts]).tolist() == [tree["sizes"][label] for label in answer[shown]]
        assert len(tree["pairs"]) == len(tree["heights"]) == len(tree["sizes"]) - 1
    assert set(found["blocks"]["tables"][0]) == {"mean", "sd"}
    assert found["first"] is None or found["first"]["sentence"]


def test_a_run_of_an_earlier_version_has_no_levels(dashboard: Dashboard, table: bytes) -> None:
    run = _finished(dashboard, table)
    record = dashboard.backend.service.run(run)
    pictures, results = dashboard.backend.pictures, dashboard.backend.results
    overview = pictures.layout(record).overview
    reordered = replace(overview.reordered, rows=replace(overview.reordered.rows, labels=None))
    assert read_levels(results, record, replace(overview, reordered=reordered)) is None
