"""What must be so once a disturbed run has ended: nothing is left on the broker, and no failure was counted."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from kombu import Connection
from sqlalchemy import func, select

from disnplbm.messaging import queues
from disnplbm.messaging.consumer import MESSAGE_REFUSED
from disnplbm.runs.database.models import Failure
from faults.reference import Reference
from services.cluster import Cluster, Member

#: Longest wait for messages that came twice to be dropped; machines are shared, and slow ones exist.
_SECONDS = 120.0

#: What a master says of errors that nobody thought of.
_SURPRISES = ("the reconciler failed", "dropped a message", MESSAGE_REFUSED)


def ends_well(cluster: Cluster, reference: Reference, run: str) -> None:
    """The run ends with the digest of an undisturbed one, nothing stays behind, and nothing was held against it."""
    reference.check(cluster, run)
    no_failure(cluster, run)
    no_surprise(cluster)
    nothing_left(cluster)


def no_surprise(cluster: Cluster) -> None:
    """Nothing went wrong in a master but what it knows how to name."""
    for master in cluster.masters:
        lines = master.log.read_text(errors="replace").splitlines()
        assert not [line for line in lines if any(surprise in line for surprise in _SURPRISES)], cluster.logs()


def goes_on(cluster: Cluster, run: str) -> None:
    """Wait until one more iteration is done, and print how long that took."""
    began, done = time.monotonic(), cluster.service.progress(run).done
    cluster.wait(run, "SUCCEEDED", iteration=done + 1)
    print(f"goes on after {time.monotonic() - began:.1f} s, from iteration {done}")


def nothing_left(cluster: Cluster) -> None:
    """No queue holds a message, not even one that a master or worker never acknowledged: they are stopped for that."""
    _wait_until_empty(cluster)
    with ThreadPoolExecutor() as pool:
        list(pool.map(Member.stop, cluster.workers))
    _wait_until_empty(cluster)
    for master in cluster.masters:
        master.stop()
    deadline = time.monotonic() + _SECONDS
    # What its last consumer had not acknowledged a queue has back when it has no consumer.
    while any(consumers for _, consumers in _counts(cluster).values()):
        assert time.monotonic() < deadline, _counts(cluster)
        time.sleep(0.1)
    assert not any(messages for messages, _ in _counts(cluster).values()), _counts(cluster)


def no_failure(cluster: Cluster, run: str) -> None:
    """No start of any shard was counted as failed: the fault was not the run's."""
    with cluster.database.reading() as session:
        count = session.scalar(select(func.count()).select_from(Failure).where(Failure.run_id == run))
        reasons = session.scalars(select(Failure.reason).where(Failure.run_id == run)).all()
    assert count == 0, reasons


def _wait_until_empty(cluster: Cluster) -> None:
    deadline = time.monotonic() + _SECONDS
    while any(messages for messages, _ in _counts(cluster).values()):
        assert time.monotonic() < deadline, f"{_counts(cluster)}\n{cluster.logs()}"
        time.sleep(0.1)


def _counts(cluster: Cluster) -> dict[str, tuple[int, int]]:
    """Messages that wait, and consumers, of each queue."""
    found = {}
    with Connection(cluster.rabbitmq.url) as connection:
        for queue in queues.ALL:
            declared = connection.default_channel.queue_declare(queue.name, passive=True)
            found[queue.name] = (declared.message_count, declared.consumer_count)
    return found
