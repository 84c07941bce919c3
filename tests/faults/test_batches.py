"""Batches of results from a real broker into a real database: one that cannot be recorded, and one recorded twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest
from kombu import Consumer
from kombu.message import Message
from msgspec.structs import replace

from disnplbm.messaging import queues
from disnplbm.messaging.app import Application, make_app, publish_result
from disnplbm.messaging.inspection import inspect_queue
from disnplbm.messaging.messages import Result, Swept, result_of
from disnplbm.runs.books import Books
from disnplbm.runs.iteration_id import IterationId
from disnplbm.settings import Settings
from disnplbm_master.batches import PREFETCH, Batches
from services.cluster import Cluster
from unit.master.desk import SHARDS, Desk, digest_of_fit, write_table


class Killed(BaseException):
    """The master ends here."""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_table(tmp_path_factory.mktemp("table"))


@pytest.fixture(scope="module")
def expected(table: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    return digest_of_fit(table, tmp_path_factory.mktemp("fit"))


@pytest.fixture
def desk(cluster: Cluster, table: Path) -> Desk:
    return Desk(table, cluster.database, cluster.store)


@pytest.fixture
def app(cluster: Cluster) -> Iterator[Application]:
    with make_app("test", Settings(broker_url=cluster.rabbitmq.url, redis_url=cluster.redis_server.url)) as app:
        with app.connection_for_write() as connection:
            for queue in (queues.RESULTS, queues.DEAD):
                queue.bind(connection.default_channel).declare()
        yield app


def take_together(app: Application, batches: Batches, number: int, monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """Have so many messages taken as one batch, once the broker has delivered them all; these."""
    delivered: list[Message] = []
    with app.connection_for_read() as connection:
        # Not a channel of the pool's: what is not acknowledged goes back when it closes.
        channel = connection.channel()
        with Consumer(channel, [queues.RESULTS], on_message=delivered.append, prefetch_count=PREFETCH):
            while len(delivered) < number:
                connection.drain_events(timeout=30)
            monkeypatch.setattr(batches, "_receive", lambda _: [*map(batches.on_message, delivered[1:])])
            batches.on_message(delivered[0])
    return delivered


def count_waiting(app: Application) -> dict[str, int | None]:
    """Messages of results, and those set aside."""
    with app.connection_for_read() as connection:
        return {queue.name: inspect_queue(connection, queue.name).waiting for queue in (queues.RESULTS, queues.DEAD)}


#: No row of the ledger, each for another reason: the master sees the first, PostgreSQL the second.
UNRECORDABLE: dict[str, Callable[[Swept], Swept]] = {
    "labels of another shard": lambda message: replace(message, labels_key=f"{message.labels_key[:-1]}/x"),
    "no number of a shard": lambda message: replace(
        message,
        shard=2**40,
        labels_key=f"{IterationId.of(message).prefix('labels')}/{2**40}-{'0' * 16}",
    ),
}


@pytest.mark.parametrize(("bad", "conflicting"), [("labels of another shard", False), ("no number of a shard", True)])
def test_one_result_that_cannot_be_recorded_harms_no_other_of_its_batch(
    desk: Desk, app: Application, expected: str, monkeypatch: pytest.MonkeyPatch, bad: str, conflicting: bool
) -> None:
    """Beside it are a stale one, a duplicate and perhaps a conflict: each is what it is alone."""
    late = desk.late()
    first, second, *rest = desk.to_iteration(3)
    conflict = [replace(second, digest="0" * 64)] if conflicting else []
    batch = [late, first, UNRECORDABLE[bad](first), replace(first, worker="w2"), second, *conflict, *rest]
    for message in batch:
        publish_result(app, message)
    sizes: list[int] = []

    def take(results: Sequence[Result], acknowledge: Callable[[], None]) -> None:
        sizes.append(len(results))
        desk.master.inbox.on_results(results, acknowledge)

    take_together(app, Batches(app.admission, take), len(batch), monkeypatch)
    assert sizes == [len(batch), *[1] * len(batch)]
    assert count_waiting(app) == {queues.RESULTS.name: 0, queues.DEAD.name: 1}
    if conflicting:
        failed = desk.service.run(desk.run)
        assert failed.state == "FAILED"
        assert "not bit-identical" in str(failed.error)
        kept = Books.of(desk.database).ledger.entries(IterationId.of(first))
        assert [entry.shard for entry in kept] == sorted(message.shard for message in (first, *rest))
        desk.service.resume(desk.run)
    assert desk.digest() == expected


def test_a_batch_whose_master_died_before_its_acknowledgement_comes_again_and_counts_once(
    desk: Desk, app: Application, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = desk.to_iteration(3)
    for message in batch:
        publish_result(app, message)

    def die() -> NoReturn:
        raise Killed

    dying = Batches(app.admission, lambda results, _: desk.master.inbox.on_results(results, die))
    with pytest.raises(Killed):
        take_together(app, dying, len(batch), monkeypatch)
    committed = Books.of(desk.database).ledger.entries(IterationId.of(batch[0]))
    assert [entry.shard for entry in committed] == list(range(SHARDS))
    desk.new_master()
    again = take_together(app, Batches(app.admission, desk.master.inbox.on_results), len(batch), monkeypatch)
    assert all(message.delivery_info["redelivered"] for message in again)
    assert {result_of(app.admission.result(message)) for message in again} == set(batch)
    assert count_waiting(app) == {queues.RESULTS.name: 0, queues.DEAD.name: 0}
    assert desk.digest() == expected
