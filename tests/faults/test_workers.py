"""Workers lost, starved, or fed with what is damaged, stale or said twice: the digest of ``fit``, or a reason."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from disnplbm.engine.options import Options
from disnplbm.messaging.queues import DEAD, DELIVERIES, SWEEP
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from faults.aftermath import no_failure
from faults.customized import customized, is_customized
from faults.reference import Reference
from faults.waiting import until
from services.cluster import WAIT_SECONDS, Cluster
from services.process import free_port
from services.suspension import TALKATIVE, suspended_in_a_sweep
from services.tables import wine

#: What Python does before a service starts that is to publish every message twice.
TWICE = """
from kombu.messaging import Producer

once = Producer._publish


def twice(self, *arguments, **options):
    once(self, *arguments, **options)
    return once(self, *arguments, **options)


Producer._publish = twice
"""


def test_killed_in_a_sweep(cluster: Cluster, reference: Reference) -> None:
    """The worker is gone; its shard is delivered to another one."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 5)
    assert suspended_in_a_sweep(worker) is not None
    worker.kill()
    other = cluster.start_worker(**TALKATIVE)
    reference.check(cluster, run)
    # It was swept again, unless its statistics were on their way already.
    log = other.log.read_text()
    assert "redelivered=1" in log or "dropped: nobody waits for it" in log
    no_failure(cluster, run)


@pytest.mark.long
def test_killed_when_its_grace_is_over(cluster: Cluster, reference: Reference) -> None:
    """The worker was told to stop in a sweep that does not end: another one does the shard."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 5)
    assert suspended_in_a_sweep(worker, store=cluster.store) is not None
    other = cluster.start_worker(**TALKATIVE)
    assert worker.leave(5.0) is None
    reference.check(cluster, run)
    assert "redelivered=1" in other.log.read_text()
    no_failure(cluster, run)


@pytest.mark.long
def test_stopped_for_longer_than_the_broker_waits(cluster: Cluster, reference: Reference) -> None:
    """The broker gives a worker up that stands still: another one does its shard, and what it says late is no news."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 5)
    assert suspended_in_a_sweep(worker) is not None
    worker.suspend()
    done = cluster.service.progress(run).done
    other = cluster.start_worker()
    # The iteration that it stands still in, and one more.
    cluster.wait(run, "SUCCEEDED", iteration=done + 2)
    worker.resume()
    reference.check(cluster, run)
    assert worker.running
    assert other.running
    no_failure(cluster, run)
    # It works again.
    other.stop()
    reference.check(cluster, reference.submit(cluster))


def test_child_killed_once(cluster: Cluster, reference: Reference) -> None:
    """The process that sweeps for the worker is gone: it starts another, and the shard is swept again."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 5)
    suspended = suspended_in_a_sweep(worker)
    assert suspended is not None
    os.kill(suspended.child, signal.SIGKILL)
    reference.check(cluster, run)
    assert worker.running
    no_failure(cluster, run)


@pytest.mark.long
def test_child_killed_always(cluster: Cluster, reference: Reference) -> None:
    """By one shard, again and again: the run fails, naming it; once the cause is mended the run goes on."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 5)
    killed, deadline = 0, time.monotonic() + WAIT_SECONDS
    while cluster.service.run(run).state == "RUNNING":
        assert time.monotonic() < deadline, cluster.logs()
        suspended = suspended_in_a_sweep(worker, killed=killed, seconds=1.0, shard=2)
        if suspended is not None:
            os.kill(suspended.child, signal.SIGKILL)
            killed += 1
    error = cluster.service.run(run).error
    assert error is not None
    assert error.startswith("shard 2 failed 3 times")
    assert "killed (signal 9)" in error
    assert killed >= 3
    until(cluster, "nothing of it waits", lambda: cluster.rabbitmq.waiting(SWEEP.name) == 0)
    assert worker.running
    cluster.service.resume(run, actor="test")
    reference.check(cluster, run)


def test_truncated_shard(cluster: Cluster, reference: Reference) -> None:
    """The run fails, naming the shard; once that is put back the run goes on."""
    cluster.start_master()
    worker = cluster.start_worker()
    run = reference.under_way(cluster, 5)
    worker.stop()
    (key,) = (key for key in cluster.store.list("shards") if key.endswith("/00002.npy"))
    whole = bytes(cluster.store.get(key))
    cluster.store.put(key, whole[: len(whole) // 2])
    # With caches of its own.
    cluster.start_worker()
    error = cluster.wait(run, "FAILED").error
    assert error is not None
    assert error.startswith("shard 2 failed 3 times")
    assert key in error
    cluster.store.put(key, whole)
    cluster.service.resume(run, actor="test")
    reference.check(cluster, run)


def test_cancelled_without_a_worker(cluster: Cluster, reference: Reference) -> None:
    """Cancel waits for nobody, and what is left of the run on the broker is dropped by the next worker."""
    cluster.start_master()
    worker = cluster.start_worker()
    run = reference.under_way(cluster, 5)
    worker.stop()
    until(cluster, "its work waits", lambda: cluster.rabbitmq.waiting(SWEEP.name) > 0)
    assert cluster.service.cancel(run, actor="test").state == "CANCELLED"
    done = cluster.service.progress(run).done
    following = reference.submit(cluster)
    until(cluster, "the master knows", lambda: cluster.service.run(following).state == "PENDING")
    other = cluster.start_worker()
    reference.check(cluster, following)
    until(cluster, "nothing waits", lambda: cluster.rabbitmq.waiting(SWEEP.name) == 0)
    assert "dropped: nobody waits for it" in other.log.read_text()
    assert (cluster.service.run(run).state, cluster.service.progress(run).done) == ("CANCELLED", done)


def test_paused_and_resumed(cluster: Cluster, reference: Reference) -> None:
    """The workers end the iteration under way, the master does not step."""
    cluster.start_master()
    cluster.start_worker()
    run = reference.under_way(cluster, 8)
    cluster.service.pause(run, actor="test")
    books = Books.of(cluster.database)
    (chain,) = books.chains.of_run(run)
    at = IterationId.of(chain)
    until(cluster, "all shards came", lambda: books.ledger.count(at) == reference.n_shards)
    # A step would have come before all of another run.
    reference.check(cluster, reference.submit(cluster))
    assert books.chains.of_run(run)[0].iteration == chain.iteration
    cluster.service.resume(run, actor="test")
    reference.check(cluster, run)


def test_every_message_twice(cluster: Cluster, reference: Reference, tmp_path: Path) -> None:
    """Tasks, statistics and callbacks: what comes again is counted, and changes nothing."""
    twice, port = customized(tmp_path, TWICE), free_port()
    members = [cluster.start_master(**twice, DISNPLBM_METRICS_PORT=str(port)), cluster.start_worker(**twice)]
    run = reference.submit(cluster)
    reference.check(cluster, run)
    assert all(map(is_customized, members))
    statistics = reference.n_shards * (reference.options.iterations + 1)
    until(cluster, "all came twice", lambda: counted(port, "duplicate") + counted(port, "stale") >= statistics)
    assert counted(port, "new") == statistics
    assert counted(port, "duplicate") > 0
    assert counted(port, "conflict") == 0
    no_failure(cluster, run)


@pytest.mark.long
def test_waiting_is_no_failure(cluster: Cluster, tmp_path: Path) -> None:
    """20 runs, and for longer than a task may take no worker: nothing is asked for again, and no attempt is spent."""
    limits = {"DISNPLBM_TASK_SECONDS": "10", "DISNPLBM_GRACE_SECONDS": "1"}
    path, options = wine(tmp_path / "wine"), Options(iterations=4)
    master = cluster.start_master(**limits)
    worker = cluster.start_worker(**limits)
    runs = [cluster.submit(path, options, n_shards=2) for _ in range(20)]
    cluster.wait(runs[-1], "RUNNING", "SUCCEEDED")
    worker.stop()
    waiting = [run for run in runs if cluster.service.run(run).state in ("PENDING", "RUNNING")]
    assert waiting
    time.sleep(13.0)
    cluster.start_worker(**limits)
    assert len({cluster.outcome(run)["digest"] for run in runs}) == 1
    assert max(shard["waited"] for run in waiting for row in cluster.service.trace(run) for shard in row.shards) > 11
    assert "is late" not in master.log.read_text()
    for run in runs:
        no_failure(cluster, run)


def counted(port: int, outcome: str) -> float:
    """Statistics that a master counted, by what became of them."""
    with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    name = f'disnplbm_statistics_total{{outcome="{outcome}"}} '
    return sum(float(line.removeprefix(name)) for line in lines if line.startswith(name))


@pytest.mark.long
def test_a_broker_that_takes_no_large_message(cluster: Cluster, reference: Reference) -> None:
    """What it refuses goes through the object storage, from the master and from workers."""
    with longest_message(cluster, 4000):
        master, worker = cluster.start_master(), cluster.start_worker()
        run = reference.submit(cluster)
        reference.check(cluster, run)
        assert "published by object key" in master.log.read_text()
        assert "sent by object key" in worker.log.read_text()
    no_failure(cluster, run)


@pytest.mark.long
def test_a_broker_that_takes_no_message_of_a_master(cluster: Cluster, reference: Reference) -> None:
    """Not even the smallest: the run fails with a line that says what to do."""
    cluster.start_master()
    cluster.start_worker()
    run = reference.under_way(cluster, 1)
    cluster.masters[0].kill()
    until(cluster, "no shard is swept", lambda: not _messages(cluster, SWEEP.name))
    with longest_message(cluster, 100):
        cluster.start_master()
        until(cluster, "the run fails", lambda: cluster.service.run(run).state == "FAILED")
    assert "raise its max_message_size, or lower DISNPLBM_INLINE_BYTES" in str(cluster.service.run(run).error)
    cluster.service.resume(run)
    reference.check(cluster, run)


@pytest.mark.long
def test_a_broker_that_takes_no_message_of_a_worker(cluster: Cluster, reference: Reference) -> None:
    """It cannot even say that a sweep failed: the broker sets the shards aside, and the run fails."""
    cluster.start_master()
    worker = cluster.start_worker(**TALKATIVE)
    run = reference.under_way(cluster, 1)
    assert suspended_in_a_sweep(worker) is not None
    cluster.masters[0].kill()
    worker.kill()
    # A connection that is open goes by the limit that there was.
    with longest_message(cluster, 100):
        worker = cluster.start_worker()
        until(cluster, "shards are set aside", lambda: _messages(cluster, DEAD.name))
        worker.kill()
    assert "raise its max_message_size" in worker.log.read_text()
    cluster.start_worker()
    cluster.start_master()
    until(cluster, "the run fails", lambda: cluster.service.run(run).state == "FAILED")
    assert "does the broker refuse its messages?" in str(cluster.service.run(run).error)
    cluster.service.resume(run)
    reference.check(cluster, run)


@contextmanager
def longest_message(cluster: Cluster, n_bytes: int) -> Iterator[None]:
    """A time in which the broker takes no message of more bytes."""
    limit = "application:set_env(rabbit, max_message_size, {})."
    before = cluster.rabbitmq.control("eval", "application:get_env(rabbit, max_message_size).")
    cluster.rabbitmq.control("eval", limit.format(n_bytes))
    try:
        yield
    finally:
        cluster.rabbitmq.control("eval", limit.format(before.strip().removeprefix("{ok,").removesuffix("}")))


@pytest.mark.long
def test_a_shard_that_ends_every_worker(cluster: Cluster, reference: Reference) -> None:
    """Each worker dies as a whole, and can tell nobody: the broker sets the shard aside, and the run fails with why."""
    cluster.start_master()
    run = cluster.submit(reference.path, reference.options, n_shards=1)
    for _ in range(DELIVERIES + 1):
        worker = cluster.start_worker(**TALKATIVE)
        assert suspended_in_a_sweep(worker, iteration=0) is not None
        worker.kill()
    until(cluster, "the run fails", lambda: cluster.service.run(run).state == "FAILED")
    assert "is the worker out of memory" in str(cluster.service.run(run).error)


def _messages(cluster: Cluster, queue: str) -> int:
    """Messages of a queue, those that a consumer holds among them."""
    rows = cluster.rabbitmq.listing("queues", "name", "messages")
    return sum(int(row["messages"]) for row in rows if row["name"] == queue)
