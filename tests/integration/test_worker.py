"""A worker on real servers: chords, and what is left of a task whose process was killed."""

from __future__ import annotations

import hashlib
import os
import signal
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgpack
import numpy as np
import pytest
import redis
from celery import chord
from kombu import Connection, Queue

from disnplbm.data.array import ArraySource
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import load_manifest, prepare
from disnplbm.engine.options import Options
from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app
from disnplbm.messaging.messages import (
    Ingested,
    IngestTask,
    Prepared,
    PrepareTask,
    Result,
    SweepFailed,
    SweepTask,
    Swept,
    result_of,
)
from disnplbm.messaging.mirror import Mirror
from disnplbm.objects.store import open_store
from disnplbm.sampler.packing import pack_start, unpack_labels, unpack_statistics
from disnplbm.sampler.starts import Start
from disnplbm.settings import Settings
from services.cluster import Member
from services.process import free_port

if TYPE_CHECKING:
    from services.rabbitmq import RabbitMQ
    from services.redis import RedisServer
    from services.seaweedfs import SeaweedFS

SHARDS = 4
PREFIX = "shards/table"
MANIFEST = f"{PREFIX}/manifest.json"

#: Longest wait for anything; machines are shared, and slow ones exist.
WAIT_SECONDS = 180.0

T = TypeVar("T")


class Desk:
    """Stands where the master would: publishes tasks and reads what comes back."""

    def __init__(self, rabbitmq: RabbitMQ, redis_server: RedisServer, folder: Path) -> None:
        self._stack = ExitStack()
        self.folder = folder
        self.environment = {
            "DISNPLBM_BROKER_URL": rabbitmq.url,
            "DISNPLBM_REDIS_URL": redis_server.url,
            "DISNPLBM_STORE_URL": str(folder / "store"),
            "DISNPLBM_CACHE_FOLDER": str(folder / "cache"),
            "DISNPLBM_LOG_LEVEL": "debug",
        }
        self.redis_url = redis_server.url
        self.app = make_app("test", Settings(broker_url=rabbitmq.url, redis_url=redis_server.url))
        self._connection = self._stack.enter_context(Connection(rabbitmq.url))
        for queue in queues.ALL:
            queue.bind(self._connection.default_channel).declare()
        self.workers: list[Member] = []

    def close(self) -> None:
        self._stack.close()
        self.app.close()
        with Connection(self.environment["DISNPLBM_BROKER_URL"]) as connection:
            for queue in queues.ALL:
                queue.bind(connection.default_channel).delete()
        with redis.Redis.from_url(self.redis_url) as client:
            client.flushdb()

    def worker(self, **environment: str) -> Member:
        """Start a worker."""
        worker = Member("worker", self.environment | environment)
        self._stack.callback(worker.close)
        self.workers.append(worker)
        return worker.start()

    def shards(self, store_url: str | None = None) -> None:
        """Put a small table there in four shards."""
        store = open_store(store_url or self.environment["DISNPLBM_STORE_URL"])
        values = np.random.default_rng(0).normal(size=(40, 5, 1))
        prepare(ingest(ArraySource(values), store, "datasets/table"), store, PREFIX, n_shards=SHARDS)

    def task(self, shard: int, run: str = "r", epoch: int = 1) -> SweepTask:
        return SweepTask(
            run=run,
            stream=0,
            iteration=0,
            shard=shard,
            epoch=epoch,
            shards_prefix=PREFIX,
            options=Options().to_dict(),
            body=pack_start(Start("random")),
            body_key=None,
            names=None,
            names_key=None,
            labels_key=None,
            attempt=0,
            published=time.time(),
            shards_seal=None,
        )

    def chord(self, tasks: list[SweepTask]) -> None:
        """Publish tasks as the header of a chord."""
        header = [
            self.app.signature(queues.SWEEP_TASK, args=(task.to_dict(),), queue=queues.SWEEP.name, ignore_result=True)
            for task in tasks
        ]
        body = self.app.signature(
            queues.COLUMN_STEP_TASK, args=("r", 0, 0), queue=queues.MASTER.name, ignore_result=True
        )
        chord(header, body=body, app=self.app).apply_async()

    def send(self, name: str, queue: Queue, task: Any) -> None:
        """Publish one task."""
        self.app.send_task(name, args=(task.to_dict(),), queue=queue.name, ignore_result=True)

    def receipts(self) -> list[dict[str, Any]]:
        """What the callback of a chord is called with."""
        arguments, _, _ = msgpack.unpackb(self._next(queues.MASTER))
        assert arguments[1:] == ["r", 0, 0]
        return sorted(arguments[0], key=lambda receipt: receipt["shard"])

    def result(self) -> Result:
        """The next message on the results queue."""
        return result_of(self._next(queues.RESULTS))

    def waiting(self, queue: Queue) -> int:
        """Messages that nobody has."""
        return int(queue.bind(self._connection.default_channel).queue_declare(passive=True).message_count)

    def logs(self) -> str:
        return "\n".join(worker.log.read_text(errors="replace") for worker in self.workers)

    def until(self, look: Callable[[], T | None]) -> T:
        """What ``look`` gives once it is something."""
        deadline = time.monotonic() + WAIT_SECONDS
        while (found := look()) is None:
            assert time.monotonic() < deadline, self.logs()
            time.sleep(0.02)
        return found

    def _next(self, queue: Queue) -> bytes:
        bound = queue.bind(self._connection.default_channel)

        def look() -> bytes | None:
            message = bound.get(no_ack=True)
            if message is None:
                return None
            return message.body if isinstance(message.body, bytes) else message.body.encode()

        return self.until(look)


class Gate:
    """A manifest that a worker waits for: whoever opens it stands still, also once the gate is open for others."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._path = Path(desk.environment["DISNPLBM_STORE_URL"]) / MANIFEST
        self._manifest = self._path.read_bytes()
        self._path.unlink()
        os.mkfifo(self._path)

    def wait(self, starts: int = 1) -> None:
        """Return once so many sweeps have begun, the last of which stands at the gate."""
        self._desk.until(lambda: self._desk.logs().count("sweep begins") == starts or None)

    def open(self) -> None:
        """Put the manifest back, for whoever comes from now on."""
        staged = self._path.with_name("staged")
        staged.write_bytes(self._manifest)
        staged.rename(self._path)


@pytest.fixture
def desk(rabbitmq: RabbitMQ, redis_server: RedisServer, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(rabbitmq, redis_server, tmp_path)
    yield desk
    desk.close()


@pytest.fixture
def gate(desk: Desk) -> Gate:
    desk.shards()
    return Gate(desk)


def kill_child(worker: Member) -> None:
    (child,) = worker.sweeping()
    os.kill(child, signal.SIGKILL)


def test_a_chord_of_sweeps(desk: Desk, seaweedfs: SeaweedFS, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in seaweedfs.environment.items():
        monkeypatch.setenv(name, value)
    store_url = f"{seaweedfs.url}/chord"
    desk.shards(store_url)
    port = free_port()
    desk.worker(**seaweedfs.environment, DISNPLBM_STORE_URL=store_url, DISNPLBM_METRICS_PORT=str(port))
    desk.chord([desk.task(shard) for shard in range(SHARDS)])
    swept = {message.shard: message for message in (desk.result() for _ in range(SHARDS))}  # type: ignore[attr-defined]
    assert sorted(swept) == list(range(SHARDS))
    store = open_store(store_url)
    for shard, message in swept.items():
        assert isinstance(message, Swept)
        assert message.redelivered == 0
        assert message.source == "store"
        assert message.payload is not None
        assert unpack_statistics(message.payload).shard == shard
        assert len(unpack_labels(store.get(message.labels_key))) == 10
    receipts = desk.receipts()
    assert [receipt["digest"] for receipt in receipts] == [swept[shard].digest for shard in range(SHARDS)]
    assert all(len(msgpack.packb(receipt)) < 200 for receipt in receipts)
    # No result of a task is left in Redis, and nothing of the chord stays for long.
    with redis.Redis.from_url(desk.redis_url) as client:
        left = {key.decode(): client.ttl(key) for key in client.keys("*")}
        assert client.pubsub_channels() == []
    assert not [key for key in left if key.startswith("celery-task-meta-")]
    assert all(0 < seconds <= 3600 for key, seconds in left.items() if not key.startswith("_kombu")), left
    # The child counts, the parent serves.
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        figures = dict(line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if line[0] != "#")
    assert float(figures["disnplbm_worker_sweeps_total"]) == SHARDS
    assert float(figures['disnplbm_worker_shard_reads_total{source="store"}']) == SHARDS
    assert float(figures["disnplbm_worker_sweep_seconds_count"]) == SHARDS


def test_workers_declare_no_other_queue(desk: Desk, rabbitmq: RabbitMQ) -> None:
    desk.shards()
    desk.worker()
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(0))
    desk.result()
    assert set(rabbitmq.queues()) == {queue.name for queue in queues.ALL}


def test_an_upload_is_read_and_sharded(desk: Desk) -> None:
    store = open_store(desk.environment["DISNPLBM_STORE_URL"])
    data = b"a,b\n1,2\n3,4\n5,7\n"
    store.put("uploads/7/t.csv", data)
    reading = {"id_column": None, "class_column": None, "header": "auto"}
    desk.worker()
    upload = IngestTask("7", "uploads/7/t.csv", len(data), hashlib.sha256(data).hexdigest(), reading, "datasets/7", 0)
    desk.send(queues.INGEST_TASK, queues.PREPARE, upload)
    ingested = desk.result()
    assert isinstance(ingested, Ingested)
    assert (ingested.n, ingested.p, ingested.missing) == (3, 2, 0)
    desk.send(queues.PREPARE_TASK, queues.PREPARE, PrepareTask("r", "datasets/7", 2, "rows", "none", 0, None))
    prefix = f"shards/{ingested.sha256[:32]}-7-none-rows-2"
    assert desk.result() == Prepared("r", prefix, 2, load_manifest(store, prefix).seal)


def test_a_child_killed_once_does_it_again(desk: Desk, gate: Gate) -> None:
    worker = desk.worker()
    desk.chord([desk.task(shard) for shard in range(SHARDS)])
    gate.wait()
    gate.open()
    kill_child(worker)
    swept = [desk.result() for _ in range(SHARDS)]
    assert all(isinstance(message, Swept) for message in swept)
    assert sorted(message.redelivered for message in swept) == [0, 0, 0, 1]  # type: ignore[attr-defined]
    assert all(receipt["digest"] is not None for receipt in desk.receipts())


def test_a_child_killed_always_is_given_up(desk: Desk, gate: Gate) -> None:
    worker = desk.worker()
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(2))
    for start in range(3):
        gate.wait(start + 1)
        kill_child(worker)
    failed = desk.result()
    assert isinstance(failed, SweepFailed)
    assert (failed.shard, failed.starts, failed.labels_missing) == (2, 3, False)
    assert failed.reason == (
        f"shard 2 of {PREFIX}, iteration 0: worker process was killed (signal 9): is it out of memory?"
    )
    # The worker lives on, and has nothing left to do.
    gate.open()
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(3))
    swept = desk.result()
    assert isinstance(swept, Swept)
    assert (swept.shard, swept.redelivered) == (3, 0)
    assert (desk.waiting(queues.SWEEP), desk.waiting(queues.DEAD), desk.waiting(queues.RESULTS)) == (0, 0, 0)
    assert worker.running


def test_a_sweep_that_takes_too_long_is_given_up(desk: Desk, gate: Gate) -> None:
    desk.worker(DISNPLBM_TASK_SECONDS="2")
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(1))
    gate.wait()
    failed = desk.result()
    assert isinstance(failed, SweepFailed)
    assert (failed.shard, failed.starts) == (1, 1)
    assert failed.reason.endswith("it took longer than 2 s (DISNPLBM_TASK_SECONDS)")


def test_a_killed_worker_is_stood_in_for(desk: Desk, gate: Gate) -> None:
    first = desk.worker()
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(0))
    gate.wait()
    gate.open()
    first.kill()
    desk.worker()
    swept = desk.result()
    assert isinstance(swept, Swept)
    assert swept.redelivered == 1


def test_stale_work_is_dropped(desk: Desk) -> None:
    desk.shards()
    mirror = Mirror(desk.redis_url)
    mirror.write("r", "RUNNING", 2, {0: 0})
    mirror.write("dead", "CANCELLED", 1, {})
    desk.worker()
    desk.chord([desk.task(0), desk.task(1, run="dead"), desk.task(2, epoch=2)])
    swept = desk.result()
    assert isinstance(swept, Swept)
    assert swept.shard == 2
    assert [receipt["digest"] is None for receipt in desk.receipts()] == [True, True, False]
    assert desk.waiting(queues.RESULTS) == 0


def test_a_message_of_another_kind_is_dropped_in_one_line(desk: Desk) -> None:
    desk.shards()
    worker = desk.worker()
    desk.app.send_task(queues.SWEEP_TASK, args=({"old": 1},), queue=queues.SWEEP.name, ignore_result=True)
    desk.send(queues.SWEEP_TASK, queues.SWEEP, desk.task(0))
    assert isinstance(desk.result(), Swept)
    text = worker.log.read_text()
    assert "a message is no SweepTask of this version" in text
    assert "Traceback" not in text


def test_a_broker_that_is_not_there_is_waited_for(desk: Desk) -> None:
    beat, ready = desk.folder / "beat", desk.folder / "ready"
    files = {"DISNPLBM_HEARTBEAT_FILE": str(beat), "DISNPLBM_READY_FILE": str(ready)}
    worker = desk.worker(DISNPLBM_BROKER_URL="amqp://guest:s3cret@127.0.0.1:1//", **files)
    desk.until(lambda: "waiting for the broker" in worker.log.read_text() or None)
    assert beat.exists()
    assert not ready.exists()
    text = worker.log.read_text()
    assert "amqp://guest:**@127.0.0.1:1//" in text
    assert "Traceback" not in text
    assert "s3cret" not in text
    worker.stop()


def test_a_file_says_whether_tasks_are_taken(desk: Desk) -> None:
    ready = desk.folder / "ready"
    worker = desk.worker(DISNPLBM_READY_FILE=str(ready))
    desk.until(lambda: ready.exists() or None)
    worker.stop()
    assert not ready.exists()


def test_bad_settings_end_it_in_one_line(desk: Desk) -> None:
    worker = desk.worker(DISNPLBM_STORE_URL="gopher://here")
    desk.until(lambda: not worker.running or None)
    line = "disnplbm: unknown object store 'gopher://here': give a folder, file://, memory:// or s3://\n"
    assert worker.log.read_text() == line
