"""Servers that stop, die, freeze or forget in the middle of a run, which ends as if they had not."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from faults.aftermath import ends_well, goes_on
from faults.reference import Reference
from faults.waiting import until
from services.cluster import Cluster
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer
from services.tables import fitted


def away(server: RabbitMQ | RedisServer | Postgres, end: Callable[[], None], seconds: float) -> None:
    """End a server, and start it again so much later."""
    end()
    time.sleep(seconds)
    server.start()


def test_broker_killed(members: Cluster, reference: Reference, rabbitmq: RabbitMQ) -> None:
    run = reference.under_way(members, 8)
    away(rabbitmq, rabbitmq.kill, 2)
    goes_on(members, run)
    ends_well(members, reference, run)


@pytest.mark.long
def test_broker_stopped(members: Cluster, reference: Reference, rabbitmq: RabbitMQ) -> None:
    run = reference.under_way(members, 8)
    away(rabbitmq, rabbitmq.stop, 10)
    goes_on(members, run)
    ends_well(members, reference, run)


@pytest.mark.long
def test_broker_suspended(members: Cluster, reference: Reference, rabbitmq: RabbitMQ) -> None:
    """Nobody is told: connections stay open, and nothing answers."""
    run = reference.under_way(members, 8)
    rabbitmq.suspend()
    everybody = (*members.masters, *members.workers)
    until(
        members,
        "everybody gives the broker up",
        lambda: all("waiting for the broker" in member.log.read_text() for member in everybody),
    )
    rabbitmq.resume()
    goes_on(members, run)
    ends_well(members, reference, run)


def test_redis_forgets_and_dies(members: Cluster, reference: Reference, redis_server: RedisServer) -> None:
    """It is flushed while chords are counted, three times, and then killed."""
    run = reference.submit(members)
    client = redis.Redis.from_url(redis_server.url)
    for iteration in (3, 6, 9):
        members.wait(run, iteration=iteration)
        wait_for_counter(client)
        client.flushall()
    members.wait(run, iteration=13)
    away(redis_server, redis_server.kill, 2)
    goes_on(members, run)
    ends_well(members, reference, run)


@pytest.mark.long
def test_redis_forgets_forty_times_and_is_away_for_half_a_minute(
    members: Cluster, reference: Reference, redis_server: RedisServer, tmp_path: Path
) -> None:
    options = replace(reference.options, iterations=300)
    fit = fitted(reference.path, tmp_path / "fit", options, n_shards=reference.n_shards)
    longer = replace(reference, options=options, digest=fit["digest"])
    run, client = longer.submit(members), redis.Redis.from_url(redis_server.url)
    for flushed in range(40):
        members.wait(run, iteration=3 * flushed + 1)
        client.flushall()
    assert members.service.run(run).state == "RUNNING"
    away(redis_server, redis_server.kill, 30)
    ends_well(members, longer, run)


def wait_for_counter(client: redis.Redis) -> None:
    """Return when a chord is counted of which parts are done."""
    deadline = time.monotonic() + 60
    while not any(client.scan_iter("celery-taskset-meta-*.j")):
        assert time.monotonic() < deadline, "no chord is counted"


def test_redis_is_gone_for_good(members: Cluster, reference: Reference, redis_server: RedisServer) -> None:
    run = reference.under_way(members, 4)
    redis_server.kill()
    goes_on(members, run)
    members.wait(run, "SUCCEEDED")
    deadline = time.monotonic() + 60
    while members.store.list(f"runs/{run}/labels"):
        assert time.monotonic() < deadline, "the labels of a run that is over are still there"
        time.sleep(0.1)
    ends_well(members, reference, run)
    assert "Redis is away" in members.masters[0].log.read_text()


@pytest.mark.long
def test_redis_freezes(members: Cluster, reference: Reference, redis_server: RedisServer) -> None:
    """Worse than none: every question to it takes its time."""
    run = reference.under_way(members, 8)
    redis_server.suspend()
    members.wait(run, iteration=14)
    redis_server.resume()
    ends_well(members, reference, run)


def test_database_restarted(members: Cluster, reference: Reference, postgres: Postgres) -> None:
    run = reference.under_way(members, 8)
    away(postgres, postgres.stop, 3)
    goes_on(members, run)
    members.wait(run, iteration=14)
    away(postgres, postgres.kill, 0)
    goes_on(members, run)
    ends_well(members, reference, run)


def test_database_connections_ended(members: Cluster, reference: Reference, postgres: Postgres) -> None:
    """All of the master's at once, its leadership among them, whatever they are at."""
    run = reference.submit(members)
    for iteration in range(3, 24, 5):
        members.wait(run, iteration=iteration)
        postgres.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'disnplbm' AND backend_type = 'client backend'"
        )
    ends_well(members, reference, run)


@pytest.mark.long
def test_servers_come_later(hasty: Cluster, reference: Reference) -> None:
    """A master and a worker that are started before all servers wait for them."""
    servers = (hasty.postgres, hasty.rabbitmq, hasty.redis_server)
    for server in servers:
        server.kill()
    hasty.start_master()
    hasty.start_worker()
    for server in servers:
        time.sleep(3)
        server.start()
    run = reference.submit(hasty)
    ends_well(hasty, reference, run)
