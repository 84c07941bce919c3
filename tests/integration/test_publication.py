"""What reaches a real broker of an iteration: all of it when it counts as published, whatever happens meanwhile."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Iterator

import pytest
from kombu import Connection, Exchange, Queue

from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app
from disnplbm.messaging.messages import SweepTask
from disnplbm.messaging.pipeline import Pipeline
from disnplbm.sampler.packing import unpack
from disnplbm.settings import Settings
from disnplbm_master.publication import BrokerAway, Publisher
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer

SHARDS = 50

NO_REDIS = "redis://127.0.0.1:1/0"


@pytest.fixture
def sweep(rabbitmq: RabbitMQ, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """A queue in place of the one that workers take shards from."""
    yield from made(rabbitmq, monkeypatch, {})


@pytest.fixture
def full(rabbitmq: RabbitMQ, monkeypatch: pytest.MonkeyPatch) -> Iterator[Queue]:
    """The same, which takes some messages of an iteration and refuses the others."""
    yield from made(rabbitmq, monkeypatch, {"x-max-length": SHARDS // 2, "x-overflow": "reject-publish"})


def made(rabbitmq: RabbitMQ, monkeypatch: pytest.MonkeyPatch, arguments: dict[str, object]) -> Iterator[Queue]:
    name = "publication"
    queue = Queue(name, Exchange("", type="direct"), name, durable=True)
    queue.queue_arguments = {"x-queue-type": "quorum", **arguments}
    monkeypatch.setattr(queues, "SWEEP", queue)
    with Connection(rabbitmq.url) as connection:
        bound = queue.bind(connection.default_channel)
        bound.declare()
        yield bound
        bound.delete()


def made_app(rabbitmq: RabbitMQ, redis_url: str) -> Application:
    app = make_app("test", Settings(broker_url=rabbitmq.url, redis_url=redis_url))
    app.conf.task_queues = [queues.SWEEP, queues.MASTER]
    return app


def tasks() -> list[SweepTask]:
    return [
        SweepTask("run", 0, 1, shard, 0, "shards/x", {}, b"", None, b"", None, "key", 0, 0.0, None)
        for shard in range(SHARDS)
    ]


def published(queue: Queue) -> Counter[int]:
    """How often each shard waits on the broker."""
    found: Counter[int] = Counter()
    while (message := queue.get(no_ack=True)) is not None:
        arguments, *_ = unpack(message.body)
        found[arguments[0]["shard"]] += 1
    return found


def test_each_shard_once(rabbitmq: RabbitMQ, redis_server: RedisServer, sweep: Queue) -> None:
    with made_app(rabbitmq, redis_server.url) as app:
        publisher = Publisher(app, lambda: True)
        for _ in range(2):
            publisher.publish_iteration(tasks())
            assert published(sweep) == Counter(range(SHARDS))


def test_each_shard_once_where_redis_is_known_to_be_away(rabbitmq: RabbitMQ, sweep: Queue) -> None:
    with made_app(rabbitmq, NO_REDIS) as app:
        Publisher(app, lambda: False).publish_iteration(tasks())
    assert published(sweep) == Counter(range(SHARDS))


def test_each_shard_where_redis_goes_away_meanwhile(rabbitmq: RabbitMQ, sweep: Queue) -> None:
    """Some come twice, which does no harm; none is missing."""
    with made_app(rabbitmq, NO_REDIS) as app:
        Publisher(app, lambda: True).publish_iteration(tasks())
    assert set(published(sweep)) == set(range(SHARDS))


@pytest.mark.parametrize("lost_after", [0, 1, SHARDS // 2, SHARDS])
def test_each_shard_where_the_connection_is_lost(
    rabbitmq: RabbitMQ, redis_server: RedisServer, sweep: Queue, monkeypatch: pytest.MonkeyPatch, lost_after: int
) -> None:
    """Be it before the first message, in between, or before the broker has confirmed the last."""
    with made_app(rabbitmq, redis_server.url) as app:
        publisher = Publisher(app, lambda: True)
        publisher.publish_iteration(tasks())
        published(sweep)
        sent = 0
        note_sent = Pipeline.note_sent

        def lose() -> None:
            lost = app.pipeline.connection.connection.transport.sock
            lost.shutdown(socket.SHUT_RDWR)
            # An answer may be here already; it would still be read.
            while lost.recv(2**16):
                pass

        def counted(pipeline: Pipeline) -> None:
            nonlocal sent
            note_sent(pipeline)
            sent += 1
            if sent == lost_after:
                lose()

        monkeypatch.setattr(Pipeline, "note_sent", counted)
        if not lost_after:
            lose()
        publisher.publish_iteration(tasks())
    assert set(published(sweep)) == set(range(SHARDS))
    assert sent >= lost_after + SHARDS


def test_what_the_broker_refuses_is_not_published(rabbitmq: RabbitMQ, redis_server: RedisServer, full: Queue) -> None:
    with made_app(rabbitmq, redis_server.url) as app, pytest.raises(BrokerAway, match="could not take a message"):
        Publisher(app, lambda: True).publish_iteration(tasks())
    assert 0 < sum(published(full).values()) <= 2 * SHARDS


def test_a_batch_goes_on_after_one_that_failed(rabbitmq: RabbitMQ, redis_server: RedisServer, sweep: Queue) -> None:
    with made_app(rabbitmq, redis_server.url) as app:
        with pytest.raises(ZeroDivisionError), app.batch():
            raise ZeroDivisionError
        Publisher(app, lambda: True).publish_shards(tasks())
    assert published(sweep) == Counter(range(SHARDS))
