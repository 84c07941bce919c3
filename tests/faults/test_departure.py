"""Masters and workers that are told to stop: an answer within two seconds, no shard lost, none held against the run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
import redis

from faults.aftermath import no_failure
from faults.reference import Reference
from faults.waiting import until
from marks import long
from services.cluster import WAIT_SECONDS, Cluster, Member
from services.process import free_port
from services.suspension import TALKATIVE, Suspended, suspended_in_a_sweep

#: Seconds for an answer, which comes within two: a machine that runs tests is busy.
SOON = 4.0

CODES = {signal.SIGTERM: 0, signal.SIGINT: 130}

told = pytest.mark.parametrize("number", [signal.SIGTERM, long(signal.SIGINT)])


def _leaves(member: Member, number: signal.Signals) -> None:
    """Tell it: it is gone soon, with its exit code."""
    began = time.monotonic()
    member.tell(number)
    code = member.ended(SOON)
    print(f"{member.name} left after {time.monotonic() - began:.2f} s")
    assert code == CODES[number], member.log.read_text()


def _says(member: Member, words: str) -> None:
    """It says something soon."""
    deadline = time.monotonic() + SOON
    while words not in member.log.read_text():
        assert time.monotonic() < deadline, member.log.read_text()
        time.sleep(0.02)


def _swept_by(cluster: Cluster, worker: Member) -> Suspended:
    """The worker's child, suspended in a sweep."""
    found = suspended_in_a_sweep(worker, store=cluster.store)
    assert found is not None
    return found


def _under_way_in_a_sweep(cluster: Cluster, reference: Reference, worker: Member) -> tuple[str, Suspended]:
    """A run, and the worker's child suspended in a sweep of it. A run may end before it is seen to sweep."""
    for _ in range(5):
        run = reference.under_way(cluster, 5)
        found = suspended_in_a_sweep(worker, seconds=20.0, store=cluster.store)
        if found is not None:
            return run, found
        cluster.wait(run, "SUCCEEDED")
    raise AssertionError(f"{worker.name} was not seen to sweep\n{cluster.logs()}")


def _starts_noted(cluster: Cluster) -> list[int]:
    """Starts of tasks of which the workers did not note the end."""
    client = redis.Redis.from_url(cluster.redis_server.url)
    return [int(count) for key in client.keys("disnplbm:starts:*") for count in client.hvals(key)]


@told
def test_a_worker_finishes_its_shard_and_leaves(cluster: Cluster, reference: Reference, number: signal.Signals) -> None:
    """It says so at once, takes no more, and nothing is done twice."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run, suspended = _under_way_in_a_sweep(cluster, reference, worker)
    other = cluster.start_worker(**TALKATIVE)
    worker.tell(number)
    _says(worker, "and leaves; a second Ctrl-C or SIGTERM leaves at once, and another worker takes it up")
    assert f"the worker finishes shard {_shard(worker)} of run {run}" in worker.log.read_text()
    assert worker.running
    os.kill(suspended.child, signal.SIGCONT)
    assert worker.ended(WAIT_SECONDS) == CODES[number]
    reference.check(cluster, run)
    assert "redelivered=1" not in other.log.read_text()
    no_failure(cluster, run)


@told
def test_a_worker_leaves_at_once_when_it_is_told_again(
    cluster: Cluster, reference: Reference, number: signal.Signals
) -> None:
    """Another worker takes its shard up; and a third, where that one leaves likewise: no start is noted as lost."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run, _ = _under_way_in_a_sweep(cluster, reference, worker)
    for attempt in range(2):
        if attempt:
            _swept_by(cluster, worker)
        worker.tell(number)
        _says(worker, "the worker finishes shard")
        _leaves(worker, number)
        assert worker.children() == []
        worker = cluster.start_worker(**TALKATIVE)
    assert not any(_starts_noted(cluster))
    reference.check(cluster, run)
    no_failure(cluster, run)
    logs = [member.log.read_text() for member in cluster.workers[1:]]
    assert all("redelivered=" in log for log in logs)


@told
@pytest.mark.parametrize("role", ["worker", "master"])
def test_who_has_nothing_in_hand_leaves(cluster: Cluster, role: str, number: signal.Signals, tmp_path: Path) -> None:
    master, ready = cluster.start_master(), tmp_path / "ready"
    worker = cluster.start_worker(DISNPLBM_READY_FILE=str(ready))
    until(cluster, "both are up", lambda: ready.exists() and "this master is active" in master.log.read_text())
    member = worker if role == "worker" else master
    _leaves(member, number)
    assert role == "master" or not ready.exists()
    assert f"the {role} leaves" in member.log.read_text()
    assert "Warm shutdown" not in member.log.read_text()


@told
def test_who_waits_for_a_broker_leaves(cluster: Cluster, number: signal.Signals) -> None:
    """It leaves while it tries to connect, be it a worker or a master."""
    away = {"DISNPLBM_BROKER_URL": f"amqp://guest:guest@127.0.0.1:{free_port()}//"}
    members = [cluster.start_worker(**away), cluster.start_master(**away)]
    for member in members:
        until(cluster, "it waits", lambda member=member: "waiting for the broker" in member.log.read_text())
        _leaves(member, number)


@told
def test_a_master_leaves_its_lock_to_another(cluster: Cluster, reference: Reference, number: signal.Signals) -> None:
    """The one that stands by takes over within seconds, in the middle of a run; one that stands by leaves likewise."""
    active = cluster.start_master()
    cluster.start_worker()
    run = reference.under_way(cluster, 3)
    standby, third = cluster.start_master(), cluster.start_master()
    for member in (standby, third):
        until(cluster, "it stands by", lambda member=member: "standing by" in member.log.read_text())
    _leaves(third, number)
    _leaves(active, number)
    _says(standby, "this master is active")
    reference.check(cluster, run)
    no_failure(cluster, run)


def _shard(worker: Member) -> str:
    """The shard of the sweep that began last, by the log."""
    log = worker.log.read_text()
    last = log[log.rfind("sweep begins") :].partition("\n")[0]
    return dict(part.split("=", 1) for part in last.split() if "=" in part)["shard"]
