"""Two PostgreSQL servers, of which the second takes the place of the first in the middle of a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from faults.aftermath import ends_well, goes_on
from faults.reference import Reference
from faults.waiting import until
from services.cluster import Cluster
from services.postgres import Postgres, Standby
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer

pytestmark = pytest.mark.long

#: A task that takes far longer than the test waits: statistics that are lost do not come again by themselves.
PATIENT = {"DISNPLBM_TASK_SECONDS": "1500"}

#: What is lost is soon asked for again.
HASTE = {"DISNPLBM_TASK_SECONDS": "5", "DISNPLBM_GRACE_SECONDS": "1"}


@pytest.fixture
def primary() -> Iterator[Postgres]:
    with Postgres() as server:
        yield server.start()


@pytest.fixture
def standby(primary: Postgres) -> Iterator[Standby]:
    with Standby(primary) as server:
        yield server


@pytest.fixture
def started(
    primary: Postgres, standby: Standby, rabbitmq: RabbitMQ, redis_server: RedisServer, tmp_path: Path
) -> Iterator[Callable[[dict[str, str]], Cluster]]:
    """Starts a master and two workers that know both servers."""
    with ExitStack() as stack:

        def start(settings: dict[str, str]) -> Cluster:
            url = {"DISNPLBM_DATABASE_URL": standby.either(primary.create_database())}
            cluster = stack.enter_context(Cluster(primary, rabbitmq, redis_server, f"{tmp_path}/store", url | settings))
            cluster.start_master()
            cluster.start_worker()
            cluster.start_worker()
            return cluster

        yield start


def test_a_standby_that_has_all_takes_over(
    primary: Postgres, standby: Standby, started: Callable[[dict[str, str]], Cluster], reference: Reference
) -> None:
    """No statistics that a master acknowledged are lost: what is lost would be asked for after 25 minutes."""
    standby.follow(synchronous=True)
    cluster = started(PATIENT)
    run = reference.under_way(cluster, 8)
    primary.kill()
    until(cluster, "the master waits", lambda: "waiting for a server" in cluster.masters[0].log.read_text())
    # In these seconds the standby is all there is, and takes no writes.
    time.sleep(2.0)
    standby.promote()
    cluster.database.close()
    goes_on(cluster, run)
    ends_well(cluster, reference, run)


def test_a_standby_that_is_behind_takes_over(
    primary: Postgres, standby: Standby, started: Callable[[dict[str, str]], Cluster], reference: Reference
) -> None:
    """What the master has done last is unknown to the database: the run goes back, and ends as if it had not."""
    standby.follow(synchronous=False)
    cluster = started(HASTE)
    run = reference.under_way(cluster, 5)
    standby.stop()
    done = cluster.service.progress(run).done
    cluster.wait(run, iteration=done + 6)
    primary.kill()
    standby.start()
    standby.promote()
    cluster.database.close()
    assert cluster.service.progress(run).done <= done + 1
    goes_on(cluster, run)
    reference.check(cluster, run)
