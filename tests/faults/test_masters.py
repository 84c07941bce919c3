"""Masters lost at any step, chords that never fire, databases restored from a backup: the run ends as ``fit`` does."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis

from disnplbm.runs.checkpoints import KEPT_EVERY
from disnplbm_master.failpoints import STEPS
from faults.aftermath import no_failure
from faults.customized import customized, is_customized
from faults.reference import Reference
from faults.waiting import until
from marks import long
from services.cluster import Cluster

#: What Python does before a worker starts whose chords are to count in vain.
UNCOUNTED = """
from celery.backends.redis import RedisBackend

RedisBackend.on_chord_part_return = lambda *arguments, **options: None
"""

#: The same for a master that is not to notice that statistics are complete when the last of them arrive.
UNNOTICED = """
from disnplbm_master.coordinator import Coordinator

swept = Coordinator.on_swept


def unnoticed(self, messages, acknowledge):
    self.finish_iteration = lambda *arguments: False
    try:
        swept(self, messages, acknowledge)
    finally:
        del self.finish_iteration


Coordinator.on_swept = unnoticed
"""

#: The same for a master that believes to be the active one, whoever else does.
LEADING = """
from disnplbm.runs.database import Leadership

Leadership.acquire = lambda self: True
Leadership.held = lambda self: True
"""

#: For a master that soon asks again for what a restored database says was published.
HASTE = {"DISNPLBM_TASK_SECONDS": "5", "DISNPLBM_GRACE_SECONDS": "1"}


@pytest.mark.parametrize("first", [long(0), 9])
def test_killed_at_every_step(cluster: Cluster, reference: Reference, tmp_path: Path, first: int) -> None:
    """Each master dies at another step of another iteration, Redis forgets what it counted, and a new one starts."""
    cluster.start_worker()
    run = reference.submit(cluster)
    for number, step in enumerate(STEPS):
        mark = tmp_path / step
        mark.touch()
        master = cluster.start_master(DISNPLBM_FAILPOINT=f"{step}:kill:{mark}")
        if first:
            cluster.wait(run, iteration=first + 3 * number)
        mark.unlink()
        until(cluster, f"a master dies {step}", lambda master=master: not master.running)
        assert mark.exists()
        redis.Redis.from_url(cluster.redis_server.url).flushdb()
    cluster.start_master()
    reference.check(cluster, run)
    no_failure(cluster, run)


def test_standby_takes_over(cluster: Cluster, reference: Reference) -> None:
    """The active master is killed: the other one goes on, and nobody has to start it."""
    active = cluster.start_master()
    until(cluster, "the first is active", lambda: "this master is active" in active.log.read_text())
    cluster.start_worker()
    standby = cluster.start_master()
    until(cluster, "the second stands by", lambda: "standing by" in standby.log.read_text())
    run = reference.under_way(cluster, 1)
    active.kill()
    reference.check(cluster, run)
    assert "this master is active" in standby.log.read_text()
    no_failure(cluster, run)


def test_three_masters_at_once(cluster: Cluster, reference: Reference, tmp_path: Path) -> None:
    """Each takes statistics, steps and publishes as if it were alone: the database lets one do each iteration."""
    masters = [
        cluster.start_master(**customized(tmp_path / f"master{i}", LEADING), DISNPLBM_RECONCILE_SECONDS="0.1")
        for i in range(3)
    ]
    cluster.start_worker()
    cluster.start_worker()
    runs = [reference.submit(cluster) for _ in range(2)]
    for run in runs:
        reference.check(cluster, run)
        no_failure(cluster, run)
    assert all(map(is_customized, masters))
    assert all(master.running and "Traceback" not in master.log.read_text() for master in masters)


def test_chord_never_fires(cluster: Cluster, reference: Reference, tmp_path: Path) -> None:
    """Neither the chord nor the last statistics call for the step: the reconciler finds each iteration complete."""
    master = cluster.start_master(**customized(tmp_path / "master", UNNOTICED), DISNPLBM_RECONCILE_SECONDS="0.1")
    worker = cluster.start_worker(**customized(tmp_path / "worker", UNCOUNTED))
    run = reference.submit(cluster)
    reference.check(cluster, run)
    assert is_customized(master)
    assert is_customized(worker)
    no_failure(cluster, run)


@pytest.mark.parametrize("backed_up", [KEPT_EVERY + 2, long(5)])
def test_restored_from_a_backup(cluster: Cluster, reference: Reference, backed_up: int) -> None:
    """Labels that the older database asks for are gone: the chain goes back to where all are there, if need be to 0."""
    name = cluster.environment["DISNPLBM_DATABASE_URL"].rpartition("/")[2]
    master = cluster.start_master(**HASTE)
    cluster.start_worker()
    run = reference.under_way(cluster, backed_up)
    master.kill()
    copied(cluster, name, f"{name}_backup")
    old = cluster.service.progress(run).done
    master = cluster.start_master(**HASTE)
    cluster.wait(run, iteration=2 * KEPT_EVERY)
    # They are removed beside the iterations.
    until(cluster, "labels went", lambda: not cluster.store.list(f"runs/{run}/labels/0/{old}"))
    master.kill()
    cluster.database.close()
    cluster.postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
    copied(cluster, f"{name}_backup", name)
    assert cluster.service.progress(run).done == old
    cluster.start_master(**HASTE)
    reference.check(cluster, run)
    (event,) = (event for event in cluster.service.events(run) if event.kind == "rewound")
    # The ledger may have had all of one more iteration.
    assert event.data["from"] in (old + 1, old + 2)
    assert event.data["to"] == old + 1 - (old + 1) % KEPT_EVERY
    no_failure(cluster, run)


def copied(cluster: Cluster, source: str, target: str) -> None:
    """Copy a database that nobody uses now."""
    cluster.database.close()
    cluster.postgres.execute(
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{source}' AND pid <> pg_backend_pid()"
    )
    cluster.postgres.execute(f"CREATE DATABASE {target} TEMPLATE {source}")


def test_a_frozen_master_is_relieved(cluster: Cluster, reference: Reference) -> None:
    """It keeps its connection and says nothing: the standby takes over, and the frozen one stands by once it thaws."""
    active = cluster.start_master()
    cluster.start_worker()
    run = reference.under_way(cluster, 3)
    standby = cluster.start_master()
    until(cluster, "the second stands by", lambda: "standing by" in standby.log.read_text())
    active.suspend()
    until(cluster, "the standby takes over", lambda: "this master is active" in standby.log.read_text())
    cluster.wait(run, "SUCCEEDED", iteration=cluster.service.progress(run).done + 1)
    active.resume()
    until(cluster, "the first stands by", lambda: "the lock is lost: standing by" in active.log.read_text())
    reference.check(cluster, run)
    assert active.running
    no_failure(cluster, run)


@pytest.mark.long
def test_queues_that_are_gone(cluster: Cluster, reference: Reference) -> None:
    """A broker that was made anew, or queues of another version: what was published is asked for at once."""
    cluster.environment |= {"DISNPLBM_TASK_SECONDS": "1500"}
    master, worker = cluster.start_master(), cluster.start_worker()
    run = reference.under_way(cluster, 5)
    worker.kill()
    master.kill()
    for queue in cluster.rabbitmq.queues():
        cluster.rabbitmq.control("delete_queue", queue)
    cluster.start_worker()
    cluster.start_master()
    reference.check(cluster, run)
    no_failure(cluster, run)
