"""Servers that are there and cannot do what they are for: nothing is lost, and nothing is held against a run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from sqlalchemy import update

from disnplbm.messaging.queues import SWEEP
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain
from disnplbm.runs.part import now
from faults.aftermath import ends_well, goes_on, no_failure, nothing_left
from faults.customized import customized, is_customized
from faults.reference import Reference
from faults.test_storage import on_seaweedfs  # noqa: F401 - a fixture
from faults.waiting import until
from marks import long
from services.cluster import Cluster
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer
from services.seaweedfs import SeaweedFS
from services.served import Served

#: A task that takes far longer than these tests wait: what is lost does not come again by itself.
PATIENT = {"DISNPLBM_TASK_SECONDS": "1500"}

#: Starts of a shard that may fail: the default.
ATTEMPTS = 3


#: What Python does before a member starts whose clock is wrong by so many seconds; what counts seconds stays right.
AHEAD = """
import time
from datetime import timedelta

from disnplbm.runs import part

right, now = time.time, part.now
time.time = lambda: right() + {seconds}
part.now = lambda: now() + timedelta(seconds={seconds})
"""

#: Hours by which the clocks of members are ahead.
CLOCKS = [
    pytest.param({"master": [1], "worker": [-1, 0]}, id="the master ahead"),
    long({"master": [-1], "worker": [1, 0]}, id="the master behind"),
]

#: How a broker is made to want memory or room on its disk, and how it gets it again.
ALARMS = {
    "memory": (["set_vm_memory_high_watermark", "0.0000001"], ["set_vm_memory_high_watermark", "absolute", "1000GB"]),
    "disk": (["set_disk_free_limit", "900000GB"], ["set_disk_free_limit", "1MB"]),
}

#: Seconds; a task may take 20.
LONGER_THAN_A_TASK = 25.0

#: What pages ask for most, and what tells whether the servers answer.
PATHS = [f"/api/v1/{name}" for name in ("health", "ready", "runs", "system", "workers")]


@pytest.fixture
def patient(cluster: Cluster) -> Iterator[Cluster]:
    """A master and a worker that ask for nothing again while the test runs."""
    cluster.environment |= PATIENT
    cluster.start_master()
    cluster.start_worker()
    yield cluster
    cluster.postgres.read_only(False)


def test_database_read_only(patient: Cluster, reference: Reference, postgres: Postgres) -> None:
    """A failover, for the length of it: no statistics are acknowledged that the ledger does not have."""
    run = reference.under_way(patient, 5)
    postgres.read_only(True)
    until(patient, "the master waits", lambda: patient.masters[0].log.read_text().count("waiting for a server") > 3)
    postgres.read_only(False)
    goes_on(patient, run)
    ends_well(patient, reference, run)


def test_of_several_databases_the_one_that_takes_writes(postgres: Postgres) -> None:
    """The first of two servers takes none."""
    url = postgres.create_database()
    address, _, name = url.partition("@")[2].partition("/")
    with Postgres(postgres.password) as first:
        first.start()
        first.execute(f"CREATE DATABASE {name}")
        first.read_only(True)
        several = url.replace(f"@{address}/{name}", f"@/{name}?host=127.0.0.1:{first.port}&host={address}")
        database = Database(several)
        database.migrate()
        database.check_version()
        database.close()


@pytest.mark.long
def test_object_storage_away_longer_than_a_task_may_take(
    on_seaweedfs: Cluster,  # noqa: F811
    reference: Reference,
    seaweedfs: SeaweedFS,
) -> None:
    """It is nobody's fault: no start of a shard counts, however many there were, and the run goes on."""
    for worker in on_seaweedfs.workers:
        worker.stop()
    on_seaweedfs.masters[0].stop()
    on_seaweedfs.environment |= {"DISNPLBM_TASK_SECONDS": "4", "DISNPLBM_GRACE_SECONDS": "1"}
    on_seaweedfs.start_master()
    worker = on_seaweedfs.start_worker()
    run = reference.under_way(on_seaweedfs, 8)
    seaweedfs.kill()
    over = "a server was away when the task's time was over"
    until(on_seaweedfs, "as many starts as may fail", lambda: worker.log.read_text().count(over) >= ATTEMPTS)
    seaweedfs.start()
    goes_on(on_seaweedfs, run)
    ends_well(on_seaweedfs, reference, run)


@pytest.mark.long
def test_a_master_whose_clock_was_an_hour_ahead(cluster: Cluster, reference: Reference) -> None:
    """What it published, and the broker lost, is asked for again as if it had been published now."""
    cluster.environment |= {"DISNPLBM_TASK_SECONDS": "3", "DISNPLBM_GRACE_SECONDS": "1"}
    master = cluster.start_master()
    worker = cluster.start_worker()
    run = reference.under_way(cluster, 4)
    master.kill()
    worker.kill()
    for queue in cluster.rabbitmq.queues():
        cluster.rabbitmq.control("purge_queue", queue)
    with cluster.database.session() as session:
        session.execute(update(Chain).values(published_at=now() + timedelta(hours=1)))
    cluster.start_master()
    cluster.start_worker()
    reference.check(cluster, run)


@pytest.mark.parametrize("clocks", CLOCKS)
def test_clocks_an_hour_apart(
    cluster: Cluster, reference: Reference, tmp_path: Path, clocks: dict[str, list[int]]
) -> None:
    """Of all members; what the broker loses on the way is asked for again in time."""
    cluster.environment |= {"DISNPLBM_TASK_SECONDS": "20", "DISNPLBM_GRACE_SECONDS": "2"}
    starts = {"master": cluster.start_master, "worker": cluster.start_worker}
    members = [
        starts[role](**customized(tmp_path / f"{role}{hours}", AHEAD.format(seconds=3600 * hours)))
        for role, several in clocks.items()
        for hours in several
    ]
    run = reference.under_way(cluster, 5)
    assert all(map(is_customized, members))
    cluster.rabbitmq.control("purge_queue", SWEEP.name)
    reference.check(cluster, run)
    no_failure(cluster, run)


@pytest.mark.long
@pytest.mark.parametrize("alarm", ALARMS.values(), ids=ALARMS.keys())
def test_a_broker_that_is_short_of_something(
    members: Cluster, reference: Reference, rabbitmq: RabbitMQ, alarm: tuple[list[str], list[str]]
) -> None:
    """It takes no message: runs wait, the API answers within 0.4 s meanwhile, and all goes on afterwards."""
    raised, cleared = alarm
    with Served(members) as served:
        served.start()
        endless = replace(reference.options, iterations=5000)
        run = members.submit(reference.path, endless, n_shards=reference.n_shards)
        members.wait(run, iteration=5)
        rabbitmq.control(*raised)
        try:
            until(members, "the alarm", lambda: _alarms(rabbitmq) != "[]")
            done = _stands_still(members, run)
            submitted = reference.submit(members)
            slowest = max(_seconds(served, path) for _ in range(5) for path in (*PATHS, f"/api/v1/runs/{submitted}"))
            print(f"the slowest answer took {slowest:.2f} s")
            assert slowest < 0.4
            # No task is lost that takes longer than it may.
            time.sleep(LONGER_THAN_A_TASK)
            assert members.service.progress(run).done <= done + 1
        finally:
            rabbitmq.control(*cleared)
        assert _alarms(rabbitmq) == "[]"
        goes_on(members, run)
        members.service.cancel(run, actor="test")
        ends_well(members, reference, submitted)
        no_failure(members, run)


def _alarms(rabbitmq: RabbitMQ) -> str:
    return rabbitmq.control("eval", "rabbit_alarm:get_alarms().").strip()


def _stands_still(cluster: Cluster, run: str) -> int:
    """Wait until a run does not go on; how far it has come."""
    done, before = cluster.service.progress(run).done, -1
    while done != before:
        time.sleep(3.0)
        done, before = cluster.service.progress(run).done, done
    return done


def _seconds(served: Served, path: str) -> float:
    began = time.monotonic()
    assert served.ask(path) is not None
    return time.monotonic() - began


def test_redis_full(members: Cluster, reference: Reference, redis_server: RedisServer) -> None:
    """Redis takes no more: a line says so now and then, no traceback does, and the run goes on."""
    client = redis.Redis.from_url(redis_server.url)
    run = reference.under_way(members, 3)
    client.config_set("maxmemory", "1")
    try:
        goes_on(members, run)
        ends_well(members, reference, run)
    finally:
        client.config_set("maxmemory", "0")
    for member in (*members.masters, *members.workers):
        log = member.log.read_text()
        assert "Traceback" not in log
        assert log.count("Redis") < 20


def test_counts_of_chords_are_kept_for_minutes(
    members: Cluster, reference: Reference, redis_server: RedisServer
) -> None:
    reference.check(members, reference.submit(members))
    client = redis.Redis.from_url(redis_server.url)
    kept = {key: client.ttl(key) for key in client.scan_iter("celery*")}
    assert all(0 < seconds <= 300 for seconds in kept.values()), kept
    nothing_left(members)
