"""Datasets and runs as their users handle them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.engine.options import Options
from disnplbm.errors import InputError, RunError
from disnplbm.objects import ObjectStore, open_store
from disnplbm.objects.uploads import plain_name
from disnplbm.runs import ids as ids_module
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database, DatabaseAway
from disnplbm.runs.database.models import Run
from disnplbm.runs.iteration_id import IterationId
from disnplbm.runs.records import Reported
from disnplbm.runs.request import RunRequest
from disnplbm.runs.service import RunService
from recorded_runs import REPORTED, REQUEST, entry, run_to, started, step, submitted, uploaded


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{tmp_path}/runs.sqlite3")
    database.migrate()
    yield database
    database.close()


@pytest.fixture
def store(tmp_path: Path) -> ObjectStore:
    return open_store(tmp_path / "store")


@pytest.fixture
def service(database: Database, store: ObjectStore) -> RunService:
    return RunService(database, store)


@pytest.fixture
def books(database: Database) -> Books:
    return Books.of(database)


def test_a_file_is_uploaded_with_its_digest(service: RunService, store: ObjectStore, tmp_path: Path) -> None:
    path, content, seen = tmp_path / "Ünï côde (1).csv.gz", bytes(range(256)) * 10_000, list[tuple[int, int]]()
    path.write_bytes(content)
    reading = {"id_column": "name", "header": True, "missing": ["-"]}
    dataset = service.add_dataset(path, reading, progress=lambda *both: seen.append(both), actor="ada")
    assert dataset == service.dataset(dataset.id)
    assert dataset.upload_key == f"uploads/{dataset.id}/-n-c-de-1-.csv.gz"
    assert bytes(store.get(dataset.upload_key)) == content
    assert (dataset.upload_bytes, dataset.upload_sha256) == (len(content), hashlib.sha256(content).hexdigest())
    assert dataset.reading == reading
    assert (dataset.name, dataset.state, dataset.prefix) == (path.name, "UPLOADED", f"datasets/{dataset.id}")
    assert seen[-1] == (len(content), len(content))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("wine.csv", "wine.csv"), ("a b/c.npy", "a-b-c.npy"), ("..", "file"), ("x" * 200 + ".csv", "x" * 96 + ".csv")],
)
def test_keys_take_plain_names_that_end_as_the_file_does(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_what_is_no_file_is_refused_and_leaves_nothing(service: RunService, store: ObjectStore, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").touch()
    for path, said in [(tmp_path, "is a folder"), (tmp_path / "no.csv", "file not found"), ("empty.csv", "is empty")]:
        with pytest.raises(InputError, match=said):
            service.add_dataset(tmp_path / path)
    assert store.list() == []
    assert service.datasets() == []


@pytest.mark.parametrize("size", [1_000, 2_000_000, 4_000_000])
def test_a_file_that_changes_while_it_is_sent_is_refused_and_leaves_nothing(
    service: RunService, store: ObjectStore, tmp_path: Path, size: int
) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(bytes(3_000_000))
    with pytest.raises(InputError, match="changed while it was read"):
        service.add_dataset(path, progress=lambda _done, _total: os.truncate(path, size))
    assert store.list() == []
    assert service.datasets() == []


def test_a_file_that_is_removed_while_it_is_sent_is_sent_whole(service: RunService, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(bytes(3_000_000))
    record = service.add_dataset(path, progress=lambda _done, _total: path.unlink(missing_ok=True))
    assert record.upload_bytes == 3_000_000


def test_an_upload_that_is_stopped_leaves_nothing(service: RunService, store: ObjectStore, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(bytes(3_000_000))

    def stop(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        service.add_dataset(path, progress=stop)
    assert store.list() == []
    assert service.datasets() == []


def test_an_upload_whose_row_cannot_be_written_is_taken_back(tmp_path: Path, store: ObjectStore) -> None:
    database = Database(f"sqlite:///{tmp_path}/without-tables.sqlite3")
    (tmp_path / "x.csv").write_text("1,2\n")
    with pytest.raises(RunError, match="run `disnplbm migrate`"):
        RunService(database, store).add_dataset(tmp_path / "x.csv")
    assert store.list() == []
    database.close()


def test_a_database_that_is_away_is_found_out_before_the_upload(tmp_path: Path, store: ObjectStore) -> None:
    (tmp_path / "x.csv").write_text("1,2\n")
    service = RunService(Database(f"sqlite:///{tmp_path}/no/folder.sqlite3"), store)
    with pytest.raises(DatabaseAway, match=r"is away \(unable to open database file\)"):
        service.add_dataset(tmp_path / "x.csv")


def test_a_submitted_run_has_a_request_as_a_run_folder_has(
    service: RunService, store: ObjectStore, tmp_path: Path
) -> None:
    options = Options(iterations=7, chains=2, seed=5).to_dict()
    classes = {"row_classes": ["a", "ü"], "n_shards": "auto", "axis": "auto", "transform": "log1p"}
    run = service.submit(uploaded(service, tmp_path)[:6], replace(REQUEST, **classes), options, actor="ada")
    record: dict[str, Any] = json.loads(bytes(store.get(f"runs/{run.id}/request.json")))
    folder = RunRequest.read(bytes(store.get(f"runs/{run.id}/request.json"))).in_folder()
    # And how the data are to be cut, which a run folder's manifest says.
    assert record.keys() == folder.keys() - {"stages"} | {"n_shards", "axis"}
    assert (record["options"], record["row_classes"], record["algorithm"]) == (options, ["a", "ü"], ALGORITHM_VERSION)
    assert run == service.run(run.id)
    assert (run.n_shards_wanted, run.axis_wanted, run.transform) == ("auto", "auto", "log1p")
    assert (run.state, run.epoch, run.iterations_total, run.algorithm) == ("PENDING", 0, 14, ALGORITHM_VERSION)
    [event] = service.events(run.id)
    assert (event.kind, event.actor, event.to_state) == ("submitted", "ada", "PENDING")
    assert service.events(run.id, after=event.id) == []


def test_no_run_of_a_dataset_that_could_not_be_read(
    service: RunService, books: Books, store: ObjectStore, tmp_path: Path
) -> None:
    dataset = uploaded(service, tmp_path)
    books.datasets.fail(dataset, "row 3 has 2 cells")
    with pytest.raises(InputError, match="row 3 has 2 cells; mend the file"):
        service.submit(dataset, REQUEST, Options().to_dict())
    assert service.runs() == []
    assert store.list("runs") == []


def test_runs_are_found_by_a_beginning_that_no_other_has(
    service: RunService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = uploaded(service, tmp_path)
    ids = iter(["aaaa11112222", "aaaa11113333", "bbbb11112222"])
    monkeypatch.setattr(ids_module.secrets, "token_hex", lambda _: next(ids))
    first, second, third = (service.submit(dataset, REQUEST, Options().to_dict()).id for _ in range(3))
    assert service.run("BBBB").id == third
    assert service.run("aaaa11113").id == second
    assert service.run(first).id == first
    for given, said in [
        ("aaaa", "several runs: give more"),
        ("cccc", "no run cccc"),
        ("aaa", "at least the first 4"),
        ("a%a_", "is no id"),
        (f"{first}0", "is no id"),
    ]:
        for call in (service.run, service.cancel, service.trace, service.events, service.progress, service.delete):
            with pytest.raises(InputError, match=said):
                call(given)


def test_runs_are_listed_newest_first(service: RunService, tmp_path: Path) -> None:
    ids = [submitted(service, tmp_path).id for _ in range(3)]
    service.cancel(ids[1])
    assert [run.id for run in service.runs()] == ids[::-1]
    assert [run.id for run in service.runs(limit=1)] == ids[2:]
    assert [run.id for run in service.runs(state="CANCELLED")] == [ids[1]]
    assert len(service.datasets()) == 3


def test_progress_tells_how_far_a_run_has_come(service: RunService, books: Books, tmp_path: Path) -> None:
    run = submitted(service, tmp_path, iterations=20, restarts=2)
    assert service.progress(run.id) == (0, 24, None, None, None, "reading")
    books.datasets.mark_ready(run.dataset_id, 2, 2, 1, "aa", 0, "datasets/x")
    assert service.progress(run.id).stage == "sharding"
    books.runs.start(run.id, "shards/x", 2)
    assert service.progress(run.id) == (0, 24, None, None, None, "sampling")
    short = 2**20
    run_to(books, run.id, 3, stream=short)
    assert service.progress(run.id) == (2, 24, 3, 2, -98.0, "sampling")
    run_to(books, run.id, 2)
    assert service.progress(run.id) == (3, 24, 3, 2, -99.0, "sampling")
    service.pause(run.id)
    assert service.progress(run.id).stage == "paused"
    service.resume(run.id)
    run_to(books, run.id, 3, stream=2 * short)
    run_to(books, run.id, 21)
    assert service.progress(run.id) == (24, 24, 3, 2, -80.0, "finishing")
    assert {row.stream for row in service.trace(run.id)} == {0, short, 2 * short}
    assert [row.iteration for row in service.trace(run.id, stream=short)] == [1, 2]


def test_a_run_that_succeeded_shows_what_it_reports_or_its_last_iteration_if_an_old_version_finished_it(
    service: RunService, books: Books, database: Database, tmp_path: Path
) -> None:
    run = started(service, books, tmp_path, iterations=3).id
    run_to(books, run, 4)
    assert service.progress(run) == (3, 3, 3, 2, -97.0, "finishing")
    assert books.runs.succeed(run, REPORTED)
    assert service.progress(run) == (3, 3, *REPORTED[:3], "succeeded")
    assert service.run(run).verdict == REPORTED.verdict
    with database.session() as session:
        session.execute(update(Run).values(dict.fromkeys(Reported._fields)))
    assert service.progress(run) == (3, 3, 3, 2, -97.0, "succeeded")


def test_resuming_asks_for_what_failed_anew(service: RunService, books: Books, tmp_path: Path) -> None:
    waiting, run = submitted(service, tmp_path).id, started(service, books, tmp_path).id
    books.jobs.mark_published("prepare", waiting)
    books.jobs.fail("prepare", waiting, "disk full")
    for failed in (waiting, run):
        books.runs.fail(failed, "disk full")
        service.resume(failed)
    assert (books.jobs.fetch("prepare", waiting).state, books.jobs.fetch("prepare", waiting).error) == ("WAITING", None)
    assert books.jobs.fetch("prepare", run).state == "DONE"
    with pytest.raises(InputError, match="RUNNING: only one that is PAUSED or FAILED can be resumed"):
        service.resume(run)


def test_results_are_downloaded_when_there_are_any(
    service: RunService, books: Books, store: ObjectStore, tmp_path: Path
) -> None:
    run, content, seen = started(service, books, tmp_path).id, bytes(5_000_000), list[tuple[int, int]]()
    store.put(f"runs/{run}/results/run.json", b"{}")
    store.put(f"runs/{run}/results/draws.npz", content)
    with pytest.raises(InputError, match="is RUNNING: only a run that SUCCEEDED"):
        service.fetch_result(run, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    books.runs.succeed(run, REPORTED)
    names = service.fetch_result(run[:5], tmp_path / "a/out", lambda *both: seen.append(both))
    assert names == ["draws.npz", "run.json"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "a/out").iterdir()} == {
        "draws.npz": content,
        "run.json": b"{}",
    }
    assert seen[-1] == (5_000_002, 5_000_002)
    with pytest.raises(InputError, match="cannot make the folder"):
        service.fetch_result(run, tmp_path / "table.csv")


def test_a_run_is_deleted_with_its_objects_once_it_is_over(
    service: RunService, books: Books, store: ObjectStore, tmp_path: Path
) -> None:
    run = started(service, books, tmp_path)
    store.put(f"runs/{run.id}/labels/0/0/x", b"1")
    books.ledger.record(entry(run.id, 0))
    books.chains.advance(step(run.id, 0, draw=("draws/0", "seal")))
    books.failures.add(IterationId(run.id, 0, 1), 0, 1, "lost")
    with pytest.raises(InputError, match="RUNNING: cancel it"):
        service.delete(run.id)
    books.runs.fail(run.id, "lost")
    service.delete(run.id, actor="ada")
    assert store.list("runs") == []
    assert service.runs() == []
    assert books.ledger.entries(IterationId(run.id, 0, 0)) == []
    with pytest.raises(RunError, match="it was deleted"):
        books.jobs.fetch("prepare", run.id)
    assert service.dataset(run.dataset_id).state == "READY"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://ada:secret@host/x", "kind 'mysql' is not supported"),
        ("sqlite://", "needs a file"),
        ("ada:secret@host", "cannot be read"),
    ],
)
def test_addresses_that_cannot_be_used_are_refused_without_telling_them(url: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        Database(url)
    assert "secret" not in str(caught.value)


def test_addresses_are_shown_without_passwords() -> None:
    assert Database("postgresql://ada:secret@host:1/x?password=secret").url_for_people == "postgresql://ada@host:1/x"
    assert Database("sqlite:///runs.sqlite3").url_for_people == "sqlite:///runs.sqlite3"
