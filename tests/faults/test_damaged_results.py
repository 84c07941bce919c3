"""Files of finished runs that are not what was written: refused with their name, wherever they are asked for."""

from __future__ import annotations

import io
import sqlite3
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from disnplbm.engine.options import Options
from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore
from disnplbm.runs import results as results_module
from disnplbm.runs.request import Request
from disnplbm.runs.results import RESULT_FILES, Results, put_results
from integration.console import assert_refused, call
from services.bench import blocks
from services.dashboard import ServedDashboard
from unit.dashboard.conftest import Dashboard

#: With draws, so that there are all files.
OPTIONS = {"iterations": 6, "burn_in": 2, "draws": 2}

#: Where the API sends what of a file: the path below the run, and the headers.
WAYS: dict[str, tuple[str, dict[str, str]]] = {
    "all": ("artifacts/{name}", {}),
    "a part": ("artifacts/{name}", {"Range": "bytes=0-3"}),
    "the last byte": ("artifacts/{name}", {"Range": "bytes=-1"}),
    "an archive": ("artifacts.zip", {}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def dashboard(folder: Path) -> Iterator[Dashboard]:
    found = Dashboard(folder)
    yield found
    found.database.close()


@pytest.fixture(scope="module")
def run(dashboard: Dashboard, folder: Path) -> str:
    """A finished run; what a test changes of it is as it was afterwards."""
    return finished(dashboard, blocks(folder))


@pytest.fixture(scope="module")
def other(dashboard: Dashboard, run: str, folder: Path) -> str:
    """Another one of the same table."""
    return finished(dashboard, folder / "x.npy")


def finished(dashboard: Dashboard, table: Path) -> str:
    found = dashboard.submit(dashboard.upload(table.read_bytes(), "x.npy"), options=OPTIONS)
    dashboard.finish()
    return found


def key(run: str, name: str) -> str:
    return f"runs/{run}/results/{name}"


@contextmanager
def changed(store: ObjectStore, key: str) -> Iterator[bytes]:
    """One bit of an object is another for a while; what it was."""
    before = bytes(store.get(key))
    body = bytearray(before)
    body[len(body) // 2] ^= 1
    store.put(key, bytes(body))
    try:
        yield before
    finally:
        store.put(key, before)


def refused(answer: Any, key: str) -> None:
    assert answer.status_code == 500, answer.status
    assert answer.json["type"] == "urn:disnplbm:problem:storage"
    assert f"object {key} " in answer.json["detail"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", RESULT_FILES)
def test_no_byte_of_a_changed_file_is_sent(dashboard: Dashboard, run: str, name: str, way: str) -> None:
    path, headers = WAYS[way]
    where = f"/runs/{run}/{path.format(name=name)}"
    assert dashboard.get(where, headers=headers).status_code in (200, 206)
    # It was whole when it was last asked for.
    with changed(dashboard.store, key(run, name)):
        answer = dashboard.get(where, headers=headers)
    refused(answer, key(run, name))
    assert "is damaged" in answer.json["detail"]


@pytest.mark.parametrize("path", ["artifacts/rows.csv?spreadsheet=1", "artifacts.zip?spreadsheet=1"])
def test_nor_in_a_table_for_a_spreadsheet(dashboard: Dashboard, run: str, path: str) -> None:
    with changed(dashboard.store, key(run, "rows.csv")):
        refused(dashboard.get(f"/runs/{run}/{path}"), key(run, "rows.csv"))


@pytest.mark.parametrize("name", ["rows.csv", "columns.csv", "run.json"])
def test_nor_is_it_compared(dashboard: Dashboard, run: str, other: str, name: str) -> None:
    assert dashboard.get(f"/compare?runs={run},{other}").status_code == 200
    with changed(dashboard.store, key(other, name)):
        refused(dashboard.get(f"/compare?runs={run},{other}"), key(other, name))


def test_nor_drawn(dashboard: Dashboard, run: str) -> None:
    with changed(dashboard.store, key(run, "heatmap.npz")):
        refused(dashboard.get(f"/runs/{run}/heatmap?width=10&height=10"), key(run, "heatmap.npz"))


def test_nor_downloaded(dashboard: Dashboard, run: str, tmp_path: Path) -> None:
    """By the client that asks the database and the store; what was whole is there, and the rest is not."""
    said = rf"object {key(run, 'draws.npz')} .* is damaged"
    with changed(dashboard.store, key(run, "draws.npz")), pytest.raises(RunError, match=said):
        dashboard.backend.service.fetch_result(run, tmp_path / "out")
    there = {path.name for path in (tmp_path / "out").iterdir()}
    assert "draws.npz" not in there
    assert there < set(RESULT_FILES)


def test_nor_over_the_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = ServedDashboard(tmp_path)
    try:
        dataset = served.service.add_dataset(blocks(tmp_path))
        run = submitted(served, dataset.id)
        served.finish()
        monkeypatch.setenv("DISNPLBM_SERVER", f"http://127.0.0.1:{served.port}")
        with changed(served.store, key(run, "draws.npz")):
            outcome = call("download", run, "--output", tmp_path / "out")
        assert_refused(outcome, key(run, "draws.npz"), "is damaged", code=1)
        assert not (tmp_path / "out" / "draws.npz").exists()
    finally:
        served.close()


def test_a_missing_file_is_named_and_a_strange_one_is_none(dashboard: Dashboard, run: str) -> None:
    with changed(dashboard.store, key(run, "rows.csv")):
        dashboard.store.delete([key(run, "rows.csv")])
        answer = dashboard.get(f"/runs/{run}/artifacts/rows.csv")
        refused(answer, key(run, "rows.csv"))
        assert "is missing" in answer.json["detail"]
        refused(dashboard.get(f"/runs/{run}/artifacts"), key(run, "rows.csv"))
    dashboard.store.put(key(run, "report.exe"), b"MZ")
    assert dashboard.get(f"/runs/{run}/artifacts/report.exe").status_code == 404
    assert len(dashboard.get(f"/runs/{run}/artifacts").json["items"]) == len(RESULT_FILES)


def test_a_file_that_is_restored_is_served_again(dashboard: Dashboard, run: str) -> None:
    with changed(dashboard.store, key(run, "rows.csv")) as before:
        refused(dashboard.get(f"/runs/{run}/artifacts/rows.csv"), key(run, "rows.csv"))
    assert dashboard.get(f"/runs/{run}/artifacts/rows.csv").data == before
    archive = zipfile.ZipFile(io.BytesIO(dashboard.get(f"/runs/{run}/artifacts.zip").data))
    assert archive.read(f"{run}/rows.csv") == before


def test_results_from_before_there_were_seals_are_taken_as_they_are(
    dashboard: Dashboard, other: str, folder: Path
) -> None:
    with closing(sqlite3.connect(folder / "runs.sqlite3")) as database:
        database.execute("UPDATE runs SET result_seals = NULL WHERE id = ?", (other,))
        database.commit()
    with changed(dashboard.store, key(other, "rows.csv")):
        assert dashboard.get(f"/runs/{other}/artifacts/rows.csv").status_code == 200
    assert len(dashboard.get(f"/runs/{other}/artifacts").json["items"]) == len(RESULT_FILES)


def test_a_large_file_is_read_once_more_and_not_each_time(
    dashboard: Dashboard, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, size = 0, dashboard.store.size(key(run, "draws.npz"))
    parts, trusted = ObjectStore.parts, results_module._TRUSTED_SECONDS

    def counting(*arguments: Any, **options: Any) -> Iterator[memoryview]:
        nonlocal read
        for part in parts(*arguments, **options):
            read += len(part)
            yield part

    # As after a restart.
    dashboard.backend.results._checked.clear()
    monkeypatch.setattr(ObjectStore, "parts", counting)
    where = f"/runs/{run}/artifacts/draws.npz"
    assert len(dashboard.get(where).data) == size
    assert read == 2 * size
    for first in range(10):
        assert len(dashboard.get(where, headers={"Range": f"bytes={first}-{first}"}).data) == 1
    assert read == 2 * size + 10
    # A disk may have lost some of it since.
    dashboard.backend.results._checked.expire(time.monotonic() + trusted - 60)
    assert len(dashboard.get(where, headers={"Range": "bytes=0-0"}).data) == 1
    assert read == 2 * size + 11
    dashboard.backend.results._checked.expire(time.monotonic() + trusted)
    assert len(dashboard.get(where, headers={"Range": "bytes=0-0"}).data) == 1
    assert read == 3 * size + 12


def test_a_process_that_comes_late_replaces_nothing(dashboard: Dashboard, run: str, tmp_path: Path) -> None:
    """A master that was frozen over the results: another one has put and sealed them meanwhile."""
    folder = tmp_path / "late"
    folder.mkdir()
    for name in ("rows.csv", "run.json"):
        (folder / name).write_text("late")
    books = dashboard.backend.books
    assert put_results(dashboard.store, run, folder, lambda: books.runs.is_running(run)) is None
    assert dashboard.get(f"/runs/{run}/artifacts.zip").status_code == 200
    assert Results(dashboard.store).get(dashboard.backend.service.run(run), "rows.csv") != b"late"


def submitted(served: ServedDashboard, dataset: str) -> str:
    return served.service.submit(dataset, Request("x", "x", n_shards=2), Options(**OPTIONS).to_dict()).id
