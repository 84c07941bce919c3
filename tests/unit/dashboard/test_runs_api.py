"""Runs over the API, on the embedded engine where they need one."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm import NPLBM
from disnplbm.engine.options import Options, lengths
from disnplbm.runs.iteration_id import IterationId
from disnplbm_dashboard.lists.sorting import SORTS
from disnplbm_dashboard.schemas.runs import RunOptions
from recorded_runs import entry

from .conftest import API, Dashboard


def test_a_run_from_upload_to_results(dashboard: Dashboard, table: bytes) -> None:
    dataset = dashboard.upload(table, id_column="id")
    made = dashboard.post("/runs", {"dataset": dataset, "shards": 2, "options": {"iterations": 5, "seed": 3}})
    assert made.status_code == 201
    run = made.json["id"]
    assert made.headers["Location"] == f"{API}/runs/{run}"
    assert made.json["allowed_actions"] == ["cancel", "clone"]
    assert (made.json["state"], made.json["stage"]) == ("PENDING", "reading")
    dashboard.finish()
    found = dashboard.get(f"/runs/{run}").json
    assert (found["state"], found["progress"]) == ("SUCCEEDED", {"done": 5, "total": 5})
    assert found["dataset"]["rows"] == 60
    assert found["allowed_actions"] == ["delete", "download", "clone"]
    (trace,) = dashboard.get(f"/runs/{run}/trace").json["streams"]
    assert trace["iteration"] == [1, 2, 3, 4, 5]
    assert trace["log_joint"][-1] == found["log_joint"]
    assert dashboard.get(f"/runs/{run}/trace?after=3").json["streams"][0]["iteration"] == [4, 5]
    timeline = dashboard.get(f"/runs/{run}/shards?limit=2").json["items"]
    assert [row["iteration"] for row in timeline] == [4, 5]
    assert [shard["shard"] for shard in timeline[0]["shards"]] == [0, 1]
    assert dashboard.get(f"/runs/{run}/shards?after=1&limit=2").json["items"][0]["iteration"] == 2
    kinds = [event["to_state"] for event in dashboard.get(f"/runs/{run}/events").json["items"]]
    assert kinds == ["PENDING", "RUNNING", "SUCCEEDED"]


def test_files_come_whole_in_part_and_zipped(dashboard: Dashboard, table: bytes) -> None:
    run = dashboard.submit(dashboard.upload(table, id_column="id"))
    dashboard.finish()
    artifacts = {one["name"]: one for one in dashboard.get(f"/runs/{run}/artifacts").json["items"]}
    assert {"rows.csv", "columns.csv", "blocks.csv", "report.html", "run.json"} <= artifacts.keys()
    rows = dashboard.get(f"/runs/{run}/artifacts/rows.csv")
    assert [row["id"] for row in csv.DictReader(io.StringIO(rows.text))] == [f"r{i}" for i in range(60)]
    assert len(rows.data) == artifacts["rows.csv"]["bytes"]
    archive = zipfile.ZipFile(io.BytesIO(dashboard.get(f"/runs/{run}/artifacts.zip").data))
    assert archive.testzip() is None
    assert archive.read(f"{run}/rows.csv") == rows.data
    assert sorted(archive.namelist()) == sorted(f"{run}/{name}" for name in artifacts)
    report = dashboard.get(f"/runs/{run}/artifacts/report.html")
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts allow-downloads;")


@pytest.mark.parametrize(
    "options", [{"alpha": 1e308}, {"beta": 1e308}, {"alpha": 1e308, "sampler": "split-merge"}, {"psi0_factor": 1e-308}]
)
def test_an_option_beyond_its_bounds_is_refused_with_a_sentence(dashboard: Dashboard, options: dict[str, Any]) -> None:
    refused = dashboard.post("/runs", {"dataset": dashboard.upload(), "options": options})
    assert refused.status_code == 422
    assert next(iter(options)) in refused.json["detail"]
    assert dashboard.get("/runs").json["items"] == []


@pytest.mark.parametrize(
    "name", ["../request.json", "..%2frequest.json", "%2e%2e/request.json", "request.json", "x.csv"]
)
def test_no_name_leads_out_of_the_results(dashboard: Dashboard, name: str) -> None:
    run = dashboard.submit()
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}/artifacts/{name}").status_code == 404


def test_who_may_only_look_is_offered_nothing_else(dashboard: Dashboard) -> None:
    run = dashboard.submit()
    secrets = {scope: dashboard.backend.tokens.create(scope, scope, None) for scope in ("run", "read")}

    def offered(scope: str) -> list[str]:
        found = dashboard.get(f"/runs/{run}", headers={"Authorization": f"Bearer {secrets[scope]}"})
        return list(found.json["allowed_actions"])

    assert offered("run") == ["cancel", "clone"]
    assert offered("read") == []


def test_a_run_that_is_not_done_has_no_results(dashboard: Dashboard) -> None:
    run = dashboard.submit()
    for path in ("artifacts", "artifacts/rows.csv", "artifacts.zip", "heatmap"):
        refused = dashboard.get(f"/runs/{run}/{path}")
        assert (refused.status_code, refused.json["type"]) == (409, "urn:disnplbm:problem:conflict")


def test_what_its_state_does_not_allow_is_a_conflict(dashboard: Dashboard) -> None:
    run = dashboard.submit()
    assert dashboard.post(f"/runs/{run}/pause").status_code == 409
    assert dashboard.post(f"/runs/{run}/resume").status_code == 409
    assert dashboard.client.delete(f"{API}/runs/{run}").status_code == 409
    cancelled = dashboard.post(f"/runs/{run}/cancel", {"reason": "a mistake"})
    assert (cancelled.status_code, cancelled.json["state"]) == (200, "CANCELLED")
    assert dashboard.get(f"/runs/{run}/events").json["items"][-1]["reason"] == "a mistake"
    assert dashboard.post(f"/runs/{run}/cancel").status_code == 409
    assert dashboard.client.delete(f"{API}/runs/{run}").status_code == 204
    assert dashboard.get(f"/runs/{run}").status_code == 404


def test_a_dataset_in_use_stays_and_then_goes_with_all_that_was_made_of_it(dashboard: Dashboard) -> None:
    run = dashboard.submit()
    dashboard.finish()
    dataset = dashboard.get(f"/runs/{run}").json["dataset"]["id"]
    refused = dashboard.client.delete(f"{API}/datasets/{dataset}")
    assert (refused.status_code, run in refused.json["detail"]) == (409, True)
    assert dashboard.client.delete(f"{API}/runs/{run}").status_code == 204
    assert dashboard.client.delete(f"{API}/datasets/{dataset}").status_code == 204
    assert dashboard.store.list() == []
    assert dashboard.get(f"/datasets/{dataset}").status_code == 404


def test_a_clone_asks_for_the_same_but_for_what_is_given(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    run = dashboard.submit(dataset, shards=2, transform="log1p,center", row_classes=["a", "b", "a"], name="first")
    clone = dashboard.post(f"/runs/{run}/clone", {"options": {"seed": 7}}).json
    assert (clone["name"], clone["shards_wanted"], clone["transform"]) == ("first", 2, "log1p,center")
    assert clone["options"] == dashboard.get(f"/runs/{run}").json["options"] | {"seed": 7}
    request = json.loads(bytes(dashboard.store.get(f"runs/{clone['id']}/request.json")))
    assert request["row_classes"] == ["a", "b", "a"]


def test_classes_and_starts_come_with_ids_in_any_order(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(b"id,a,b\nr1,1,2\nr2,3,4\nr3,5,6\n", id_column="id")
    by_id = {"ids": ["r3", "r1", "r2"], "labels": ["u", "v", "u"]}
    starts = {"start_rows": by_id | {"labels": [1, 0, 1]}, "start_columns": {"ids": ["b", "a"], "labels": [1, 0]}}
    options = {"iterations": 2, "start": "given"}
    run = dashboard.submit(dataset, row_classes=by_id, options=options, **starts)
    clone = dashboard.post(f"/runs/{run}/clone", {}).json["id"]
    dashboard.finish()
    for done in (run, clone):
        record = dashboard.get(f"/runs/{done}").json
        assert (record["state"], record["error"]) == ("SUCCEEDED", None)
        notes = json.loads(bytes(dashboard.store.get(f"runs/{done}/results/run.json")))["warnings"]
        assert "the row classes are in another order than table.csv: matched by their ids" in notes
    for odd in ({"ids": ["r1", "r2", "r9"]}, {"ids": ["r1", "r1", "r2"]}, {"ids": ["r1"]}):
        refused = dashboard.post("/runs", {"dataset": dataset, "row_classes": by_id | odd})
        assert refused.status_code == 422
    assert "1 ids for 3 labels" in refused.json["detail"]


COUNTS = "id,a,b\n" + "".join(f"r{i},{3 * i % 7},{5 * i % 4}\n" for i in range(12))


def test_factors_come_with_ids_in_any_order(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(COUNTS.encode(), id_column="id")
    given: dict[str, Any] = {"ids": [f"r{i}" for i in range(12)][::-1], "labels": [1.0 + i for i in range(12)][::-1]}
    options = {"iterations": 4, "cells": "counts", "exposure": "given"}
    run = dashboard.submit(dataset, options=options, row_factors=given, column_factors=[1, 2.5])
    # The factors go along with a clone, unless it compares counts with something else.
    clone = dashboard.post(f"/runs/{run}/clone", {"name": "again"}).json["id"]
    other = dashboard.post(f"/runs/{run}/clone", {"options": {"exposure": "margins"}}).json["id"]
    dashboard.finish()
    records = {}
    for done in (run, clone, other):
        assert dashboard.get(f"/runs/{done}").json["error"] is None
        records[done] = json.loads(bytes(dashboard.store.get(f"runs/{done}/results/run.json")))
    values = np.array([line.split(",")[1:] for line in COUNTS.splitlines()[1:]], dtype=float)
    exposure = (np.arange(1.0, 13.0), [1.0, 2.5])
    expected = NPLBM(4, cells="counts", exposure=exposure, random_state=0).fit(values).digest_
    assert records[run]["digest"] == records[clone]["digest"] == expected != records[other]["digest"]
    assert "the factors of the rows are in another order than table.csv: matched by their ids" in str(records[run])
    # The page compares the counts with what the factors let expect.
    picture = dashboard.get(f"/runs/{run}/heatmap?height=12&width=2&order=original").json
    of_cells = np.outer(*exposure) * values.sum() / np.outer(*exposure).sum()
    np.testing.assert_allclose(np.outer(picture["row_exposure"], picture["column_exposure"]), of_cells, rtol=1e-6)
    # Once the table is known, what does not fit it is refused at once.
    for odd, says in (
        ({"row_factors": [1.0] * 11}, "11 factors of the rows for 12 rows"),
        ({"row_factors": given | {"ids": [f"s{i}" for i in range(12)]}}, "are for rows that table.csv does not have"),
        ({"column_factors": {"ids": ["a"], "labels": [1, 2]}}, "1 ids for 2 labels"),
        ({"row_factors": [0.0] * 12}, "row_factors"),
        ({}, "needs factors of the rows or of the columns"),
        ({"row_factors": given, "options": {}}, "there are factors of rows or columns: add "),
        ({"row_factors": given, "options": options | {"cells": "gaussian"}}, "are for counts"),
        ({"options": {"cells": "mixed"}}, "is taken by `disnplbm fit` alone so far"),
    ):
        refused = dashboard.post("/runs", {"dataset": dataset, "options": options, **odd})
        assert refused.status_code == 422, refused.text
        assert says in refused.text


def test_a_creation_that_is_sent_twice_is_done_once(dashboard: Dashboard) -> None:
    headers = {"Idempotency-Key": "abc-1"}
    body = {"dataset": dashboard.upload(), "options": {"iterations": 3}}
    first = dashboard.post("/runs", body, headers=headers)
    again = dashboard.post("/runs", body, headers=headers)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json["id"] == again.json["id"]
    other = dashboard.post("/runs", body | {"name": "other"}, headers=headers)
    assert (other.status_code, other.json["type"]) == (422, "urn:disnplbm:problem:key-reused")
    assert len(dashboard.get("/runs").json["items"]) == 1
    assert dashboard.post("/runs", body, headers={"Idempotency-Key": "a b"}).status_code == 400
    upload = {"name": "x.csv", "bytes": 3}
    ids = {dashboard.post("/datasets", upload, headers=headers | {"Idempotency-Key": "u"}).json["id"] for _ in range(2)}
    assert len(ids) == 1


def test_a_creation_that_failed_can_be_sent_again(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    headers, body = {"Idempotency-Key": "k"}, {"dataset": dashboard.upload()}

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr("disnplbm.runs.service.RunService.submit", broken)
        assert dashboard.post("/runs", body, headers=headers).status_code == 500
    assert dashboard.post("/runs", body, headers=headers).status_code == 201


def test_lists_are_filtered_searched_and_paged(dashboard: Dashboard) -> None:
    dataset, other = dashboard.upload(), dashboard.upload(name="genes_100%.csv")
    runs = [dashboard.submit(dataset, name=f"run {i}") for i in range(5)]
    runs.append(dashboard.submit(other))
    dashboard.post(f"/runs/{runs[2]}/cancel")
    assert _pages(dashboard, "/runs?limit=2") == runs[::-1]
    assert _pages(dashboard, "/runs?limit=1&state=PENDING") == [run for run in runs[::-1] if run != runs[2]]
    assert _pages(dashboard, "/runs?state=CANCELLED,FAILED&limit=5") == [runs[2]]
    assert _pages(dashboard, "/runs?search=UN 3&limit=5") == [runs[3]]
    assert _pages(dashboard, "/runs?search=100%25&limit=5") == [runs[5]]
    assert _pages(dashboard, "/runs?search=%25&limit=5") == [runs[5]]
    assert _pages(dashboard, f"/runs?search={runs[4]}&limit=5") == [runs[4]]
    assert _pages(dashboard, f"/runs?dataset={dataset}&limit=3") == runs[4::-1]
    assert _pages(dashboard, "/datasets?limit=1") == [other, dataset]
    assert _pages(dashboard, "/datasets?search=genes&limit=1") == [other]
    assert _pages(dashboard, "/runs?sort=name&limit=2") == [runs[5], *runs[:5]]
    assert _pages(dashboard, "/runs?sort=-dataset&limit=2") == [*runs[4::-1], runs[5]]
    of_name = dashboard.get("/runs?sort=name&limit=2").json["next"]
    for query in ("sort=size", "sort=--name", "sort=", f"sort=-name&cursor={of_name}", f"cursor={of_name}"):
        refused = dashboard.get(f"/runs?{query}")
        assert (refused.status_code, refused.content_type) == (422, "application/problem+json")
    assert "of a list in another order" in refused.json["detail"]
    for query in ("state=SLEEPING", "cursor=abc", "cursor=***", "limit=0", "limit=201", "limit=x"):
        assert dashboard.get(f"/runs?{query}").status_code == 422


@pytest.mark.parametrize("sort", SORTS)
def test_a_long_name_fits_into_a_cursor(dashboard: Dashboard, sort: str) -> None:
    dataset = dashboard.upload()
    runs = [dashboard.submit(dataset, name="\U0001f600" * 200) for _ in range(3)]
    assert sorted(_pages(dashboard, f"/runs?sort={sort}&limit=1")) == sorted(runs)


def test_the_list_says_of_each_run_what_it_says_alone(dashboard: Dashboard) -> None:
    done = dashboard.submit(options={"iterations": 4, "chains": 2, "restarts": 2, "burn_in": 2})
    dashboard.finish()
    waiting = dashboard.submit()
    items = dashboard.get("/runs").json["items"]
    assert [item["id"] for item in items] == [waiting, done]
    progress = dashboard.backend.service.progress(done)
    assert items[1]["progress"] == {"done": progress.done, "total": progress.total}
    assert items[1]["stage"] == progress.stage
    assert items[1] == dashboard.get(f"/runs/{done}").json


def test_a_finished_run_says_what_it_reports_and_not_its_last_iteration(dashboard: Dashboard) -> None:
    names = ("row_clusters", "column_clusters", "log_joint")
    drawn, last = (dashboard.submit(options={"iterations": 4, "burn_in": burn_in}) for burn_in in (2, 0))
    dashboard.finish()
    for run in (drawn, last):
        reported = dashboard.get(f"/runs/{run}/artifacts/run.json").json
        assert {name: dashboard.get(f"/runs/{run}").json[name] for name in names} == {
            name: reported[name] for name in names
        }


def test_live_runs_of_a_token_are_limited(tmp_path: Path) -> None:
    dashboard = Dashboard(tmp_path, live_runs=2)
    dataset = dashboard.upload()
    first, _ = dashboard.submit(dataset), dashboard.submit(dataset)
    refused = dashboard.post("/runs", {"dataset": dataset})
    assert (refused.status_code, refused.json["type"]) == (429, "urn:disnplbm:problem:limit")
    dashboard.post(f"/runs/{first}/cancel")
    assert dashboard.post("/runs", {"dataset": dataset}).status_code == 201
    dashboard.database.close()


def test_a_creation_that_is_sent_again_at_the_limit_is_answered_with_its_run(tmp_path: Path) -> None:
    dashboard = Dashboard(tmp_path, live_runs=1)
    body = {"dataset": dashboard.upload()}
    first, again = (dashboard.post("/runs", body, headers={"Idempotency-Key": "a"}) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json["id"] == again.json["id"]
    refused = dashboard.post("/runs", body, headers={"Idempotency-Key": "b"})
    assert (refused.status_code, refused.json["type"]) == (429, "urn:disnplbm:problem:limit")
    dashboard.post(f"/runs/{first.json['id']}/cancel")
    assert dashboard.post("/runs", body, headers={"Idempotency-Key": "b"}).status_code == 201
    dashboard.database.close()


@pytest.mark.parametrize(
    "body",
    [
        {"options": {"iterations": 0}},
        {"options": {"iterations": 10**9}},
        {"options": {"chains": 10**6}},
        {"options": {"burn_in": 100, "iterations": 100}},
        {"options": {"alpha": -1}},
        {"options": {"alpha": "teach"}},
        {"options": {"power": 7}},
        {"options": {"nothing": 1}},
        {"transform": "../x"},
        {"transform": "log,cube"},
        {"transform": "none,log"},
        {"axis": "diagonal"},
        {"shards": 0},
        {"start_rows": [-1]},
        {"name": "a\u0000b"},
    ],
)
def test_options_at_fault_are_refused_at_once(dashboard: Dashboard, body: dict[str, Any]) -> None:
    refused = dashboard.post("/runs", {"dataset": dashboard.upload(), **body})
    assert refused.status_code == 422
    assert dashboard.get("/runs").json["items"] == []


def test_the_options_are_those_of_the_engine() -> None:
    by_default = RunOptions().model_dump()
    iterations, burn_in = lengths(by_default["iterations"], by_default["burn_in"], by_default["chains"])
    assert by_default | {"iterations": iterations, "burn_in": burn_in} == Options().to_dict()


def test_runs_of_tables_in_other_orders_are_compared_by_name(dashboard: Dashboard) -> None:
    rows = [f"r{i},{i % 7 + 100 * (i >= 12)},{i % 5 + 100 * (i >= 12)},{i % 3}" for i in range(20)]
    tables = [rows, rows[::-1], [row.replace("r", "q") for row in rows]]
    datasets = [dashboard.upload("\n".join(["id,a,b,c", *table]).encode() + b"\n", id_column="id") for table in tables]
    runs = [dashboard.submit(dataset, options={"iterations": 20}) for dataset in datasets]
    dashboard.finish()
    assert dashboard.get(f"/compare?runs={runs[0]},{runs[1]}").json["rows"]["ari"] == [[1.0, 1.0], [1.0, 1.0]]
    refused = dashboard.get(f"/compare?runs={runs[0]},{runs[2]}")
    assert refused.status_code == 422
    assert "are for rows that the first run does not have: q0" in refused.json["detail"]


def test_runs_are_compared(dashboard: Dashboard, table: bytes) -> None:
    dataset = dashboard.upload(table, id_column="id")
    runs = [dashboard.submit(dataset, options={"iterations": 4, "seed": seed}) for seed in (1, 1, 2)]
    other = dashboard.submit()
    dashboard.finish()
    found = dashboard.get(f"/compare?runs={','.join(runs)}").json
    assert [run["id"] for run in found["runs"]] == runs
    assert found["parameters"] == [{"name": "seed", "values": [1, 1, 2]}]
    assert found["rows"]["ari"][0][:2] == [1.0, 1.0]
    assert found["rows"]["nmi"][2][0] == found["rows"]["nmi"][0][2]
    assert sum(map(sum, found["contingency"]["rows"])) == 60
    assert sum(map(sum, found["contingency"]["columns"])) == 8
    assert dashboard.get(f"/compare?runs={runs[0]},{other}").status_code == 422
    assert dashboard.get(f"/compare?runs={runs[0]}").status_code == 422
    assert dashboard.get(f"/compare?runs={runs[0]},{runs[0]}").status_code == 422
    assert dashboard.get(f"/compare?runs={runs[0]},0000aaaa").status_code == 404
    waiting = dashboard.submit(dataset)
    assert dashboard.get(f"/compare?runs={runs[0]},{waiting}").status_code == 409


def test_what_there_is_not_is_not_found(dashboard: Dashboard) -> None:
    for path in ("/runs/0123456789ab", "/runs/zzz", "/datasets/0123456789ab", "/nothing", "/runs/0123456789ab/trace"):
        answer = dashboard.get(path)
        assert (answer.status_code, answer.content_type) == (404, "application/problem+json")
    assert dashboard.client.put(f"{API}/runs").status_code == 405


def test_workers_and_metrics(dashboard: Dashboard) -> None:
    assert dashboard.get("/workers/wanted").json == {"wanted": 0, "runs": 0}
    dashboard.submit()
    metrics = dashboard.client.get("/metrics").text
    assert 'disnplbm_runs{state="PENDING"} 1.0' in metrics
    assert 'disnplbm_dashboard_requests_total{endpoint="runs.create_run",method="POST",status="201"} 1.0' in metrics


def test_workers_are_wanted_for_the_shards_of_running_runs(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    for shards, chains in ((3, 1), (2, 5)):
        run = dashboard.submit(dataset, options={"iterations": 3, "chains": chains})
        assert dashboard.backend.books.runs.start(run, "shards/none", shards)
    assert dashboard.get("/workers/wanted").json == {"wanted": 13, "runs": 2}
    assert dashboard.get("/workers/wanted?cap=4").json == {"wanted": 7, "runs": 2}
    assert "disnplbm_shards_wanted 13.0" in dashboard.client.get("/metrics").text


def test_one_worker_is_wanted_to_read_what_a_pending_run_needs_then_one_a_shard(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    run = dashboard.submit(dataset, shards=3, options={"iterations": 3, "chains": 2})
    assert dashboard.get("/workers/wanted").json == {"wanted": 1, "runs": 1}
    assert dashboard.backend.books.datasets.mark_ready(dataset, 3, 2, 1, "aa", 0, f"datasets/{dataset}")
    assert dashboard.get("/workers/wanted").json == {"wanted": 6, "runs": 1}
    assert dashboard.get("/workers/wanted?cap=4").json == {"wanted": 4, "runs": 1}
    auto = dashboard.submit(dataset)
    assert dashboard.get("/workers/wanted").json == {"wanted": 7, "runs": 2}
    for one in (run, auto):
        assert dashboard.post(f"/runs/{one}/cancel").status_code == 200
    assert dashboard.get("/workers/wanted").json == {"wanted": 0, "runs": 0}


def test_the_age_of_the_oldest_iteration_is_measured(dashboard: Dashboard) -> None:
    assert "disnplbm_oldest_iteration_seconds 0.0" in dashboard.client.get("/metrics").text
    run = dashboard.submit()
    assert dashboard.backend.books.runs.start(run, "shards/none", 1)
    assert dashboard.backend.books.chains.mark_published(
        IterationId(run, 0, 0), dashboard.backend.service.run(run).epoch
    )
    (line,) = (
        line
        for line in dashboard.client.get("/metrics").text.splitlines()
        if line.startswith("disnplbm_oldest_iteration_seconds")
    )
    assert 0 < float(line.split()[1]) < 3600


def test_activity_counts_the_shards_of_iterations_under_way(dashboard: Dashboard) -> None:
    run = dashboard.submit(options={"iterations": 3, "chains": 2})
    nothing = {"embedded": False, "shards": 0, "arrived": 0, "workers": 0, "last_seen": None}
    assert dashboard.get(f"/runs/{run}/activity").json == nothing
    assert dashboard.backend.books.runs.start(run, "shards/none", 4)
    assert dashboard.get(f"/runs/{run}/activity").json == nothing | {"shards": 8}
    for shard in (0, 2):
        assert dashboard.backend.books.ledger.record(entry(run, 0, shard)) == "new"
    found = dashboard.get(f"/runs/{run}/activity").json
    assert datetime.fromisoformat(found["last_seen"]).tzinfo is not None
    assert found == nothing | {"shards": 8, "arrived": 2, "workers": 1, "last_seen": found["last_seen"]}
    assert dashboard.get("/runs/beefbeef/activity").status_code == 404


def _pages(dashboard: Dashboard, path: str) -> list[str]:
    """Ids of all pages of a list."""
    found: list[str] = []
    cursor = ""
    while True:
        answer = dashboard.get(f"{path}{cursor}")
        assert answer.status_code == 200, answer.text
        found += [item["id"] for item in answer.json["items"]]
        if answer.json["next"] is None:
            return found
        cursor = f"&cursor={answer.json['next']}"


def test_lengths_that_are_not_given_are_those_of_the_command_line(dashboard: Dashboard, table: bytes) -> None:
    dataset = dashboard.upload(table, id_column="id")

    def submitted(**options: Any) -> tuple[int, int]:
        found = dashboard.post("/runs", {"dataset": dataset, "options": options}).json["options"]
        return found["iterations"], found["burn_in"]

    assert submitted() == (100, 0)
    assert submitted(chains=4, burn_in=None) == (100, 50)
    assert submitted(burn_in=30, iterations=None) == (130, 30)
