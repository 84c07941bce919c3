"""What nobody needs any more goes, and nothing else."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import update

from disnplbm.cli.main import cli
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.runs.books import Books
from disnplbm.runs.cleaning import find_litter
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Dataset, PartialUpload, Run
from disnplbm.runs.part import now
from disnplbm.runs.partial import PartialUploads
from disnplbm.runs.service import RunService
from disnplbm.settings import settings
from recorded_runs import labels_key, run_to, started

DAY = timedelta(days=1)


class Place:
    """A database and a folder of objects that can be made to look old."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(f"sqlite:///{folder}/runs.sqlite3")
        self.database.migrate()
        self.store: ObjectStore = open_store(folder / "store")
        self.service = RunService(self.database, self.store)
        self.books = Books.of(self.database)

    def put(self, *keys: str, days: float = 8) -> None:
        """Objects, written so long ago."""
        at = time.time() - days * DAY.total_seconds()
        for key in keys:
            self.store.put(key, b"1234")
            os.utime(self.folder / "store" / key, (at, at))

    def age(self, days: float = 8) -> None:
        """All objects are so old from now on."""
        self.put(*self.store.list(), days=days)

    def find_litter(self) -> dict[str, list[str]]:
        """What may go, by prefix."""
        return {found.prefix: found.keys for found in find_litter(self.database, self.store, 7 * DAY)}

    def clean(self, *arguments: str) -> list[dict[str, Any]]:
        """`disnplbm clean`: what it says it removed."""
        done = CliRunner().invoke(cli, ["clean", "--json", *arguments], catch_exceptions=False)
        assert done.exit_code == 0
        removed: list[dict[str, Any]] = json.loads(done.stdout)["removed"]
        return removed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    monkeypatch.setenv("DISNPLBM_DATABASE_URL", f"sqlite:///{tmp_path}/runs.sqlite3")
    monkeypatch.setenv("DISNPLBM_STORE_URL", str(tmp_path / "store"))
    settings.cache_clear()
    found = Place(tmp_path)
    yield found
    found.database.close()
    settings.cache_clear()


def test_what_nothing_names_is_found_once_it_is_old(place: Place) -> None:
    run = started(place.service, place.books, place.folder)
    shards = f"shards/0a1b-{run.dataset_id}-none-rows-2/manifest.json"
    place.put(shards)
    place.age()
    assert place.find_litter() == {}
    gone = ["datasets/0123456789ab/dataset.json", "runs/0123456789ab/request.json", "uploads/0123456789ab/table.csv"]
    gone.append("shards/0a1b-0123456789ab-none-rows-2/manifest.json")
    place.put(*gone)
    place.put("uploads/ba9876543210/parts/000000", days=30)
    place.put("uploads/ba9876543210/parts/000001", days=1)
    assert sorted(key for keys in place.find_litter().values() for key in keys) == sorted(gone)
    place.put("uploads/ba9876543210/parts/000001", days=8)
    assert "uploads/ba9876543210" in place.find_litter()


def test_an_upload_under_way_is_not_found(place: Place) -> None:
    uploads = PartialUploads(place.database, place.store)
    record = uploads.begin("table.csv", 4, sha256=None, reading={}, actor="ada")
    uploads.put(record.id, 0, [b"1,2\n"])
    place.age()
    assert place.find_litter() == {}


def test_of_a_run_under_way_only_iterations_that_it_never_goes_back_to(place: Place) -> None:
    run = started(place.service, place.books, place.folder, iterations=40).id
    run_to(place.books, run, 23)
    labels = [labels_key(run, iteration, shard) for iteration in range(24) for shard in range(2)]
    states = {f"runs/{run}/states/0/{iteration}/state-aa" for iteration in range(1, 25)}
    place.put(*labels, *states)
    kept = {
        f"runs/{run}/labels/0/{checkpoint.iteration - 1}" for checkpoint in place.books.checkpoints.of_chain(run, 0)
    }
    kept.add(f"runs/{run}/labels/0/23")
    gone = set(place.find_litter()[f"runs/{run}"])
    found = gone - states
    assert {int(key.split("/")[4]) - 1 for key in states - gone} == {int(prefix.split("/")[4]) for prefix in kept}
    assert {key.rpartition("/")[0] for key in labels} - {key.rpartition("/")[0] for key in found} == kept
    assert len(found) == len(labels) - 2 * len(kept)


def test_of_a_run_that_is_over_only_its_results_stay(place: Place) -> None:
    run = started(place.service, place.books, place.folder).id
    place.service.cancel(run)
    work = [f"runs/{run}/labels/0/3/0", f"runs/{run}/statistics/0/3/0", f"runs/{run}/states/0/3-aa"]
    place.put(*work, f"runs/{run}/results/run.json", f"runs/{run}/draws/0/3.npz")
    place.age()
    assert {prefix: sorted(keys) for prefix, keys in place.find_litter().items()} == {f"runs/{run}": sorted(work)}


def test_the_command_removes_it_and_says_so(place: Place) -> None:
    run = started(place.service, place.books, place.folder)
    place.age()
    place.put("uploads/0123456789ab/table.csv")
    before = place.store.list()
    found = [{"why": "named by nothing", "what": "uploads/0123456789ab", "objects": 1, "bytes": 4}]
    assert place.clean("--dry-run") == found
    assert place.store.list() == before
    assert place.clean("--objects-older-than", "4w") == []
    assert place.clean() == found
    assert place.store.list() == [key for key in before if "0123456789ab" not in key]
    assert place.clean() == []
    assert place.service.run(run.id).state == "RUNNING"


def test_old_runs_and_datasets_go_when_it_is_asked_for(place: Place) -> None:
    run = started(place.service, place.books, place.folder)
    live = started(place.service, place.books, place.folder)
    place.service.cancel(run.id)
    with place.database.session() as session:
        session.execute(update(Run).where(Run.id == run.id).values(finished_at=now() - 20 * DAY))
        session.execute(update(Dataset).values(created_at=now() - 20 * DAY))
    assert place.clean() == []
    assert place.clean("--runs-older-than", "21d", "--datasets-older-than", "21d") == []
    removed = place.clean("--runs-older-than", "19d", "--datasets-older-than", "19d")
    assert [one["what"] for one in removed] == [f"run {run.id}", f"dataset {run.dataset_id}"]
    assert [one.id for one in place.service.runs()] == [live.id]
    assert [one.id for one in place.service.datasets()] == [live.dataset_id]


def test_an_abandoned_upload_goes(place: Place) -> None:
    uploads = PartialUploads(place.database, place.store)
    record = uploads.begin("table.csv", 4, sha256=None, reading={}, actor="ada")
    uploads.put(record.id, 0, [b"1,2\n"])
    assert place.clean() == []
    with place.database.session() as session:
        session.execute(update(PartialUpload).values(touched_at=now() - 3 * DAY))
    assert place.clean() == [{"why": "abandoned", "what": f"upload {record.id}"}]
    assert place.store.list() == []
