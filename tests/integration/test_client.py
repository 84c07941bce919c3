"""Runs of a cluster from the command line, on SQLite and a folder; the embedded engine takes the master's place."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Iterator
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from disnplbm.cli.main import COMMANDS
from disnplbm.engine.options import Options
from disnplbm.objects import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Iteration
from disnplbm.runs.results import RESULT_FILES
from disnplbm.runs.service import RunService
from disnplbm.settings import settings
from disnplbm_dashboard.embedded.runner import Runner

from .console import Outcome, assert_refused, blocks, call, fit, save_csv

OPTIONS = ("--iterations", 6, "--burn-in", 3, "--seed", 4, "--shards", 2, "--id-column", "id")


class Cluster:
    """The database and the object store that the settings name."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.database = folder, Database(f"sqlite:///{folder}/runs.sqlite3")
        self.store = open_store(folder / "store")
        self.books, self.service = Books.of(self.database), RunService(self.database, self.store)

    def submit(self, *options: object) -> str:
        """Hand in the small table; the run's id."""
        outcome = call("submit", self.folder / "table.csv", *OPTIONS, "--json", *options)
        assert outcome.code == 0, outcome
        return str(outcome.record["run"])

    def begin(self, run: str) -> None:
        """Let a run be under way."""
        assert self.books.runs.start(run, "shards/none", 2)

    def drive(self, run: str) -> None:
        """Bring a run to its end."""
        runner = Runner(self.database, self.store, threads=1)
        while runner.poll():
            pass
        assert self.service.run(run).state == "SUCCEEDED", self.service.run(run).error


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """An empty cluster with its tables, and table.csv beside it."""
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/runs.sqlite3")
    monkeypatch.setenv("DISNPLBM_STORE_URL", str(tmp_path / "store"))
    # Ports that nothing listens on.
    monkeypatch.setenv("DISNPLBM_BROKER_URL", "amqp://someone:secret@127.0.0.1:1//")
    monkeypatch.setenv("DISNPLBM_REDIS_URL", "redis://:secret@127.0.0.1:1/0")
    settings.cache_clear()
    assert call("migrate").code == 0
    x, _, _ = blocks()
    save_csv(tmp_path / "table.csv", x, [f"r{i}" for i in range(len(x))])
    found = Cluster(tmp_path)
    yield found
    found.database.close()
    settings.cache_clear()


def folders(path: Path) -> set[Path]:
    """Folders in a folder; besides, SQLite's own files come and go."""
    return {entry for entry in path.iterdir() if entry.is_dir()}


def said(outcome: Outcome) -> str:
    assert outcome.code == 0, outcome
    assert outcome.err == ""
    return outcome.out


# --- submit and status --------------------------------------------------------------------------------------------


def test_submit_uploads_the_file_and_hands_in_a_run(cluster: Cluster) -> None:
    out = said(call("submit", cluster.folder / "table.csv", *OPTIONS, "--transform", "standardize", "--chains", 2))
    (run,) = cluster.service.runs()
    assert f"run        {run.id}\n" in out
    assert f"disnplbm watch {run.id}" in out
    assert (run.state, run.name, run.n_shards_wanted, run.transform) == ("PENDING", "table.csv", 2, "standardize")
    assert Options.from_dict(run.options) == Options(iterations=6, burn_in=3, seed=4, chains=2)
    dataset = cluster.service.dataset(run.dataset_id)
    assert dataset.reading == {"id_column": "id", "class_column": None, "header": "auto"}
    assert bytes(cluster.store.get(dataset.upload_key)) == (cluster.folder / "table.csv").read_bytes()


@pytest.mark.parametrize(
    "options",
    [
        ("--iterations", 0),
        ("--iterations", 10**20),
        ("--chains", 10**8),
        ("--restarts", 2 * 10**6),
        ("--seed", 2**70),
        ("--transform", "cube"),
        ("--id-column", "nobody"),
        ("--start", "nowhere"),
    ],
    ids=str,
)
def test_submit_refuses_what_fit_refuses_before_anything_is_sent(cluster: Cluster, options: tuple[object, ...]) -> None:
    file = cluster.folder / "table.csv"
    refused = assert_refused(call("submit", file, *options))
    assert refused == assert_refused(call("fit", file, *options, "--output", cluster.folder / "run"))
    assert cluster.service.datasets() == []
    assert cluster.store.list() == []


def test_a_file_may_have_any_name(cluster: Cluster) -> None:
    """Bytes that are no UTF-8 on disk, and what a terminal takes for commands."""
    folder = cluster.folder / "$(touch odd)"
    folder.mkdir()
    file = folder / "a\udcff\n\x1b[31m ü.csv"
    file.write_bytes((cluster.folder / "table.csv").read_bytes())
    outcome = call("submit", file, *OPTIONS, "--json")
    assert outcome.code == 0, outcome
    assert outcome.record["name"] == "a\\udcff\\n\\x1b[31m ü.csv"
    assert outcome.record["name"] in said(call("status"))
    assert not (cluster.folder / "odd").exists()


def test_submit_takes_every_option_of_fit_that_the_result_depends_on() -> None:
    fit_options, submit_options = (
        {option for option in call(name, "--help").out.split() if option.startswith("--")} for name in ("fit", "submit")
    )
    assert fit_options - submit_options == {"--output", "--threads", "--memory", "--force"}


def test_status_lists_runs_newest_first(cluster: Cluster) -> None:
    assert "there are no runs" in said(call("status"))
    first, second = cluster.submit(), cluster.submit()
    cluster.begin(first)
    lines = said(call("status")).splitlines()
    assert [line.split()[:2] for line in lines] == [["RUN", "STATE"], [second, "PENDING"], [first, "RUNNING"]]
    assert [run["run"] for run in call("status", "--json").record["runs"]] == [second, first]
    assert first in said(call("status", "--state", "RUNNING"))
    assert second not in said(call("status", "--state", "RUNNING"))
    assert len(call("status", "--limit", 1, "--json").record["runs"]) == 1


def test_status_of_one_run_says_what_happened_to_it(cluster: Cluster) -> None:
    run = cluster.submit()
    cluster.begin(run)
    assert cluster.books.runs.fail(run, "shard 1 was swept 3 times in vain")
    out = said(call("status", run[:6]))
    for words in (run, "FAILED", "0 of 6 iterations", "shard 1 was swept 3 times in vain", "PENDING by cli"):
        assert words in out
    record = call("status", run, "--json").record
    assert (record["state"], record["error"]) == ("FAILED", "shard 1 was swept 3 times in vain")


@pytest.mark.parametrize("command", ["status", "watch", "pause", "cancel", "download", "resume"])
def test_a_run_that_is_not_there_is_one_line(cluster: Cluster, command: str) -> None:
    assert_refused(call(command, "abcdef"), "there is no run abcdef", "disnplbm status")


# --- pause, resume, cancel ----------------------------------------------------------------------------------------


def test_a_run_is_paused_resumed_and_cancelled(cluster: Cluster) -> None:
    run = cluster.submit()
    assert_refused(call("pause", run), run, "PENDING")
    cluster.begin(run)
    assert f"disnplbm resume {run}" in said(call("pause", run, "--reason", "lunch"))
    assert cluster.service.run(run).state == "PAUSED"
    assert said(call("resume", run[:5])).startswith(f"run {run} (table.csv) is RUNNING")
    assert cluster.service.run(run).epoch == 1
    assert said(call("cancel", run, "--reason", "enough")) == f"run {run} (table.csv) is CANCELLED\n"
    assert_refused(call("resume", run), "CANCELLED")
    events = [(event.to_state, event.actor, event.reason) for event in cluster.service.events(run)]
    assert [event for event in events if event[1] == "cli"] == [
        ("PENDING", "cli", ""),
        ("PAUSED", "cli", "lunch"),
        ("RUNNING", "cli", ""),
        ("CANCELLED", "cli", "enough"),
    ]


def test_resume_takes_a_folder_before_a_run(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = cluster.submit()
    cluster.begin(run)
    assert call("pause", run).code == 0
    monkeypatch.chdir(tmp_path)
    (tmp_path / run).mkdir()
    assert_refused(call("resume", run), f"{run} is not the folder of an interrupted run")
    assert cluster.service.run(run).state == "PAUSED"
    (tmp_path / run).rmdir()
    assert call("resume", run, "--json").record["state"] == "RUNNING"


# --- watch and download -------------------------------------------------------------------------------------------


def test_a_run_that_succeeded_is_watched_and_downloaded_as_fit_would_have_written_it(cluster: Cluster) -> None:
    run = cluster.submit()
    cluster.drive(run)
    local = fit(cluster.folder / "table.csv", cluster.folder / "local", *OPTIONS[2:], iterations=6)
    assert local.code == 0, local
    watched = call("watch", run, "--json")
    assert watched.record["run"] == run
    assert watched.record["digest"] == local.record["digest"]
    out = said(call("watch", run))
    assert f"disnplbm download {run}" in out
    assert "clusters   3 x 2" in out
    # Of the consensus, even where the last iteration was another.
    with cluster.database.session() as session:
        session.execute(update(Iteration).values(log_joint=0.0, row_clusters=9))
    names = ("row_clusters", "column_clusters", "log_joint")
    of_status = call("status", run, "--json").record
    assert [of_status[name] for name in names] == [local.record[name] for name in names]
    assert f"reported   K 3  L 2  log joint {local.record['log_joint']:,.1f}\n" in said(call("status", run))

    folder = cluster.folder / "fetched"
    assert str(folder / "report.html") in said(call("download", run, "--output", folder))
    assert {file.name for file in folder.iterdir()} == set(RESULT_FILES)
    for name in ("rows.csv", "columns.csv", "blocks.csv", "draws.npz", "similarity.npz", "heatmap.npz"):
        assert (folder / name).read_bytes() == (cluster.folder / "local" / name).read_bytes(), name
    assert call("predict", folder, cluster.folder / "table.csv", "--id-column", "id").code == 0


def test_a_download_never_takes_the_place_of_something_else(cluster: Cluster, tmp_path: Path) -> None:
    run = cluster.submit()
    cluster.drive(run)
    folder = tmp_path / "fetched"
    folder.mkdir()
    (folder / "rows.csv").write_text("mine")
    assert_refused(call("download", run, "--output", folder), "not empty", "--force")
    assert_refused(call("download", run, "--output", folder, "--force"), "rows.csv", "not of a run")
    assert {file.name: file.read_text() for file in folder.iterdir()} == {"rows.csv": "mine"}

    (folder / "rows.csv").unlink()
    (folder / "notes.txt").write_text("mine")
    assert call("download", run, "--output", folder, "--force").code == 0
    assert_refused(call("download", run, "--output", folder), "not empty")
    (folder / "trace.csv").write_text("damaged")
    assert call("download", run, "--output", folder, "--force").code == 0
    assert (folder / "notes.txt").read_text() == "mine"
    assert (folder / "trace.csv").read_text().startswith("iteration,")
    assert {file.name for file in folder.iterdir()} == {"notes.txt", *RESULT_FILES}


@pytest.mark.parametrize("state", ["PENDING", "RUNNING", "FAILED", "CANCELLED"])
def test_a_download_is_refused_before_the_end(
    cluster: Cluster, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = cluster.submit()
    if state != "PENDING":
        cluster.begin(run)
    if state == "FAILED":
        cluster.books.runs.fail(run, "a disk was full")
    if state == "CANCELLED":
        cluster.service.cancel(run)
    before = folders(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert_refused(call("download", run), run, state)
    assert folders(tmp_path) == before


def test_watch_ends_with_the_reason_of_a_failure(cluster: Cluster) -> None:
    run = cluster.submit()
    assert cluster.books.runs.fail(run, "row 3: 'x' is no number")
    assert_refused(call("watch", run), "row 3: 'x' is no number", f"disnplbm resume {run}", code=1)


def test_watch_ends_when_a_run_is_cancelled_meanwhile(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    run = cluster.submit()
    monkeypatch.setattr(time, "sleep", lambda _: cluster.service.cancel(run))
    assert_refused(call("watch", run), run, "cancelled", code=1)


def test_a_watcher_that_is_interrupted_leaves_the_run_alone(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", interrupt)
    outcome = call("submit", cluster.folder / "table.csv", *OPTIONS, "--watch", "--json")
    (run,) = cluster.service.runs()
    assert_refused(outcome, "stopped watching", f"disnplbm watch {run.id}", code=130)
    assert run.state == "PENDING"


# --- doctor, migrate and what is missing --------------------------------------------------------------------------


def test_doctor_says_what_is_wrong_and_how_to_mend_it(cluster: Cluster) -> None:
    outcome = call("doctor")
    assert outcome.code == 1
    assert outcome.err == ""
    lines = {line.split()[0]: line for line in outcome.out.splitlines()}
    assert {name: line.split()[1] for name, line in lines.items()} == {
        "database": "ok",
        "store": "ok",
        "broker": "WRONG",
        "redis": "WRONG",
    }
    assert "DISNPLBM_BROKER_URL" in lines["broker"]
    assert "DISNPLBM_REDIS_URL" in lines["redis"]
    assert "secret" not in outcome.out
    assert cluster.store.list() == []
    checks = call("doctor", "--json").record
    assert not checks["ok"]
    assert [check["ok"] for check in checks["checks"]] == [True, True, False, False]


def test_doctor_sees_a_store_that_cannot_be_written(cluster: Cluster) -> None:
    # Not by permissions, which root need not heed.
    (cluster.folder / "store" / "probes").write_text("")
    outcome = call("doctor", "--json")
    store = next(check for check in outcome.record["checks"] if check["name"] == "store")
    assert not store["ok"]
    assert "DISNPLBM_STORE_URL" in store["text"]


def test_a_database_without_tables_is_one_line(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/new.sqlite3")
    settings.cache_clear()
    assert_refused(call("status"), "disnplbm migrate", code=1)
    assert "up to date" in said(call("migrate"))
    assert "there are no runs" in said(call("status"))


def test_a_file_that_is_no_database_is_one_line(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/table.csv")
    settings.cache_clear()
    for command in (("status",), ("migrate",), ("watch", "abcd")):
        assert_refused(call(*command), "no database", "DISNPLBM_DATABASE_URL", code=1)
    checks = call("doctor", "--json").record["checks"]
    assert [check["ok"] for check in checks if check["name"] == "database"] == [False]


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ada:s3@cret@127.0.0.1:1/x",
        "postgresql://ada:s3/c@ret@127.0.0.1:1/x",
        "postgresql://ada:s3cret@127.0.0.1:port/x",
        "postgresql://127.0.0.1:1/x?user=ada&password=s3cret",
        "mysql://ada:s3cret@127.0.0.1:1/x",
    ],
)
def test_no_piece_of_a_password_is_said(cluster: Cluster, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", address)
    settings.cache_clear()
    outcome = call("status")
    assert_refused(outcome, "DISNPLBM_DATABASE_URL", code=outcome.code)
    for piece in ("s3", "cret", "c@ret"):
        assert piece not in outcome.err


def test_a_package_that_is_missing_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: Any) -> None:
        raise ModuleNotFoundError("No module named 'celery'", name="celery")

    (point,) = entry_points(group="disnplbm.commands", name="worker")
    monkeypatch.setattr(type(point), "load", missing)
    assert call("--help").code == 0
    assert_refused(call("worker"), "celery", "pip install 'disnplbm[cluster]'")


def test_services_add_their_commands() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert set(project["entry-points"]["disnplbm.commands"]) == {"master", "serve", "token", "worker"}
    out = said(call("--help"))
    for name in (*COMMANDS, "submit", "doctor", "master", "serve", "token", "worker"):
        assert f"\n  {name} " in out
