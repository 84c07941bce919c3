"""JSON as clients send it: of the form that the document states, to the letter."""

from __future__ import annotations

import pytest
from werkzeug.test import TestResponse

from .conftest import API, Dashboard


@pytest.mark.parametrize("given", ['"10"', "true", "10.5", "[10]", "1e999", "NaN"])
def test_what_is_no_whole_number_is_none(dashboard: Dashboard, given: str) -> None:
    answer = _post(dashboard, "/datasets", f'{{"name": "x.csv", "bytes": {given}}}')
    assert answer.status_code == 422
    assert answer.json["type"] == "urn:disnplbm:problem:validation"


@pytest.mark.parametrize("given", ["10", "10.0", "1e1"])
def test_a_whole_number_is_one_however_it_is_written(dashboard: Dashboard, given: str) -> None:
    answer = _post(dashboard, "/datasets", f'{{"name": "x.csv", "bytes": {given}}}')
    assert (answer.status_code, answer.json["bytes"]) == (201, 10)


@pytest.mark.parametrize("given", ["9007199254740993", "9007199254740993.0", "9.007199254740993e15"])
def test_a_seed_beyond_2_to_the_53rd_stays_exact(dashboard: Dashboard, given: str) -> None:
    body = f'{{"dataset": "{dashboard.upload()}", "options": {{"seed": {given}, "iterations": 2}}}}'
    made = _post(dashboard, "/runs", body)
    run = made.json["id"]
    assert made.json["options"]["seed"] == 9007199254740993
    dashboard.finish()
    assert dashboard.get(f"/runs/{run}").json["options"]["seed"] == 9007199254740993
    assert dashboard.get(f"/runs/{run}/artifacts/run.json").json["parameters"]["seed"] == 9007199254740993
    again = dashboard.post(f"/runs/{run}/clone", {"options": {"seed": 2**63 - 1}})
    assert again.json["options"]["seed"] == 2**63 - 1


#: Blanks, and signs without a width: a link of such a name cannot be seen, nor pressed.
UNSEEN = ["", " ", "\u00a0", "\u200b", "\u2060\ufeff", " \u200d ", "\u3000", "\u3164", "\u2800", "\u00ad", "\ufe0f"]


@pytest.mark.parametrize("name", UNSEEN)
def test_a_name_that_is_not_seen_is_refused(dashboard: Dashboard, name: str) -> None:
    run = dashboard.submit()
    refused = [
        dashboard.post("/runs", {"dataset": dashboard.upload(), "name": name}),
        dashboard.post(f"/runs/{run}/clone", {"name": name}),
        dashboard.post("/datasets", {"name": name, "bytes": 3}),
    ]
    for answer in refused:
        assert (answer.status_code, answer.json["type"]) == (422, "urn:disnplbm:problem:validation")
        assert "name" in answer.json["detail"]


@pytest.mark.parametrize("name", ["x", " x ", "é", "名前", "🧬", "a\u200bb", "?", "x" * 200])
def test_a_name_with_something_to_see_is_taken(dashboard: Dashboard, name: str) -> None:
    assert dashboard.get(f"/runs/{dashboard.submit(name=name)}").json["name"] == name


@pytest.mark.parametrize("options", [{"iterations": "3"}, {"pair_moves": 1}, {"alpha": "2"}, {"pair_moves": "on"}])
def test_options_are_of_their_kinds(dashboard: Dashboard, options: dict[str, object]) -> None:
    dataset = dashboard.upload()
    answer = dashboard.post("/runs", {"dataset": dataset, "options": options})
    assert answer.status_code == 422
    assert dashboard.post("/runs", {"dataset": dataset, "options": {"alpha": 2, "power": 1}}).status_code == 201


def test_nothing_is_no_object(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    for body in (b"null", b" ", b"[]", b'""', b"0"):
        answer = _post(dashboard, f"/datasets/{dataset}/complete", body)
        assert answer.status_code in (400, 422), body
    assert _post(dashboard, f"/datasets/{dataset}/complete", b"{}").status_code == 200


def test_a_request_that_needs_nothing_needs_no_body(dashboard: Dashboard) -> None:
    run = dashboard.submit()
    assert dashboard.client.post(f"{API}/runs/{run}/clone").status_code == 201
    assert dashboard.client.post(f"{API}/runs/{run}/cancel").json["state"] == "CANCELLED"
    refused = dashboard.client.post(f"{API}/runs")
    assert (refused.status_code, "dataset" in refused.json["detail"]) == (422, True)


def _post(dashboard: Dashboard, path: str, body: str | bytes) -> TestResponse:
    """Send a body as it is, called JSON."""
    return dashboard.client.post(f"{API}{path}", data=body, content_type="application/json")
