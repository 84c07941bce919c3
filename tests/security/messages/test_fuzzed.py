"""Messages at random on every queue: no member ends or takes memory, and the run beside them gives what fit gives."""

from __future__ import annotations

import secrets
import time

import numpy as np
import pytest

from disnplbm.engine.options import Options
from disnplbm.messaging import queues
from disnplbm.messaging.admission import Admission
from disnplbm.messaging.messages import (
    Ingested,
    IngestTask,
    JobFailed,
    Prepared,
    PrepareTask,
    SweepFailed,
    SweepTask,
    Swept,
)
from disnplbm.messaging.queues import COLUMN_STEP_TASK, INGEST_TASK, PREPARE_TASK, SWEEP_TASK
from disnplbm.model.statistics import Statistics
from disnplbm.runs.iteration_id import IterationId
from disnplbm.sampler.packing import pack_labels, pack_start, pack_statistics
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.starts import Start
from disnplbm.settings import Settings
from faults.aftermath import no_failure, nothing_left
from faults.reference import Reference
from faults.waiting import until
from marks import long
from security.messages.fuzzing import Fuzzer, Sent
from security.messages.outsider import EMBEDDED, HEADERS, Outsider
from services.cluster import Cluster
from services.memory import MOST_BYTES, peak_bytes

#: Messages that wait on a queue at most: members take them faster than they are made, or the test is of the broker.
MOST_WAITING = 500


@pytest.mark.parametrize("key", [long("", id="without a key"), pytest.param("k" * 64, id="with a key")])
@pytest.mark.parametrize(
    ("seed", "seconds"),
    [(1, 8.0), long(None, 300.0)],
    ids=["short", "five minutes"],
)
def test_random_messages(
    cluster: Cluster, reference: Reference, outsider: Outsider, key: str, seed: int | None, seconds: float
) -> None:
    """Without a key, messages of no run are changed; with one, messages of the run itself."""
    cluster.environment["DISNPLBM_MESSAGE_KEY"] = key
    cluster.start_master()
    cluster.start_worker()
    run = reference.under_way(cluster, 1)
    seed = secrets.randbits(32) if seed is None else seed
    print(f"seed {seed}")
    fuzzer = Fuzzer(seed, templates(key, run if key else "0" * 12))
    sent, began = 0, time.monotonic()
    while time.monotonic() < began + seconds:
        for _ in range(50):
            message = fuzzer.message()
            sent += outsider.put(fuzzer.choice(queues.ALL), message.body, message.headers, message.kind)
        until(cluster, "messages are taken", lambda: most_waiting(cluster) < MOST_WAITING)
        assert all(member.running for member in (*cluster.masters, *cluster.workers)), cluster.logs()
    print(f"{sent} messages in {time.monotonic() - began:.0f} s")
    reference.check(cluster, run)
    no_failure(cluster, run)
    for member in (*cluster.masters, *cluster.workers):
        assert member.running
        assert peak_bytes(member) < MOST_BYTES, member.name
    nothing_left(cluster)


def templates(key: str, run: str) -> list[Sent]:
    """A message of each kind, of an iteration that no run comes to, as a member with the key sends it."""
    admission = Admission(Settings(message_key=key))
    where, packed = (run, 0, 10**6), pack_labels(np.arange(5, dtype=np.int32))
    cells = Statistics(np.ones((2, 3)), np.zeros((2, 3, 1)), np.ones((2, 3, 1, 1)))
    two = np.array([0, 1])
    shard = ShardStatistics(0, two[:0].astype("i4"), two.astype("i4"), two + 3, two, (cells,), np.zeros(2))
    labels, payload = f"{IterationId(*where).prefix('labels')}/0-{'0' * 16}", pack_statistics(shard)
    results = [
        Swept(*where, 0, 0, "0" * 64, payload, None, labels, "w", 0.1, 0.1, 0, "memory"),
        SweepFailed(*where, 0, 0, 0, 1, "a reason", labels_missing=False, worker="w"),
        Ingested("0" * 12, "datasets/0", 10, 3, 1, "0" * 64, 0, "0" * 64),
        Prepared("0" * 12, "shards/0", 2, "0" * 64),
        JobFailed("ingest", "0" * 12, 0, 1, "a reason", final=False),
    ]
    options, start = Options().to_dict(), pack_start(Start("random"))
    tasks = {
        SWEEP_TASK: [
            SweepTask(*where, 0, 0, "shards/0", options, start, None, packed, None, None, 0, 0.0, None).to_dict()
        ],
        INGEST_TASK: [IngestTask("0" * 12, "uploads/0", 10, "0" * 64, {}, "datasets/0", 0).to_dict()],
        PREPARE_TASK: [PrepareTask("0" * 12, "datasets/0", 2, "rows", "none", 0, None).to_dict()],
        COLUMN_STEP_TASK: [[], *where],
    }
    return [Sent(admission.sign(result.to_bytes()), {}) for result in results] + [
        Sent(admission.pack([arguments, {}, EMBEDDED]), HEADERS | {"task": task}) for task, arguments in tasks.items()
    ]


def most_waiting(cluster: Cluster) -> int:
    """Messages of the longest queue that nobody has."""
    return max(cluster.rabbitmq.waiting(queue.name) for queue in queues.ALL)
