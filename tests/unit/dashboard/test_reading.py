"""A file that was uploaded once is read in another way, until a run uses it."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import API, Dashboard

TEXTS = b"sample,site,kind,a,b\n" + b"".join(
    b"s%d,%s,%s,%d,%d\n" % (i, [b"x", b"y", b"z"][i % 3], [b"ill", b"well"][i % 2], i % 5, i % 7) for i in range(20)
)
SEMICOLONS = b"id;a;b\n" + b"".join(b"r%d;%d,5;%d,25\n" % (i, i % 4, i % 3) for i in range(20))


def preflight(dashboard: Dashboard, dataset: str) -> tuple[int, Any]:
    """The report of a dataset, once it is made."""
    answer = dashboard.preflight(dataset)
    return answer.status_code, answer.json


def put(dashboard: Dashboard, dataset: str, reading: dict[str, Any]) -> Any:
    """Say how a dataset is read."""
    return dashboard.client.put(f"{API}/datasets/{dataset}/reading", json=reading)


def test_a_refusal_says_how_the_file_can_be_read_and_that_reads_it(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(TEXTS, id_column="none")
    status, problem = preflight(dashboard, dataset)
    assert (status, problem["type"]) == (422, "urn:disnplbm:problem:input")
    assert "--" not in problem["detail"].split("; ")[0]
    assert "run:" not in problem["detail"]
    taken = put(dashboard, dataset, problem["reading"])
    assert (taken.status_code, taken.json["state"]) == (200, "UPLOADED")
    assert taken.json["reading"] == problem["reading"]
    status, report = preflight(dashboard, dataset)
    assert (status, report["rows"], report["columns"]) == (200, 20, 2)
    run = dashboard.submit(dataset)
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}").json["state"] == "SUCCEEDED"
    assert dashboard.get(f"/runs/{run}").json["dataset"]["columns"] == 2
    # `predict` and `impute` read a table as the run of a folder did, wherever it ran.
    assert dashboard.get(f"/runs/{run}/artifacts/run.json").json["data"]["reading"] == problem["reading"]


def test_each_way_has_a_report_of_its_own(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(SEMICOLONS)
    assert preflight(dashboard, dataset)[1]["columns"] == 2
    reading = {"delimiter": "semicolon", "decimal": ",", "drop_columns": ["b"]}
    assert put(dashboard, dataset, reading).json["reading"]["delimiter"] == "semicolon"
    assert preflight(dashboard, dataset)[1]["columns"] == 1
    assert put(dashboard, dataset, {}).status_code == 200
    assert preflight(dashboard, dataset)[1]["columns"] == 2
    assert put(dashboard, dataset, {"transpose": True}).status_code == 200
    report = preflight(dashboard, dataset)[1]
    assert (report["rows"], report["columns"]) == (2, 20)


def test_a_dataset_that_a_run_uses_stays_as_it_is(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(SEMICOLONS)
    run = dashboard.submit(dataset)
    for _ in range(2):
        refused = put(dashboard, dataset, {"decimal": ","})
        assert (refused.status_code, refused.json["type"]) == (409, "urn:disnplbm:problem:conflict")
        assert run in refused.json["detail"]
        dashboard.finish()
    assert dashboard.client.delete(f"{API}/runs/{run}").status_code == 204
    assert "upload the file again" in put(dashboard, dataset, {"decimal": ","}).json["detail"]


def test_a_run_that_failed_of_its_file_goes_on_once_that_is_read_rightly(dashboard: Dashboard) -> None:
    dataset = dashboard.upload(TEXTS, id_column="none")
    run = dashboard.submit(dataset)
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}").json["state"] == "FAILED"
    assert dashboard.get(f"/datasets/{dataset}").json["state"] == "FAILED"
    reading = {"id_column": "sample", "class_column": "kind", "drop_columns": ["site"]}
    assert put(dashboard, dataset, reading).json["error"] is None
    assert dashboard.post(f"/runs/{run}/resume").json["state"] == "PENDING"
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}").json["state"] == "SUCCEEDED"


@pytest.mark.parametrize(
    ("reading", "status", "says"),
    [
        ({"delimiter": "tabs"}, 422, "delimiter = 'tabs'"),
        ({"decimal": ",", "thousands": ","}, 422, "thousands and decimal"),
        ({"decimal": "x"}, 422, "decimal"),
        ({"transpose": "yes"}, 422, "transpose"),
        ({"separator": ","}, 422, "separator"),
    ],
)
def test_what_is_no_way_to_read_a_file_is_refused(
    dashboard: Dashboard, reading: dict[str, Any], status: int, says: str
) -> None:
    dataset = dashboard.upload(SEMICOLONS)
    refused = put(dashboard, dataset, reading)
    assert (refused.status_code, says in refused.json["detail"]) == (status, True)
    assert put(dashboard, "0123abcd", {}).status_code == 404
