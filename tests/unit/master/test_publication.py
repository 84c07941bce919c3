"""What reaches the broker of an iteration, with Redis and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from celery import Celery
from kombu import Connection

from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app
from disnplbm.messaging.messages import SweepTask
from disnplbm.sampler.packing import unpack
from disnplbm.settings import Settings
from disnplbm_master.publication import Publisher

SHARDS = 5


@pytest.fixture
def app() -> Iterator[Celery]:
    """An application with a broker in memory, and Redis where nobody listens."""
    app = make_app("test", Settings(redis_url="redis://127.0.0.1:1/0"))
    app.conf.update(broker_url="memory://", broker_transport_options={}, task_publish_retry=False)
    yield app
    with Connection("memory://") as connection:
        queues.SWEEP.bind(connection.default_channel).purge()
    app.close()


def tasks() -> list[SweepTask]:
    return [
        SweepTask("run", 0, 1, shard, 0, "shards/x", {}, b"", None, b"", None, "key", 0, 0.0, None)
        for shard in range(SHARDS)
    ]


def published() -> Counter[int]:
    """How often each shard waits on the broker."""
    found: Counter[int] = Counter()
    with Connection("memory://") as connection:
        queue = queues.SWEEP.bind(connection.default_channel)
        while (message := queue.get(no_ack=True, accept=["msgpack"])) is not None:
            arguments, *_ = unpack(message.body)
            found[arguments[0]["shard"]] += 1
    return found


def test_each_shard_once_where_redis_is_known_to_be_away(app: Celery) -> None:
    Publisher(app, lambda: False).publish_iteration(tasks())
    assert published() == Counter(range(SHARDS))


def test_each_shard_where_redis_goes_away_meanwhile(app: Celery) -> None:
    """Some come twice, which does no harm; none is missing."""
    Publisher(app, lambda: True).publish_iteration(tasks())
    assert set(published()) == set(range(SHARDS))
