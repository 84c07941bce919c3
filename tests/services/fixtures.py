"""One server of each kind for the whole session, started when a test first asks for it.

The modules are imported then too: tests that need no server need not what talks to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from services.cluster import Cluster
    from services.postgres import Postgres
    from services.rabbitmq import RabbitMQ
    from services.redis import RedisServer
    from services.seaweedfs import SeaweedFS


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """PostgreSQL; `.create_database()` makes an empty database."""
    from services.postgres import Postgres

    with Postgres() as server:
        yield server.start()


@pytest.fixture(scope="session")
def redis_server() -> Iterator[RedisServer]:
    """Redis."""
    from services.redis import RedisServer

    with RedisServer() as server:
        yield server.start()


@pytest.fixture(scope="session")
def rabbitmq() -> Iterator[RabbitMQ]:
    """RabbitMQ; `.queues()` and `.waiting(queue)` count messages."""
    from services.rabbitmq import RabbitMQ

    with RabbitMQ() as server:
        yield server.start()


@pytest.fixture(scope="session")
def seaweedfs() -> Iterator[SeaweedFS]:
    """Object storage: a bucket at `.url`, for processes that have `.environment`."""
    from services.seaweedfs import SeaweedFS

    with SeaweedFS() as server:
        yield server.start()


@pytest.fixture
def cluster(postgres: Postgres, rabbitmq: RabbitMQ, redis_server: RedisServer, tmp_path: Path) -> Iterator[Cluster]:
    """Nothing but servers yet, with objects in a folder; `.start_master()` and `.start_worker()` add members."""
    from services.cluster import Cluster

    with Cluster(postgres, rabbitmq, redis_server, f"{tmp_path}/store") as cluster:
        yield cluster
