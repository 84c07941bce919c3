"""What anybody who reaches the broker may put on a queue: no member ends, none takes memory, and runs go on."""

from __future__ import annotations

import gzip
import itertools
from typing import Any

import msgpack
import pytest

from disnplbm.messaging import queues
from disnplbm.messaging.admission import CONTENT
from disnplbm.sampler.packing import pack
from faults.aftermath import no_failure, nothing_left
from faults.reference import Reference
from faults.waiting import until
from marks import long
from security.messages.outsider import EMBEDDED, HEADERS, Outsider
from services.cluster import Cluster, Member
from services.memory import MOST_BYTES, peak_bytes

#: A key that the broker's password does not come with.
KEY = "k" * 64

OTHER_CHORD = {"task": queues.SWEEP_TASK, "options": {"queue": queues.SWEEP.name}}

BODY = msgpack.packb([[], {}, EMBEDDED])

#: Headers that Celery stumbles over, waits for, or does more for than its task.
HEADERS_OF_OTHERS: dict[str, dict[str, Any]] = {
    "a task that is a list": {"task": ["disnplbm.sweep"]},
    "a task that is a map": {"task": {"a": 1}},
    "a task that is not ours": {"task": "celery.backend_cleanup"},
    "no id": {"id": None},
    "an id that is a list": {"id": ["0"]},
    "a time in a thousand years": {"eta": "3026-01-01T00:00:00"},
    "a time that is none": {"eta": "soon"},
    "an end that is a map": {"expires": {"a": 1}},
    "limits that are text": {"timelimit": "ab"},
    "limits of no length": {"timelimit": []},
    "a second's limit": {"timelimit": [1, 1]},
    "retries that are text": {"retries": "many"},
    "deliveries that are text": {"x-delivery-count": "many"},
    "a name that is a list": {"shadow": ["x"]},
    "a group that is a map": {"group": {"a": 1}},
    "stamps": {"stamped_headers": ["x"], "stamps": {"x": "y"}},
}

#: Bodies that are no task of ours.
BODIES: dict[str, bytes] = {
    "nothing": b"",
    "an empty list": msgpack.packb([]),
    "a number": msgpack.packb(5),
    "a map": msgpack.packb({"args": 1, "kwargs": 2}),
    "a map of another protocol": msgpack.packb({"task": "disnplbm.sweep", "args": [], "kwargs": {}, "id": "0"}),
    "no arguments": BODY,
    "arguments that are a map": msgpack.packb([{}, {}, EMBEDDED]),
    "words": msgpack.packb([[], {"a": 1}, EMBEDDED]),
    "a callback": msgpack.packb([[], {}, EMBEDDED | {"callbacks": [{"task": "disnplbm.sweep", "args": []}]}]),
    "a chord that is text": msgpack.packb([[], {}, EMBEDDED | {"chord": "x"}]),
    "another chord": msgpack.packb([[], {}, EMBEDDED | {"chord": OTHER_CHORD}]),
    "five levels of nothing": b"\x95" * 5,
    "a thousand levels": b"\x91" * 2000,
    "a list that promises": b"\xdd\xff\xff\xff\xff",
    "text": b"\xff\xfe\x00",
}


@pytest.fixture
def guarded(cluster: Cluster) -> Cluster:
    """A master and a worker that share a key."""
    cluster.environment["DISNPLBM_MESSAGE_KEY"] = KEY
    cluster.start_master()
    cluster.start_worker()
    return cluster


def test_garbage_ends_nobody(members_without_key: Cluster, reference: Reference, outsider: Outsider) -> None:
    """Every header and body on every queue, beside a run."""
    cluster = members_without_key
    run = reference.under_way(cluster, 3)
    for queue in queues.ALL:
        for headers in HEADERS_OF_OTHERS.values():
            outsider.put(queue, BODY, HEADERS | headers)
        for body, kind in itertools.product(BODIES.values(), (CONTENT, "application/json", "application/data", "")):
            outsider.put(queue, body, HEADERS, kind)
            outsider.put(queue, body, {}, kind)
    alive(cluster)
    reference.check(cluster, run)
    alive(cluster)
    nothing_left(cluster)


@pytest.mark.parametrize("kind", ["maps", long("gzip"), long("lists")])
def test_large_messages_take_no_memory(
    members_without_key: Cluster, reference: Reference, outsider: Outsider, kind: str
) -> None:
    """Neither 40 MB of empty maps nor 4 MB that unpack to 4 GB are unpacked, on any queue."""
    cluster = members_without_key
    body, headers = {
        "maps": (b"\xdd" + (40_000_000).to_bytes(4, "big") + b"\x80" * 40_000_000, {}),
        "lists": (b"\xdd" + (20_000_000).to_bytes(4, "big") + b"\x90" * 20_000_000, {}),
        "gzip": (zipped(), {"compression": "gzip"}),
    }[kind]
    for queue in queues.ALL:
        outsider.put(queue, body, headers)
        outsider.put(queue, body, HEADERS | headers)
    run = reference.submit(cluster)
    reference.check(cluster, run)
    alive(cluster)
    for member in (*cluster.masters, *cluster.workers):
        assert peak_bytes(member) < MOST_BYTES, member.name
    nothing_left(cluster)


def zipped() -> bytes:
    """4 MB of gzip that unpack to 4 GB, in as many members as it takes."""
    return gzip.compress(bytes(2**28)) * 16


def test_without_the_key_no_message_counts(guarded: Cluster, reference: Reference, outsider: Outsider) -> None:
    """Failures, results and tasks that are all right but for the signature are refused."""
    run = reference.under_way(guarded, 3)
    for iteration in range(26):
        failure = {
            "run": run,
            "stream": 0,
            "iteration": iteration,
            "shard": 0,
            "epoch": 0,
            "attempt": 0,
            "starts": 9,
            "reason": "forged",
            "labels_missing": False,
            "worker": "w",
        }
        for epoch in range(3):
            outsider.put(queues.RESULTS, pack(["sweep-failed", failure | {"epoch": epoch}]), {})
            outsider.put(queues.RESULTS, bytes(32) + pack(["sweep-failed", failure | {"epoch": epoch}]), {})
        outsider.put(
            queues.MASTER, pack([[[], run, 0, iteration], {}, EMBEDDED]), HEADERS | {"task": queues.COLUMN_STEP_TASK}
        )
    reference.check(guarded, run)
    assert guarded.service.run(run).error is None
    until(guarded, "the master says so", lambda: "is not signed" in guarded.masters[0].log.read_text())
    nothing_left(guarded)


def test_a_failure_told_again_counts_once(guarded: Cluster, reference: Reference, outsider: Outsider) -> None:
    """Whoever reads a signed failure on the broker may repeat it: it counts once."""
    run = reference.under_way(guarded, 2)
    guarded.workers[0].stop()
    until(guarded, "shards wait", lambda: guarded.rabbitmq.waiting(queues.SWEEP.name) > 0)
    guarded.masters[0].stop()
    blind = guarded.start_worker(DISNPLBM_STORE_URL=f"{guarded.scratch}/empty")
    failed = outsider.next(guarded, queues.RESULTS)
    until(guarded, "all have failed", lambda: guarded.rabbitmq.waiting(queues.SWEEP.name) == 0)
    blind.stop()
    for _ in range(9):
        outsider.put(queues.RESULTS, *failed)
    guarded.start_master()
    guarded.start_worker()
    reference.check(guarded, run)


def test_a_task_that_is_put_where_lost_ones_go_fails_no_run(
    guarded: Cluster, reference: Reference, outsider: Outsider
) -> None:
    """It is signed, and nobody lost it: it is asked for again, however often."""
    run = reference.under_way(guarded, 2)
    guarded.workers[0].stop()
    until(guarded, "shards wait", lambda: guarded.rabbitmq.waiting(queues.SWEEP.name) > 0)
    for _ in range(5):
        task = outsider.next(guarded, queues.SWEEP)
        outsider.put(queues.DEAD, *task)
        outsider.put(queues.SWEEP, *task)
    until(guarded, "the master took them", lambda: guarded.rabbitmq.waiting(queues.DEAD.name) == 0)
    guarded.start_worker()
    reference.check(guarded, run)
    no_failure(guarded, run)


def test_a_key_is_changed_without_a_pause(cluster: Cluster, reference: Reference) -> None:
    """Members with the new key first and the old one second work with those that have the old one alone."""
    old, new = "o" * 40, "n" * 40
    cluster.start_master(DISNPLBM_MESSAGE_KEY=old)
    cluster.start_worker(DISNPLBM_MESSAGE_KEY=f"{old},{new}")
    run = reference.under_way(cluster, 4)
    cluster.masters[0].stop()
    cluster.start_master(DISNPLBM_MESSAGE_KEY=f"{new},{old}")
    cluster.wait(run, iteration=8)
    cluster.start_worker(DISNPLBM_MESSAGE_KEY=new)
    cluster.workers[0].stop()
    reference.check(cluster, run)
    assert not any("is not signed" in member.log.read_text() for member in (*cluster.masters, cluster.workers[0]))


@pytest.fixture
def members_without_key(cluster: Cluster) -> Cluster:
    """A master and a worker that take what anybody sends, if it makes sense."""
    cluster.start_master()
    cluster.start_worker()
    return cluster


def alive(cluster: Cluster) -> None:
    """All members are those that were started."""
    member: Member
    for member in (*cluster.masters, *cluster.workers):
        assert member.running, cluster.logs()
