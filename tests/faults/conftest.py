"""Fixtures of the fault tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from faults.reference import Reference, make_reference

if TYPE_CHECKING:
    from services.cluster import Cluster


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """An undisturbed run."""
    return make_reference(tmp_path_factory.mktemp("reference"))


@pytest.fixture
def hasty(cluster: Cluster) -> Iterator[Cluster]:
    """A cluster that soon asks again for what is lost, of whose servers the test may end and freeze any."""
    cluster.environment |= {"DISNPLBM_TASK_SECONDS": "20", "DISNPLBM_GRACE_SECONDS": "2"}
    yield cluster
    for server in (cluster.rabbitmq, cluster.redis_server, cluster.postgres):
        server.resume()
        server.start()


@pytest.fixture
def members(hasty: Cluster) -> Cluster:
    """The same with a master and two workers."""
    hasty.start_master()
    hasty.start_worker()
    hasty.start_worker()
    return hasty
