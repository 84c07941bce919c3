"""Columns on very different scales are noted where nothing brings them to one."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.preflight import preflight
from disnplbm.data.shards import prepare
from disnplbm.storage.objects import open_store

UNEVEN = np.array([[0.0, 0.0, 7.0], [1.0, 2000.0, 7.0], [0.5, 10.0, 7.0]])


@pytest.mark.parametrize(("transform", "noted"), [("none", True), ("standardize", False)])
def test_uneven_columns_are_noted_unless_they_are_standardised(transform: str, noted: bool) -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(UNEVEN, column_names=["a", "b", "c"]), store, "d")
    manifest = prepare(dataset, store, "s", transform=transform)
    assert any("range 1 in a, 2e+03 in b" in warning for warning in manifest.warnings) == noted


def test_the_pre_flight_report_notes_them() -> None:
    assert any("very different scales" in note for note in preflight(ArraySource(UNEVEN)).notes)
    assert preflight(ArraySource(UNEVEN / [1, 100, 1])).notes == ()
