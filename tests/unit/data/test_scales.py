"""Columns on very different scales are noted where nothing brings them to one."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.preflight import preflight
from disnplbm.data.shards import prepare
from disnplbm.engine.pilot import pilot
from disnplbm.objects.store import open_store

UNEVEN = np.array([[0.0, 0.0, 7.0], [1.0, 2000.0, 7.0], [0.5, 10.0, 7.0]])


@pytest.mark.parametrize(
    ("transform", "noted"),
    [("none", True), ("standardize", False), ("center,standardize", False)],
)
def test_uneven_columns_are_noted_unless_they_are_standardised(transform: str, noted: bool) -> None:
    store = open_store("memory://")
    dataset = ingest(ArraySource(UNEVEN, column_names=["a", "b", "c"]), store, "d")
    manifest = prepare(dataset, store, "s", transform=transform)
    assert any("range 1 in a, 2,000 in b" in warning for warning in manifest.warnings) == noted


def noted(values: np.ndarray, transform: str) -> list[str]:
    store = open_store("memory://")
    manifest = prepare(ingest(ArraySource(values), store, "d"), store, "s", transform=transform)
    return [warning for warning in manifest.warnings if "different scales" in warning]


def test_scales_are_judged_after_the_transform() -> None:
    grown = np.exp(np.array([[0.0, 4.0], [1.0, 9.0], [0.5, 6.0]]))
    assert len(noted(grown, "none")) == 1
    assert noted(grown, "log") == []
    (note,) = noted(UNEVEN + 1, "center")
    assert note.startswith("after center, columns are on very different scales (range 1 in 0, 2,000 in 1)")
    assert note.endswith("use --transform center,standardize")


def test_the_pre_flight_report_recommends_to_standardize_them() -> None:
    report = preflight(ArraySource(UNEVEN), pilot)
    assert (report.advice.transform, report.advice.narrowest, report.advice.widest) == ("standardize", 1.0, 2000.0)
    assert "recommended: --transform standardize, since columns are on very different scales" in "\n".join(
        report.lines()
    )
    assert preflight(ArraySource(UNEVEN / [1, 1000, 1]), pilot).advice.transform == "none"
