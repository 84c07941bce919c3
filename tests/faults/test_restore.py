"""Backup and restore by the commands of docs/kubernetes.md: a half-done run goes on, to the result of ``fit``."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.drills import restore

from faults.reference import Reference
from services.cluster import Cluster
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer


@pytest.mark.long
def test_restored_from_nothing(
    postgres: Postgres, rabbitmq: RabbitMQ, redis_server: RedisServer, reference: Reference, tmp_path: Path
) -> None:
    """Backed up while it runs, then all is deleted, on the servers and in the object storage."""

    def make_cluster() -> Cluster:
        return Cluster(postgres, rabbitmq, redis_server, f"{tmp_path}/store")

    digest = restore.play(make_cluster, reference, tmp_path, f"{tmp_path}/backup", say=print)
    assert digest == reference.digest


def test_the_database_is_backed_up_first_and_restored_last() -> None:
    """So that every object that a row names is there."""
    backing_up, restoring = restore.documented()
    assert [line.split()[0] for line in backing_up] == ["pg_dump", "aws"]
    assert [line.split()[0] for line in restoring] == ["kubectl", "aws", "pg_restore", "kubectl"]
