"""What makes the clusters of a run, over the API: the same as `disnplbm explain` says."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.data.csv import open_table
from disnplbm.data.reading import Reading
from disnplbm.engine.explain import explain_run
from disnplbm.engine.levels import CutRun
from disnplbm.report.profiles import told_of_all
from disnplbm_dashboard import explanations

from .conftest import Dashboard

FILES = ("run.json", "rows.csv", "columns.csv", "tree.npz")


def test_each_cluster_of_a_level_is_told_as_the_command_tells_it(
    dashboard: Dashboard, table: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Columns are cut, in two shards: what is told needs neither.
    run = dashboard.submit(
        dashboard.upload(table, id_column="id"),
        shards=2,
        axis="columns",
        options={"iterations": 30, "sampler": "split-merge"},
    )
    dashboard.finish()
    for name in FILES:
        (tmp_path / name).write_bytes(dashboard.get(f"/runs/{run}/artifacts/{name}").data)
    source = tmp_path / "table.csv"
    source.write_bytes(table)
    opened = CutRun.open(tmp_path)
    for axis, clusters in (("rows", 2), ("columns", None)):
        answer = dashboard.get(f"/runs/{run}/explanation?axis={axis}" + (f"&clusters={clusters}" if clusters else ""))
        assert answer.status_code == 200, answer.text
        names, others, profiles = explain_run(
            opened, open_table(source, Reading(id_column="id")), axis, clusters or "fine"
        )
        found = answer.json["clusters"]
        assert [each["told"] for each in found] == told_of_all(profiles, others, axis)
        assert [each["size"] for each in found] == [profile.size for profile in profiles]
        for each, profile in zip(found, profiles, strict=True):
            assert each["typical"] == [names[i] for i in profile.typical[:5]]
            assert [telling["name"] for telling in each["named"]] == [others[j] for j in profile.others[:12]]
            assert len(set(each["typical"]) & set(each["least_typical"])) == 0
    refused = dashboard.get(f"/runs/{run}/explanation?clusters=50")
    assert (refused.status_code, "row clusters" in refused.json["detail"]) == (422, True)
    monkeypatch.setattr(explanations, "MOST_CELLS", 100)
    refused = dashboard.get(f"/runs/{run}/explanation?clusters=1")
    assert (refused.status_code, "disnplbm explain" in refused.json["detail"]) == (422, True)
