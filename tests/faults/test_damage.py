"""Objects that are not what was written: refused with their name, or made up for; never a result of something else."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from faults.without_servers import Serverless
from integration.console import assert_refused, call
from marks import long
from services.bench import OPTIONS, Bench, blocks
from services.tables import fitted, stopped_fit
from unit.master import serverless

Change = Callable[[dict[str, Any]], None]


def a_mean_changed_by_one_digit(manifest: dict[str, Any]) -> None:
    manifest["mean"][0] += 1e-3


def two_shards_swapped(manifest: dict[str, Any]) -> None:
    manifest["shards"].reverse()


def cells_said_to_be_there(manifest: dict[str, Any]) -> None:
    manifest["missing"], manifest["observed"] = 0, manifest["observed"] + 1


def the_transform_of_another(manifest: dict[str, Any]) -> None:
    manifest["transform"] = "log"


MANIFESTS = [a_mean_changed_by_one_digit, two_shards_swapped, cells_said_to_be_there, the_transform_of_another]

#: The same, all but one for `make test-all`.
ONE_OF_MANIFESTS = [MANIFESTS[0], *map(long, MANIFESTS[1:])]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = blocks(tmp_path_factory.mktemp("table"))
    values = np.load(path)
    values[3, 2] = np.nan
    np.save(path, values)
    return path


@pytest.fixture(scope="module")
def expected(table: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What ``fit`` makes of the table."""
    return fitted(table, tmp_path_factory.mktemp("fit") / "run", OPTIONS, n_shards=2)


@pytest.fixture
def bench(table: Path, tmp_path: Path) -> Iterator[Bench]:
    found = Bench.of(table, tmp_path)
    yield found
    found.database.close()


def rewrite(store: ObjectStore, key: str, change: Change) -> None:
    """Change a JSON object."""
    record = json.loads(bytes(store.get(key)))
    change(record)
    store.put(key, json.dumps(record).encode())


def manifest_of(bench: Bench, run: str) -> str:
    return f"{bench.service.run(run).shards_prefix}/manifest.json"


def fails(bench: Bench, run: str, key: str) -> None:
    """The run failed, and says which object is damaged."""
    found = bench.service.run(run)
    assert found.state == "FAILED"
    assert f"object {key} " in str(found.error)
    assert "is damaged" in str(found.error)


@pytest.mark.parametrize("change", MANIFESTS)
def test_a_changed_manifest_fails_the_run_by_its_name(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, change: Change
) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 5, lambda: bench.service.pause(run))
    key = manifest_of(bench, run)
    rewrite(bench.store, key, change)
    bench.service.resume(run)
    assert bench.runner().poll()
    fails(bench, run, key)


@pytest.mark.parametrize("change", ONE_OF_MANIFESTS)
def test_a_changed_manifest_is_used_by_no_later_run(bench: Bench, change: Change) -> None:
    run = bench.submit(Options(iterations=1))
    assert bench.runner().poll()
    key = manifest_of(bench, run)
    dataset = bench.service.run(run).dataset_id
    rewrite(bench.store, key, change)
    # Even if no run is left that was computed from it.
    bench.service.delete(run)
    later = bench.submit(Options(iterations=1), dataset=dataset)
    assert bench.runner().poll()
    fails(bench, later, key)


@pytest.mark.parametrize("change", ONE_OF_MANIFESTS)
def test_a_changed_manifest_fails_the_run_on_the_cluster(bench: Bench, change: Change) -> None:
    run = bench.submit()
    cluster = Serverless(bench)
    cluster.go_on(run, lambda: bench.service.progress(run).done > 3)
    key = manifest_of(bench, run)
    rewrite(bench.store, key, change)
    cluster.start_again()
    cluster.end(run)
    fails(bench, run, key)


def _other_seed(request: dict[str, Any]) -> None:
    request["options"]["seed"] += 1


def test_a_changed_request_fails_the_run_by_its_name(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 5, lambda: bench.service.pause(run))
    key = f"runs/{run}/request.json"
    rewrite(bench.store, key, _other_seed)
    bench.service.resume(run)
    assert bench.runner().poll()
    fails(bench, run, key)


def test_a_changed_request_fails_the_run_on_the_cluster(bench: Bench) -> None:
    run = bench.submit()
    cluster = Serverless(bench)
    cluster.go_on(run, lambda: bench.service.progress(run).done > 3)
    key = f"runs/{run}/request.json"
    rewrite(bench.store, key, _other_seed)
    cluster.start_again()
    cluster.end(run)
    fails(bench, run, key)


@pytest.mark.parametrize("what", ["dataset.json", "column_names.json", "chunks/000000.npy"])
def test_changed_data_fail_the_runs_that_are_to_be_computed_from_them(bench: Bench, what: str) -> None:
    first = bench.submit(Options(iterations=1))
    assert bench.runner().poll()
    dataset = bench.service.run(first).dataset_id
    key = f"datasets/{dataset}/{what}"
    body = bytearray(bench.store.get(key))
    body[-8] ^= 1
    bench.store.put(key, bytes(body))
    # Cut otherwise, so that the data are read again.
    run = bench.submit(Options(iterations=1), dataset=dataset, axis="columns")
    assert bench.runner().poll()
    fails(bench, run, key.replace("/000000.npy", ""))


def test_a_changed_transform_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit(transform="standardize")
    bench.after(monkeypatch, 5, lambda: bench.service.pause(run))
    key = manifest_of(bench, run).replace("manifest", "transform")
    bench.store.put(key, bytes(bench.store.get(key)).replace(b"1", b"2"))
    bench.service.resume(run)
    assert bench.runner().poll()
    fails(bench, run, key)


def test_a_run_from_before_there_were_seals_is_taken_as_it_is(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 5, lambda: bench.service.pause(run))
    with closing(sqlite3.connect(tmp_path / "runs.sqlite3")) as database:
        for statement in (
            "UPDATE runs SET request_seal = NULL, shards_seal = NULL",
            "UPDATE datasets SET seal = NULL",
            "DELETE FROM shard_sets",
        ):
            database.execute(statement)
        database.commit()
    for key, names in (
        (manifest_of(bench, run), ["dataset_seal", "transform_seal"]),
        (_dataset(bench, run), ["names"]),
    ):
        rewrite(bench.store, key, lambda record, names=names: [record.pop(name) for name in names])  # type: ignore[misc]
    bench.service.resume(run)
    assert bench.runner().poll()
    assert bench.record(run)["digest"] == expected["digest"]


def _dataset(bench: Bench, run: str) -> str:
    return f"datasets/{bench.service.run(run).dataset_id}/dataset.json"


@pytest.mark.parametrize("kind", ["labels", "states"])
def test_a_chain_goes_back_behind_a_damaged_object(
    bench: Bench, expected: dict[str, Any], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does so by itself, and ends as if nothing had been."""
    monkeypatch.setattr(serverless, "SETTINGS", serverless.SETTINGS.model_copy(update={"inline_bytes": 0}))
    run = bench.submit()
    cluster = Serverless(bench)
    cluster.go_on(run, lambda: bench.service.progress(run).done > 8)
    books = Books.of(bench.database)
    newest = books.checkpoints.of_chain(run, books.chains.live()[0].stream)[0]
    key = newest.labels[0] if kind == "labels" else str(newest.state_key)
    bench.store.put(key, b"\0" + bytes(bench.store.get(key)))
    cluster.start_again()
    cluster.end(run)
    assert bench.service.run(run).error is None
    assert bench.record(run)["digest"] == expected["digest"]
    assert "rewound" in [event.kind for event in bench.service.events(run)]


@pytest.mark.parametrize(
    ("name", "change"),
    [("request.json", _other_seed), *(("shards/manifest.json", change) for change in MANIFESTS)],
)
def test_a_run_folder_that_was_changed_is_not_gone_on_with(
    table: Path, tmp_path: Path, name: str, change: Change
) -> None:
    folder = stopped_fit(table, tmp_path / "run", OPTIONS, n_shards=2)
    rewrite(folder.store(), name, change)
    assert_refused(call("resume", folder.path), name, "damaged", code=1)


def test_a_run_folder_from_before_there_were_seals_is_gone_on_with(
    table: Path, tmp_path: Path, expected: dict[str, Any]
) -> None:
    folder = stopped_fit(table, tmp_path / "run", OPTIONS, n_shards=2)
    folder.seals.unlink()
    assert call("resume", folder.path, "--json").record["digest"] == expected["digest"]


def test_the_seals_of_a_run_folder_are_looked_at_too(table: Path, tmp_path: Path) -> None:
    folder: RunFolder = stopped_fit(table, tmp_path / "run", OPTIONS, n_shards=2)
    folder.seals.write_bytes(b"{")
    assert_refused(call("resume", folder.path), "seals.json", "damaged", code=1)


#: Objects of a run under way, and of the data it is computed from.
KINDS = ["shards", "labels", "states", "draws", "request", "manifest", "transform"]


def _objects(bench: Bench, run: str, kind: str) -> list[str]:
    prefix = str(bench.service.run(run).shards_prefix)
    if kind in ("manifest", "transform"):
        return [f"{prefix}/{kind}.json"]
    if kind == "request":
        return [f"runs/{run}/request.json"]
    return bench.store.list(f"{prefix}/shards" if kind == "shards" else f"runs/{run}/{kind}")


@pytest.mark.parametrize(
    ("kind", "which"), [*((kind, "the last") for kind in KINDS), ("labels", "all"), ("states", "all")]
)
def test_one_bit_of_any_object_gives_no_other_result(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch, kind: str, which: str
) -> None:
    """The run ends with the result of an undisturbed one, or fails and names the object."""
    run = bench.submit()
    # Within the second chain, when the first has left its draws.
    bench.after(monkeypatch, 26, lambda: bench.service.pause(run))
    keys = _objects(bench, run, kind)
    assert keys
    chosen = keys if which == "all" else keys[-1:]
    for key in chosen:
        body = bytearray(bench.store.get(key))
        body[len(body) // 2] ^= 1
        bench.store.put(key, bytes(body))
    bench.service.resume(run)
    assert bench.runner().poll()
    found = bench.service.run(run)
    if kind in ("labels", "states"):
        assert found.error is None
        assert bench.record(run)["digest"] == expected["digest"]
    else:
        assert found.state == "FAILED"
        # Draws are named within their run.
        assert chosen[0].removeprefix(f"runs/{run}/") in str(found.error)


def test_a_draw_of_another_run_is_no_draw_of_this_one(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is whole, and fits the data: only the database knows that it is not what was written."""
    other = bench.submit(Options(iterations=6, burn_in=2, draws=4, seed=8))
    bench.after(monkeypatch, 7, lambda: bench.service.pause(other))
    theirs = bytes(bench.store.get(bench.store.list(f"runs/{other}/draws")[0]))
    run = bench.submit(Options(iterations=6, burn_in=2, draws=4, seed=9), dataset=bench.service.run(other).dataset_id)
    bench.after(monkeypatch, 7, lambda: bench.service.pause(run))
    key = bench.store.list(f"runs/{run}/draws")[0]
    bench.store.put(key, theirs)
    bench.service.resume(run)
    assert bench.runner().poll()
    assert bench.service.run(run).state == "FAILED"
    assert "draws/0/3.npz" in str(bench.service.run(run).error)


def test_a_draw_that_nobody_made_is_not_looked_at(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 26, lambda: bench.service.pause(run))
    one = bench.store.list(f"runs/{run}/draws")[0]
    bench.store.put(one.rpartition("/")[0] + "/11.npz", bytes(bench.store.get(one)))
    bench.service.resume(run)
    assert bench.runner().poll()
    assert bench.record(run)["posterior"] == expected["posterior"]
