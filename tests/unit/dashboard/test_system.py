"""What the server says of itself."""

from __future__ import annotations

import platform

import pytest

from disnplbm import __version__
from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm_dashboard.api.system import _kind

from .conftest import Dashboard


def test_it_names_its_versions_limits_and_what_it_keeps(dashboard: Dashboard) -> None:
    content = b"a,b\n1,2\n3,4\n5,7\n"
    run = dashboard.submit(dashboard.upload(content))
    dashboard.submit()
    dashboard.post(f"/runs/{run}/cancel")
    found = dashboard.get("/system").json
    assert (found["version"], found["algorithm"]) == (__version__, ALGORITHM_VERSION)
    assert (found["python"], found["mode"]) == (platform.python_version(), "cluster")
    assert found["runs"] == {"CANCELLED": 1, "PENDING": 1}
    assert found["live_runs"] == dashboard.backend.settings.live_runs
    storage = found["storage"]
    assert (storage["database"], storage["store"]) == ("SQLite", "folder")
    assert storage["uploaded_bytes"] == 2 * len(content)
    assert storage["free_bytes"] > 0
    assert str(dashboard.folder) not in dashboard.get("/system").text


@pytest.mark.parametrize(
    ("url", "kind"),
    [("/var/data", "folder"), ("file:///var/data", "folder"), ("memory://", "memory"), ("s3://bucket/in", "S3")],
)
def test_stores_are_told_apart(url: str, kind: str) -> None:
    assert _kind(url) == kind
