"""Services that the broker lets in no more than a stranger: one line, and they end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from faults.waiting import until

if TYPE_CHECKING:
    from services.cluster import Cluster


@pytest.mark.parametrize("wrong", ["password", "virtual host"])
@pytest.mark.parametrize("role", ["master", "worker"])
def test_a_broker_that_refuses_is_one_line(cluster: Cluster, role: str, wrong: str) -> None:
    url = cluster.rabbitmq.url
    refused = url.replace("guest:guest", "guest:s3cret") if wrong == "password" else url.removesuffix("/") + "nowhere"
    assert refused != url
    start = cluster.start_master if role == "master" else cluster.start_worker
    member = start(DISNPLBM_BROKER_URL=refused)
    until(cluster, "it ends", lambda: not member.running)
    text = member.log.read_text()
    assert text.count("refuses the connection") == 1
    assert "check user, password and virtual host in DISNPLBM_BROKER_URL" in text
    assert "Traceback" not in text
    assert "s3cret" not in text


def test_a_master_that_the_database_refuses_says_so(cluster: Cluster) -> None:
    name, _, rest = cluster.environment["DISNPLBM_DATABASE_URL"].partition("@")
    master = cluster.start_master(DISNPLBM_DATABASE_URL=f"{name}s3cret@{rest}")
    until(cluster, "it says so", lambda: "password authentication failed" in master.log.read_text())
    assert "standing by" in master.log.read_text()
    assert "s3cret" not in master.log.read_text()
