"""Heatmaps: means and single cells per pixel, whatever the order and shape of the chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from disnplbm.errors import InputError, RunError
from disnplbm.report.heatmap import Heatmap, HeatmapBuilder, View

Matrix = NDArray[np.float64]


def labels(n: int, k: int, seed: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(np.arange(n) % k)


def naive_mean(values: Matrix, view: View) -> Matrix:
    """The mean of every pixel, one at a time."""
    mean = np.full((view.rows.pixels, view.columns.pixels), np.nan)
    for i in range(view.rows.pixels):
        for j in range(view.columns.pixels):
            rows = view.rows.order[view.rows.start[i] : view.rows.stop[i]]
            columns = view.columns.order[view.columns.start[j] : view.columns.stop[j]]
            cells = values[np.ix_(rows, columns)]
            if not np.isnan(cells).all():
                mean[i, j] = np.nanmean(cells)
    return mean


def sample(n: int = 230, p: int = 47, missing: float = 0.0) -> Matrix:
    rng = np.random.default_rng(4)
    values = rng.normal(size=(n, p))
    values[rng.random((n, p)) < missing] = np.nan
    return values


def build(values: Matrix, *chunks: NDArray[np.int64]) -> Heatmap:
    builder = HeatmapBuilder(
        labels(len(values), 5, 0), labels(values.shape[1], 4, 1), max_rows=40, max_columns=20, min_band=3
    )
    for rows in chunks or (np.arange(len(values)),):
        builder.add(values[rows], rows)
    return builder.finish()


@pytest.mark.parametrize("missing", [0.0, 0.3, 0.99])
def test_each_pixel_is_the_mean_of_its_observed_cells(missing: float) -> None:
    values = sample(missing=missing)
    heatmap = build(values)
    for view in (heatmap.original, heatmap.reordered):
        np.testing.assert_allclose(view.mean, naive_mean(values, view), rtol=1e-12, atol=1e-14)


def test_single_cells_are_cells_of_their_pixel() -> None:
    values = sample(missing=0.1)
    heatmap = build(values)
    for view in (heatmap.original, heatmap.reordered):
        assert view.cells is not None
        for (i, j), cell in np.ndenumerate(view.cells):
            rows = view.rows.order[view.rows.start[i] : view.rows.stop[i]]
            columns = view.columns.order[view.columns.start[j] : view.columns.stop[j]]
            pixel = values[np.ix_(rows, columns)]
            assert np.isnan(pixel).any() if np.isnan(cell) else cell in pixel


def test_chunks_may_come_as_strided_shards_in_any_order() -> None:
    values = sample(missing=0.2)
    whole = build(values)
    shards = build(values, *(np.arange(e, len(values), 3) for e in (2, 0, 1)))
    np.testing.assert_allclose(shards.reordered.mean, whole.reordered.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(shards.original.cells, whole.original.cells)  # type: ignore[arg-type]


def test_chunks_may_be_of_columns() -> None:
    values = sample(missing=0.2)
    whole = build(values)
    builder = HeatmapBuilder(labels(230, 5, 0), labels(47, 4, 1), max_rows=40, max_columns=20, min_band=3)
    for columns in (np.arange(1, 47, 2), np.arange(0, 47, 2)):
        shard = np.ascontiguousarray(values[:, columns].T)
        builder.add(shard.T, np.arange(230), columns)
    heatmap = builder.finish()
    np.testing.assert_allclose(heatmap.original.mean, whole.original.mean, rtol=1e-12, atol=1e-14)
    np.testing.assert_array_equal(heatmap.reordered.cells, whole.reordered.cells)  # type: ignore[arg-type]


def test_a_small_table_is_shown_cell_by_cell() -> None:
    values = sample(30, 12)
    builder = HeatmapBuilder(labels(30, 3, 0), labels(12, 2, 1))
    builder.add(values, np.arange(30))
    heatmap = builder.finish()
    np.testing.assert_array_equal(heatmap.original.mean, values)
    assert heatmap.original.cells is None
    rows, columns = heatmap.reordered.rows.order, heatmap.reordered.columns.order
    np.testing.assert_array_equal(heatmap.reordered.mean, values[np.ix_(rows, columns)])


def test_a_thin_block_of_60_000_rows_is_visible() -> None:
    row_labels, column_labels = np.zeros(60_000, dtype=np.int64), np.zeros(256, dtype=np.int64)
    row_labels[777], column_labels[33] = 1, 1
    values = np.zeros((60_000, 256))
    values[777, 33] = 100.0
    builder = HeatmapBuilder(row_labels, column_labels)
    builder.add(values, np.arange(60_000))
    reordered = builder.finish().reordered
    visible = np.argwhere(reordered.mean == 100.0)
    assert len(np.unique(visible[:, 0])) >= 6
    assert len(np.unique(visible[:, 1])) >= 4
    assert reordered.cells is not None
    assert np.array_equal(np.argwhere(reordered.cells == 100.0), visible)


def test_values_of_the_wrong_shape_are_refused() -> None:
    builder = HeatmapBuilder(np.zeros(3, dtype=int), np.zeros(2, dtype=int))
    with pytest.raises(ValueError, match=r"shape \(2, 2\) for 3 rows and 2 columns"):
        builder.add(np.zeros((2, 2)), np.arange(3))


@pytest.mark.parametrize("offset_scale", [(0.0, 1.0), (1e8, 1.0), (0.0, 1e-146), (0.0, 1e120)])
def test_a_saved_heatmap_comes_back(tmp_path: Path, offset_scale: tuple[float, float]) -> None:
    offset, scale = offset_scale
    heatmap = build(sample(missing=0.2) * scale + offset)
    heatmap.save(tmp_path / "heatmap.npz")
    again = Heatmap.load(tmp_path / "heatmap.npz")
    assert again.shape == (230, 47)
    for before, after in ((heatmap.original, again.original), (heatmap.reordered, again.reordered)):
        np.testing.assert_allclose(after.mean, before.mean, rtol=1e-12, atol=1e-6 * scale)
        np.testing.assert_array_equal(after.rows.order, before.rows.order)
        np.testing.assert_array_equal(after.columns.borders, before.columns.borders)


def test_a_missing_or_broken_heatmap_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"heatmap\.npz: there is no heatmap"):
        Heatmap.load(tmp_path / "heatmap.npz")
    (tmp_path / "heatmap.npz").write_bytes(b"not a zip file")
    with pytest.raises(InputError, match=r"heatmap\.npz: not a heatmap"):
        Heatmap.load(tmp_path / "heatmap.npz")
    np.savez(tmp_path / "heatmap.npz", other=np.zeros(2))
    with pytest.raises(InputError, match=r"heatmap\.npz: not a heatmap"):
        Heatmap.load(tmp_path / "heatmap.npz")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reordered_rows_order", np.full(230, np.nan)),
        ("reordered_rows_order", np.array(0)),
        ("reordered_rows_order", np.zeros(230, dtype=int)),
        ("original_columns_stop", np.full(47, 2**31 - 1)),
        ("original_columns_start", np.full(47, -1)),
        ("original_columns_start", np.arange(46)),
        ("reordered_columns_clusters", np.array([0, 50])),
        ("reordered_mean", np.zeros(())),
        ("original_mean", np.zeros((1, 47))),
        ("original_mean", np.full((230, 47), "x")),
        ("original_mean_scale", np.array(1.0)),
    ],
)
def test_a_heatmap_whose_parts_do_not_fit_is_named(tmp_path: Path, field: str, value: NDArray[np.generic]) -> None:
    build(sample()).save(tmp_path / "heatmap.npz")
    with np.load(tmp_path / "heatmap.npz") as file:
        arrays = {name: file[name] for name in file.files}
    assert field in arrays
    np.savez(tmp_path / "heatmap.npz", **arrays | {field: value})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"heatmap\.npz: not a heatmap"):
        Heatmap.load(tmp_path / "heatmap.npz")


def test_a_heatmap_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"cannot write .*heatmap\.npz"):
        build(sample()).save(tmp_path / "nowhere" / "heatmap.npz")


@pytest.mark.parametrize(("n", "p"), [(100_000, 90), (60_000, 256)])
def test_large_tables_become_pictures_of_bounded_size_with_thin_clusters_visible(n: int, p: int) -> None:
    values = np.random.default_rng(0).normal(size=(n, p))
    row_labels, column_labels = labels(n, 10, 0), labels(p, 3, 1)
    row_labels[n // 2] = 10  # one row on its own
    builder = HeatmapBuilder(row_labels, column_labels)
    for shard in range(8):
        builder.add(values[shard::8], np.arange(shard, n, 8))
    heatmap = builder.finish()
    for view in (heatmap.original, heatmap.reordered):
        assert view.mean.shape[0] <= 600
        assert view.mean.shape[1] <= 400
    image = heatmap.reordered
    assert image.mean.shape[0] - list(image.rows.borders)[10] >= 6  # pixels of the lone row
