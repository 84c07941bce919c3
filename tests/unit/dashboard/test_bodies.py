"""JSON as clients send it: of the form that the document states, to the letter."""

from __future__ import annotations

import pytest

from .conftest import API, Dashboard


@pytest.mark.parametrize("given", ['"10"', "true", "10.5", "[10]", "1e999", "NaN"])
def test_what_is_no_whole_number_is_none(dashboard: Dashboard, given: str) -> None:
    answer = dashboard.client.post(f"{API}/datasets", data=f'{{"name": "x.csv", "bytes": {given}}}')
    assert answer.status_code == 422
    assert answer.json["type"] == "urn:disnplbm:problem:validation"


@pytest.mark.parametrize("given", ["10", "10.0", "1e1"])
def test_a_whole_number_is_one_however_it_is_written(dashboard: Dashboard, given: str) -> None:
    answer = dashboard.client.post(f"{API}/datasets", data=f'{{"name": "x.csv", "bytes": {given}}}')
    assert (answer.status_code, answer.json["bytes"]) == (201, 10)


@pytest.mark.parametrize("options", [{"iterations": "3"}, {"pair_moves": 1}, {"alpha": "2"}, {"pair_moves": "on"}])
def test_options_are_of_their_kinds(dashboard: Dashboard, options: dict[str, object]) -> None:
    dataset = dashboard.upload()
    answer = dashboard.post("/runs", {"dataset": dataset, "options": options})
    assert answer.status_code == 422
    assert dashboard.post("/runs", {"dataset": dataset, "options": {"alpha": 2, "power": 1}}).status_code == 201


def test_nothing_is_no_object(dashboard: Dashboard) -> None:
    dataset = dashboard.upload()
    for body in (b"null", b"", b" ", b"[]", b'""', b"0"):
        answer = dashboard.client.post(f"{API}/datasets/{dataset}/complete", data=body)
        assert answer.status_code in (400, 422), body
    assert dashboard.client.post(f"{API}/datasets/{dataset}/complete", data=b"{}").status_code == 200
