"""Object storage that goes away in the middle of a run, and full disks: the run ends as if nothing had been."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.aftermath import ends_well, goes_on
from faults.reference import Reference
from faults.waiting import until
from marks import long
from services.cluster import Cluster, Member
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer
from services.seaweedfs import SeaweedFS


@pytest.fixture
def on_seaweedfs(
    postgres: Postgres,
    rabbitmq: RabbitMQ,
    redis_server: RedisServer,
    seaweedfs: SeaweedFS,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> Iterator[Cluster]:
    """A master and two workers with all their objects in SeaweedFS; by default a task may take 600 s."""
    for name, value in seaweedfs.environment.items():
        monkeypatch.setenv(name, value)
    patient = seaweedfs.environment | {"DISNPLBM_TASK_SECONDS": getattr(request, "param", "600")}
    with Cluster(postgres, rabbitmq, redis_server, seaweedfs.url, patient) as cluster:
        cluster.start_master()
        cluster.start_worker()
        cluster.start_worker()
        yield cluster
        seaweedfs.start()


@pytest.mark.parametrize("seconds", [2, long(60)])
def test_object_storage_away(on_seaweedfs: Cluster, reference: Reference, seaweedfs: SeaweedFS, seconds: float) -> None:
    """All that asks for an object meanwhile waits for it."""
    run = reference.under_way(on_seaweedfs, 8)
    seaweedfs.kill()
    time.sleep(seconds)
    seaweedfs.start()
    goes_on(on_seaweedfs, run)
    ends_well(on_seaweedfs, reference, run)


@pytest.mark.long
@pytest.mark.parametrize("on_seaweedfs", ["20"], indirect=True)
def test_object_storage_away_for_longer_than_a_task_may_take(
    on_seaweedfs: Cluster, reference: Reference, seaweedfs: SeaweedFS
) -> None:
    """Tasks that are cut while they wait are given back: the run goes on at once, not when the master asks again."""
    run = reference.under_way(on_seaweedfs, 8)
    seaweedfs.kill()
    until(
        on_seaweedfs,
        "a task is cut",
        lambda: any("the task is given back" in worker.log.read_text() for worker in on_seaweedfs.workers),
    )
    seaweedfs.start()
    began = time.monotonic()
    goes_on(on_seaweedfs, run)
    assert time.monotonic() - began < 10
    ends_well(on_seaweedfs, reference, run)


def test_disk_full(hasty: Cluster, reference: Reference, tmp_path: Path) -> None:
    """The disk takes no copy of a shard: the worker reads it from the object storage each time."""
    cache = tmp_path / "cache"
    hasty.start_master()
    first = hasty.start_worker()
    run = reference.under_way(hasty, 4)
    # While the run pauses, so that it is not over before the other worker has swept.
    hasty.service.pause(run)
    second = hasty.start_worker(DISNPLBM_CACHE_FOLDER=str(cache), DISNPLBM_CACHE_MEMORY_BYTES="0")
    fill_disk(second)
    first.stop()
    hasty.service.resume(run)
    ends_well(hasty, reference, run)
    trace = hasty.service.trace(run)
    assert {shard["source"] for shard in trace[-1].shards} == {"store"}
    assert not list(cache.iterdir())


def fill_disk(member: Member) -> None:
    """Have the system refuse what a worker writes beyond so many bytes of a file, as a full disk would."""
    room = 100_000
    for process in (member.pid, *member.children()):
        resource.prlimit(process, resource.RLIMIT_FSIZE, (room, room))
