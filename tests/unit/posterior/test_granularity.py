"""Partitions that hardly tell groups."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.granularity import Granularity, granularity
from disnplbm.report.notes import granularity_note


def labels(n: int, single: int, clusters: int) -> np.ndarray:
    """So many items alone, and the others spread over the rest of the clusters."""
    return np.concatenate([np.arange(n - single) % (clusters - single), np.arange(clusters - single, clusters)])


@pytest.mark.parametrize(("n", "single", "clusters"), [(72, 48, 60), (62, 44, 52)])
def test_items_that_are_nearly_alone_are_told_with_what_to_do(n: int, single: int, clusters: int) -> None:
    found = granularity(labels(n, single, clusters), "rows")
    assert found == Granularity("scattered", "rows", n, clusters, single)
    note = granularity_note(found)
    assert note.startswith(f"{n} rows are in {clusters} clusters, {single} of them with a single member: ")
    assert "log" in note
    assert "power = 0.5" in note


def test_one_cluster_is_told_unless_it_was_asked_for() -> None:
    found = granularity(np.zeros(30, dtype=np.int32), "columns")
    assert found == Granularity("one_cluster", "columns", 30, 1, 0)
    assert granularity_note(found).startswith("all 30 columns are in one cluster: ")
    assert granularity(np.zeros(30, dtype=np.int32), "columns", limit=1) is None


@pytest.mark.parametrize("cells", ["counts", "binary", "categorical"])
def test_a_transform_is_no_remedy_for_cells_that_are_no_real_numbers(cells: str) -> None:
    found = [granularity(of, "rows") for of in (labels(72, 48, 60), np.zeros(30, dtype=np.int32))]
    many, one = [granularity_note(each, cells) for each in found if each is not None]
    assert many.endswith("merge them with `disnplbm cut`, or fit again with fix_row_clusters = 20")
    assert one.endswith("If there should be groups, try more starts, such as restarts = 10")


@pytest.mark.parametrize("of", [np.arange(30) % 15, np.arange(19), np.zeros(19, dtype=np.int32), np.arange(178) % 11])
def test_others_and_short_axes_are_not(of: np.ndarray) -> None:
    assert granularity(of, "rows") is None
