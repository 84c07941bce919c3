"""Bands: every item is shown once, in order, and thin clusters keep a width that can be seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from disnplbm.report.bands import Bands, clustered_bands, even_bands


def covered(bands: Bands) -> list[int]:
    """Display positions that the bins cover, one after another."""
    seen: list[int] = []
    for start in bands.bin_starts:
        seen.extend(range(start, int(bands.stop[bands.start == start].max())))
    return seen


@given(st.integers(1, 500), st.integers(1, 80))
def test_even_bands_cover_every_item_once_in_file_order(items: int, pixels: int) -> None:
    bands = even_bands(items, pixels)
    assert covered(bands) == list(range(items))
    assert bands.pixels == min(items, pixels)
    lengths = bands.stop - bands.start
    assert lengths.max() - lengths.min() <= 1


@given(st.lists(st.integers(0, 30), min_size=1, max_size=400), st.integers(1, 90), st.integers(1, 8))
def test_clustered_bands_cover_every_item_once_within_the_pixels(labels: list[int], pixels: int, floor: int) -> None:
    bands = clustered_bands(labels, pixels, floor)
    assert covered(bands) == list(range(len(labels)))
    assert bands.pixels <= pixels
    assert bands.order.tolist() == sorted(range(len(labels)), key=lambda item: labels[item])
    assert bands.borders[0] == 0
    assert bands.borders[-1] == bands.pixels
    assert np.all(np.diff(bands.borders) >= 0)


@given(st.lists(st.integers(0, 11), min_size=1, max_size=300), st.integers(12, 90), st.integers(1, 8))
def test_no_pixel_crosses_a_cluster_border(labels: list[int], pixels: int, floor: int) -> None:
    bands = clustered_bands(labels, pixels, floor)
    label = np.array(labels)[bands.order]
    assert np.array_equal(label[bands.start], label[bands.stop - 1])
    for k in range(max(labels) + 1):
        width = slice(bands.borders[k], bands.borders[k + 1])
        assert np.all(label[bands.start[width]] == k)
        assert (bands.borders[k + 1] > bands.borders[k]) == (k in labels)


def widths(labels: NDArray[np.int64], pixels: int = 600, floor: int = 6) -> NDArray[np.int64]:
    return np.diff(clustered_bands(labels, pixels, floor).borders)


def test_a_single_row_among_60_000_gets_the_smallest_band() -> None:
    labels = np.zeros(60_000, dtype=np.int64)
    labels[12_345] = 1
    assert widths(labels).tolist() == [594, 6]


def test_bands_are_in_proportion_where_nothing_is_thin() -> None:
    assert widths(np.repeat([0, 1, 2], [30_000, 20_000, 10_000])).tolist() == [300, 200, 100]


def test_a_small_table_shows_every_row_in_a_pixel_of_its_own() -> None:
    bands = clustered_bands(np.arange(150) % 10, 600, 6)
    assert bands.exact
    assert bands.pixels == 150


def test_many_clusters_share_the_pixels_evenly() -> None:
    assert widths(np.arange(600).repeat(3)).tolist() == [1] * 600


def test_more_clusters_than_pixels_leave_pixels_with_several_clusters() -> None:
    bands = clustered_bands(np.arange(2000), 600, 6)
    assert bands.pixels == 600
    assert (bands.stop - bands.start).max() == 4


def test_empty_labels_in_between_take_no_room() -> None:
    assert widths(np.array([0, 0, 5, 5])).tolist() == [2, 0, 0, 0, 0, 2]


@pytest.mark.parametrize("pixels", [1, 7, 600])
def test_one_item_of_every_bin_stands_for_it(pixels: int) -> None:
    bands = clustered_bands(np.arange(500) % 7, pixels, 3)
    sampled = bands.sampled_bins
    chosen = np.flatnonzero(sampled >= 0)
    assert sorted(sampled[chosen]) == list(range(len(bands.bin_starts)))
    assert np.array_equal(bands.item_bins[chosen], sampled[chosen])
