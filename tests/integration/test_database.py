"""What the database promises, on SQLite and on a real Postgres: the same tables, guards and records."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Barrier
from typing import Any, Self, TypeVar

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import LargeBinary, inspect, text

from disnplbm.errors import InputError, RunError
from disnplbm.objects import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.checkpoints import is_retained
from disnplbm.runs.database import Database, DatabaseAway, Leadership, migrate
from disnplbm.runs.database.models import Base
from disnplbm.runs.database.url import keep_log_ahead
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.service import RunService
from recorded_runs import REPORTED, SHARDS, entry, labels_key, run_to, started, step, submitted

_T = TypeVar("_T")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/runs.sqlite3"
    created: str = request.getfixturevalue("postgres").create_database()
    return created


@pytest.fixture
def database(url: str) -> Any:
    """A database with tables."""
    database = Database(url)
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def service(database: Database, tmp_path: Path) -> RunService:
    return RunService(database, open_store(tmp_path / "store"))


@pytest.fixture
def books(database: Database) -> Books:
    return Books.of(database)


def at_once(*calls: Callable[[], _T]) -> list[_T]:
    """Call all from threads that start together."""
    barrier = Barrier(len(calls))

    def call(one: Callable[[], _T]) -> _T:
        barrier.wait()
        return one()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(call, calls))


def test_migrations_make_the_tables_that_the_models_describe(database: Database) -> None:
    database.check_version()
    with database.session() as session:
        context = MigrationContext.configure(session.connection())
        assert compare_metadata(context, Base.metadata) == []
        keys = {
            table.name: [column.name for column in table.primary_key.columns] for table in Base.metadata.sorted_tables
        }
        found = inspect(session.connection())
        assert {name: found.get_pk_constraint(name)["constrained_columns"] for name in keys} == keys


def test_postgres_compresses_nothing_that_is_packed(database: Database) -> None:
    packed = [
        (table.name, column.name)
        for table in Base.metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    ]
    assert len(packed) == 3
    with database.session() as session:
        if session.connection().dialect.name != "postgresql":
            return
        for table, column in packed:
            asked = text("SELECT attstorage FROM pg_attribute WHERE attrelid = CAST(:of AS regclass) AND attname = :at")
            assert session.scalar(asked, {"of": table, "at": column}) == "e"


def test_migrating_twice_at_once_and_again_is_fine(url: str) -> None:
    databases = [Database(url) for _ in range(2)]
    at_once(*(database.migrate for database in databases))
    databases[0].migrate()
    for database in databases:
        database.check_version()
        database.close()


class BusyTwice(sqlite3.Cursor):
    """SQLite as it answers a second connection that switches a new file at the same moment: at once."""

    refusals = 2

    def execute(self, sql: str, *more: Any) -> Self:
        if "journal_mode" in sql and self.refusals > 0:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise error
        return super().execute(sql, *more)


def test_a_new_file_that_another_connection_switches_is_waited_for(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.db")
    keep_log_ahead(connection.cursor(BusyTwice))
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()


def test_tables_of_another_version_are_refused_with_what_to_do(url: str) -> None:
    database = Database(url)
    with pytest.raises(RunError, match="no tables yet: run `disnplbm migrate`"):
        database.check_version()
    with pytest.raises(RunError, match="no tables yet: run `disnplbm migrate`"):
        Books.of(database).chains.live()
    database.migrate()
    with database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(RunError, match=r"newer version .* upgrade disnplbm"):
        database.check_version()
    database.close()


def test_a_version_before_goes_on_beside_migrated_tables(url: str, tmp_path: Path) -> None:
    database = Database(url)
    with database.session() as session:
        migrate.upgrade(session.connection(), "the database", "0002")
    dataset = {**dict.fromkeys(("name", "path", "upload_key", "upload_sha256", "prefix"), "x"), "upload_bytes": 1}
    _insert(database, "datasets", {**dataset, "id": "da7a", "state": "READY", "reading": "{}"})
    run = {**dict.fromkeys(("name", "axis_wanted", "transform"), "x"), "dataset_id": "da7a", "n_shards_wanted": "auto"}
    run |= {"state": "SUCCEEDED", "epoch": 0, "options": "{}", "algorithm": 4, "iterations_total": 1}
    _insert(database, "runs", {**run, "id": "01d1"})
    database.migrate()
    _insert(database, "runs", {**run, "id": "01d2"})
    service = RunService(database, open_store(tmp_path))
    assert [service.run(run_id).log_joint for run_id in ("01d1", "01d2")] == [None, None]
    database.close()


def _insert(database: Database, table: str, values: dict[str, Any]) -> None:
    """A row with the columns that it had in migration 0002."""
    values = {**values, "created_at": "2026-01-01 00:00:00.000000+00:00"}
    with database.session() as session:
        names = ", ".join(f":{name}" for name in values)
        session.execute(text(f"INSERT INTO {table} ({', '.join(values)}) VALUES ({names})"), values)


def test_records_come_back_to_the_last_bit(service: RunService, books: Books, tmp_path: Path) -> None:
    before = datetime.now(UTC)
    run = started(service, books, tmp_path, iterations=20, chains=2, restarts=3)
    assert run.created_at.utcoffset() == run.started_at.utcoffset() == timedelta(0)
    assert before <= run.created_at <= run.started_at <= datetime.now(UTC)
    streams = {chain.stream: (chain.chain, chain.short, chain.iterations) for chain in books.chains.of_run(run.id)}
    assert streams == {
        0: (0, None, 20),
        1: (1, None, 20),
        **{(number + 1) * 2**20: (0, number, 2) for number in range(3)},
        **{1 + (number + 1) * 2**20: (1, number, 2) for number in range(3)},
    }
    assert run.iterations_total == 2 * 20 + 6 * 2
    stream, payload, seconds = 1 + 3 * 2**20, bytes(range(256)) * 5000, math.pi / 3
    sent = entry(run.id, 0, stream=stream, payload=payload, seconds=seconds, waited=0.1, source="disk", redelivered=2)
    assert books.ledger.record(sent) == "new"
    [found] = books.ledger.entries(IterationId(run.id, stream, 0), payloads=True)
    assert before <= found.received_at <= datetime.now(UTC)
    for name in ("payload", "seconds", "waited", "source", "redelivered", "digest", "labels_key", "worker", "shard"):
        assert getattr(found, name) == getattr(sent, name)
    [light] = books.ledger.entries(IterationId(run.id, stream, 0))
    assert light.payload is None
    assert light.digest == sent.digest


def test_the_ledger_tells_new_from_duplicate_conflict_and_stale(
    service: RunService, books: Books, tmp_path: Path
) -> None:
    run = submitted(service, tmp_path).id
    assert books.ledger.record(entry(run, 0)) == "stale"
    assert books.runs.start(run, "shards/x", SHARDS)
    assert books.ledger.record(entry("0" * 12, 0)) == "stale"
    assert books.ledger.record(entry(run, 1)) == "stale"
    assert books.ledger.record(entry(run, 0)) == "new"
    assert books.ledger.record(entry(run, 0, worker="w2")) == "duplicate"
    assert books.ledger.record(entry(run, 0, digest="other")) == "conflict"
    assert books.ledger.count(IterationId(run, 0, 0)) == 1
    assert [found.worker for found in books.ledger.entries(IterationId(run, 0, 0))] == ["w1"]
    service.pause(run)
    assert books.ledger.record(entry(run, 0, shard=1)) == "new"
    service.resume(run)
    assert books.chains.advance(step(run, 0))
    assert books.ledger.record(entry(run, 0)) == "stale"
    assert books.ledger.record(entry(run, 1)) == "new"
    assert books.runs.fail(run, "lost")
    assert books.ledger.record(entry(run, 1, shard=1)) == "new"
    service.cancel(run)
    assert books.ledger.record(entry(run, 1, shard=1)) == "stale"


def test_a_batch_tells_what_became_of_each_of_its_entries(service: RunService, books: Books, tmp_path: Path) -> None:
    run, other = (started(service, books, tmp_path).id for _ in range(2))
    assert books.ledger.record(entry(run, 0)) == "new"
    batch = {
        "duplicate": entry(run, 0, worker="w2"),
        "conflict": entry(run, 0, digest="other"),
        "new": entry(run, 0, shard=1),
        "duplicate of the batch's own": entry(run, 0, shard=1, worker="w2"),
        "conflict with the batch's own": entry(run, 0, shard=1, digest="other"),
        "stale, too late": entry(run, 1),
        "stale, no such run": entry("0" * 12, 0),
        "stale, no such shard": entry(run, 0, shard=SHARDS),
        "new of another run": entry(other, 0, payload=None, payload_key="runs/x"),
    }
    assert dict(zip(batch, books.ledger.record_all(list(batch.values())), strict=True)) == {
        told: told.partition(" ")[0].rstrip(",") for told in batch
    }
    kept = {of: books.ledger.entries(IterationId(of, 0, 0), payloads=True) for of in (run, other)}
    assert [replace(found, received_at=None) for found in kept[run]] == [entry(run, 0), batch["new"]]
    assert [replace(found, received_at=None) for found in kept[other]] == [batch["new of another run"]]


def test_batches_of_many_at_once_have_each_entry_once(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    batch = [entry(run, 0, shard) for shard in range(SHARDS)]
    recorders = [lambda given=given: books.ledger.record_all(given) for given in (batch, batch[::-1])]
    outcomes = [outcome for found in at_once(*recorders * 3) for outcome in found]
    assert sorted(outcomes) == ["duplicate"] * (5 * SHARDS) + ["new"] * SHARDS


def test_one_of_many_that_record_a_shard_at_once_is_first(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    for shard in range(SHARDS):
        outcomes = at_once(*[lambda shard=shard: books.ledger.record(entry(run, 0, shard))] * 4)
        assert sorted(outcomes) == ["duplicate", "duplicate", "duplicate", "new"]
    assert [found.shard for found in books.ledger.entries(IterationId(run, 0, 0))] == list(range(SHARDS))


def test_a_shard_that_the_run_does_not_have_is_stale(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    assert [books.ledger.record(entry(run, 0, shard)) for shard in (-1, SHARDS, 2**31 - 1)] == ["stale"] * 3


def test_what_is_taken_back_is_of_the_iteration_under_way(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    for iteration in range(2):
        for shard in range(SHARDS):
            assert books.ledger.record(entry(run, iteration, shard)) == "new"
        if iteration == 0:
            assert books.chains.advance(step(run, 0))
    books.ledger.delete_entries(IterationId(run, 0, 0))
    books.ledger.delete_entries(IterationId(run, 0, 1), shard=1)
    assert books.ledger.count(IterationId(run, 0, 0)) == SHARDS
    assert [found.shard for found in books.ledger.entries(IterationId(run, 0, 1))] == [
        shard for shard in range(SHARDS) if shard != 1
    ]
    assert books.ledger.record(entry(run, 1, 1, digest="other")) == "new"
    books.ledger.delete_entries(IterationId(run, 0, 1))
    assert books.ledger.count(IterationId(run, 0, 1)) == 0


def test_text_that_no_database_takes_is_escaped(service: RunService, books: Books, tmp_path: Path) -> None:
    """Bytes of a file's name, or of an argument, that are no UTF-8."""
    run = started(service, books, tmp_path).id
    service.cancel(run, reason="\udcff\0 ü")
    assert service.events(run)[-1].reason == "\\udcff\\0 ü"


def test_one_of_many_that_advance_a_chain_at_once_does_it(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    for iteration in range(8):
        outcomes = at_once(*[lambda iteration=iteration: books.chains.advance(step(run, iteration))] * 3)
        assert sorted(outcomes) == [False, False, True]
    assert [row.iteration for row in service.trace(run)] == list(range(1, 8))
    assert books.chains.find(run, 0).iteration == 8


def test_chains_of_one_run_advance_side_by_side(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path, chains=4).id
    for iteration in range(5):
        calls = [lambda s=stream, t=iteration: books.chains.advance(step(run, t, s)) for stream in range(4)]
        assert at_once(*calls) == [True] * 4


def test_one_of_two_ends_of_a_run_wins(service: RunService, books: Books, tmp_path: Path) -> None:
    for _ in range(6):
        run = started(service, books, tmp_path).id

        def cancelled(run: str = run) -> bool:
            try:
                service.cancel(run)
            except InputError:
                return False
            return True

        outcomes = at_once(cancelled, lambda run=run: books.runs.succeed(run, REPORTED))
        assert sorted(outcomes) == [False, True]
        assert service.run(run).state == ("CANCELLED" if outcomes[0] else "SUCCEEDED")
        changes = [event.to_state for event in service.events(run) if event.kind == "state"]
        assert changes == ["RUNNING", service.run(run).state]


def test_advancing_goes_on_and_leaves_what_is_needed(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path, iterations=30).id
    assert books.ledger.record(entry(run, 0, payload=None, payload_key="runs/x")) == "new"
    assert books.chains.mark_published(IterationId(run, 0, 0), epoch=0)
    assert books.chains.find(run, 0).published_at is not None
    assert books.chains.advance(step(run, 0, draw=("draws/0", "seal")))
    assert service.trace(run) == []
    chain = books.chains.find(run, 0)
    assert (chain.iteration, chain.state, chain.published_at, chain.ended) == (1, b"state-0", None, False)
    [kept] = books.ledger.entries(IterationId(run, 0, 0), payloads=True)
    assert (kept.payload, kept.payload_key, kept.digest) == (None, None, "digest-0-0")
    run_to(books, run, 25)
    found = books.checkpoints.of_chain(run, 0)
    assert [checkpoint.iteration for checkpoint in found] == [25, 24, 20, 10]
    assert [iteration for iteration in range(25, 0, -1) if is_retained(iteration, 25)] == [25, 24, 20, 10]
    assert found[2].labels == (labels_key(run, 19, 0), labels_key(run, 19, 1))
    assert found[2].state == b"state-19"
    assert not books.chains.advance(step(run, 24))
    assert not books.chains.advance(step(run, 26))
    service.pause(run)
    assert not books.chains.advance(step(run, 25))
    service.resume(run)
    assert [record.stream for record in books.chains.live()] == [0]
    run_to(books, run, 31)
    assert books.chains.find(run, 0).ended
    assert not books.chains.advance(step(run, 31))
    assert books.chains.live() == []
    assert [record.id for record in books.runs.waiting_to_finish()] == [run]
    assert books.runs.succeed(run, REPORTED)
    assert books.checkpoints.of_chain(run, 0) == []
    assert len(service.trace(run)) == 30


def test_publication_is_noted_for_the_iteration_and_epoch_it_was_of(
    service: RunService, books: Books, tmp_path: Path
) -> None:
    run = started(service, books, tmp_path).id
    assert books.chains.mark_published(IterationId(run, 0, 0), epoch=0)
    service.pause(run)
    assert service.resume(run).epoch == 1
    assert books.chains.find(run, 0).published_at is None
    assert not books.chains.mark_published(IterationId(run, 0, 0), epoch=0)
    assert not books.chains.mark_published(IterationId(run, 0, 1), epoch=1)
    assert books.chains.find(run, 0).published_at is None
    assert books.chains.mark_published(IterationId(run, 0, 0), epoch=1)


def test_rewinding_forgets_what_came_after(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path, iterations=14).id
    run_to(books, run, 13)
    assert books.ledger.record(entry(run, 13)) == "new"
    assert books.failures.add(IterationId(run, 0, 13), 1, 2, "lost") == 2
    with pytest.raises(RunError, match="no checkpoint for iteration 11"):
        books.checkpoints.rewind(IterationId(run, 0, 11))
    assert not books.checkpoints.rewind(IterationId(run, 0, 14))
    assert books.checkpoints.rewind(IterationId(run, 0, 10), reason="labels are missing")
    chain = books.chains.find(run, 0)
    assert (chain.iteration, chain.state, chain.published_at, chain.ended) == (10, b"state-9", None, False)
    assert [row.iteration for row in service.trace(run)] == list(range(1, 10))
    assert [checkpoint.iteration for checkpoint in books.checkpoints.of_chain(run, 0)] == [10]
    assert [books.ledger.count(IterationId(run, 0, iteration)) for iteration in (9, 10, 13)] == [2, 0, 0]
    last = service.events(run)[-1]
    assert (last.kind, last.reason, last.data) == ("rewound", "labels are missing", {"stream": 0, "from": 13, "to": 10})
    run_to(books, run, 15)
    assert [row.iteration for row in service.trace(run)] == list(range(1, 15))
    # To where it ended: nothing is left to do there either.
    assert books.checkpoints.rewind(IterationId(run, 0, 15))
    assert books.chains.find(run, 0).ended
    assert books.checkpoints.rewind(IterationId(run, 0, 0))
    assert books.chains.find(run, 0).state is None
    assert service.trace(run) == []
    service.cancel(run)
    assert not books.checkpoints.rewind(IterationId(run, 0, 0))


def test_failures_add_up_until_the_run_is_resumed(service: RunService, books: Books, tmp_path: Path) -> None:
    run = started(service, books, tmp_path).id
    assert sorted(at_once(*[lambda: books.failures.add(IterationId(run, 0, 0), -1, 1, "lost")] * 3)) == [1, 2, 3]
    assert books.failures.add(IterationId(run, 0, 0), 1, 1, "lost", attempt=0) == 1
    assert books.failures.add(IterationId(run, 0, 0), 1, 1, "told twice", attempt=0) == 1
    assert books.failures.counts(IterationId(run, 0, 0))[1] == 1
    assert books.failures.add(IterationId("0" * 12, 0, 0), 1, 1, "lost") == 0
    assert books.runs.fail(run, "shard 0 was lost 3 times")
    assert service.run(run).error == "shard 0 was lost 3 times"
    assert service.run(run).finished_at is not None
    resumed = service.resume(run, actor="ada")
    assert (resumed.state, resumed.error, resumed.finished_at) == ("RUNNING", None, None)
    assert books.failures.add(IterationId(run, 0, 0), -1, 1, "lost") == 1


def test_failures_are_counted_and_forgotten_by_many_at_once(service: RunService, books: Books, tmp_path: Path) -> None:
    """As masters do that take turns before one knows that it is no longer the leader."""
    run = started(service, books, tmp_path).id

    def count() -> None:
        for _ in range(60):
            books.failures.add(IterationId(run, 0, 0), 1, 1, "lost")
            books.failures.withdraw(IterationId(run, 0, 0), 1)

    def forget() -> None:
        for _ in range(120):
            books.failures.clear(IterationId(run, 0, 0), 1)

    at_once(count, count, forget)
    assert books.failures.counts(IterationId(run, 0, 0)) == {}


def test_jobs_wait_are_published_and_end_once(service: RunService, books: Books, tmp_path: Path) -> None:
    run = submitted(service, tmp_path)
    assert books.jobs.fetch("ingest", run.dataset_id).state == "WAITING"
    assert books.jobs.mark_published("ingest", run.dataset_id)
    assert books.jobs.fetch("ingest", run.dataset_id).published_at is not None
    assert books.jobs.fetch("ingest", run.dataset_id).state == "PUBLISHED"
    assert books.jobs.retry("ingest", run.dataset_id, 0, 1, "lost") == 1
    assert books.jobs.retry("ingest", run.dataset_id, 0, 1, "told twice") == 1
    assert books.jobs.retry("ingest", run.dataset_id, 1, 1, "lost") == 2
    assert books.jobs.fetch("ingest", run.dataset_id).state == "WAITING"
    assert books.jobs.fail("ingest", run.dataset_id, "lost")
    assert not books.jobs.fail("ingest", run.dataset_id, "late")
    assert not books.jobs.mark_published("ingest", run.dataset_id)
    assert books.jobs.retry("ingest", run.dataset_id, 2, 1, "late") == 0
    with pytest.raises(RunError, match="no job prepare of nothing"):
        books.jobs.fetch("prepare", "nothing")


def test_a_dataset_that_cannot_be_read_fails_its_pending_runs_and_is_read_again_on_resume(
    service: RunService, books: Books, tmp_path: Path
) -> None:
    run = submitted(service, tmp_path)
    assert books.jobs.mark_published("ingest", run.dataset_id)
    assert books.datasets.fail(run.dataset_id, "row 3 has 2 cells")
    assert not books.datasets.fail(run.dataset_id, "again")
    assert not books.datasets.mark_ready(run.dataset_id, 1, 1, 1, "aa", 0, "datasets/x")
    failed = service.run(run.id)
    assert (failed.state, failed.error) == ("FAILED", "row 3 has 2 cells")
    assert books.runs.pending() == []
    resumed = service.resume(run.id)
    assert (resumed.state, resumed.epoch) == ("PENDING", 1)
    assert [record.id for record in books.runs.pending()] == [run.id]
    assert books.datasets.fetch(run.dataset_id).state == "UPLOADED"
    assert books.jobs.fetch("ingest", run.dataset_id).state == "WAITING"
    assert books.datasets.mark_ready(run.dataset_id, 3, 2, 1, "aa", 1, "datasets/x")
    ready = service.dataset(run.dataset_id)
    assert (ready.state, ready.n, ready.p, ready.missing, ready.error) == ("READY", 3, 2, 1, None)


def test_the_master_hears_of_active_runs_and_of_those_it_asks_for(
    service: RunService, books: Books, tmp_path: Path
) -> None:
    running, paused, cancelled = (started(service, books, tmp_path).id for _ in range(3))
    submitted(service, tmp_path)
    service.pause(paused)
    service.cancel(cancelled)
    assert [run.id for run in books.runs.of_interest([])] == [running, paused]
    assert [run.id for run in books.runs.of_interest([cancelled])] == [running, paused, cancelled]


def test_a_transaction_that_fails_leaves_nothing(database: Database, service: RunService, tmp_path: Path) -> None:
    run = submitted(service, tmp_path).id

    def fail_half_way() -> None:
        with database.session() as session:
            session.execute(text("UPDATE runs SET state = 'FAILED'"))
            raise RunError("half way")

    with pytest.raises(RunError, match="half way"):
        fail_half_way()
    assert service.run(run).state == "PENDING"


def test_one_leader_at_a_time(database: Database, url: str) -> None:
    other = Database(url)
    with Leadership(database) as first, Leadership(other) as second:
        assert not first.is_held()
        assert first.acquire()
        assert first.acquire()
        assert first.is_held()
        assert not second.acquire()
        assert not second.is_held()
        first.release()
        assert not first.is_held()
        assert second.acquire()
        assert not first.acquire()
    with Leadership(database) as third:
        assert third.acquire()
    other.close()


def test_a_leader_whose_session_ends_loses_the_lock(postgres: Any) -> None:
    url = postgres.create_database()
    database = Database(url)
    with Leadership(database) as first, Leadership(database) as second:
        assert first.acquire()
        _end_sessions(postgres, url)
        assert not first.is_held()
        assert second.acquire()
        assert not first.acquire()
    database.close()


def test_sessions_that_the_server_ends_are_replaced(postgres: Any) -> None:
    url = postgres.create_database()
    database = Database(url)
    database.migrate()
    books = Books.of(database)
    assert books.chains.live() == []
    _end_sessions(postgres, url)
    assert books.chains.live() == []

    def cut_off() -> None:
        with database.session() as session:
            session.execute(text("SELECT 1"))
            _end_sessions(postgres, url)
            session.execute(text("SELECT 1"))

    with pytest.raises(DatabaseAway, match="is away"):
        cut_off()
    database.ping()
    database.close()


def test_no_password_is_told(postgres: Any) -> None:
    url = postgres.create_database()
    password = url.split(":")[2].split("@")[0]
    for wrong in (url.replace(password, "mistaken-secret"), f"{url}?password=mistaken-secret"):
        database = Database(wrong)
        with pytest.raises(DatabaseAway, match="password authentication failed") as caught:
            database.ping()
        for said in (str(caught.value), repr(database), database.url_for_people):
            assert "secret" not in said
            assert password not in said
        assert not Leadership(database).acquire()
        database.close()


def _end_sessions(postgres: Any, url: str) -> None:
    name = url.rsplit("/", 1)[1]
    postgres.execute(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '{name}'")
