"""Names of files and ids, however they are written, name nothing outside of what they are for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from flask.testing import FlaskClient

from disnplbm_dashboard.app import create_app
from services.dashboard import EmbeddedParts

API = "/api/v1"

#: Ways out of a folder, and names that mean something to one system or another.
ODD = [
    *("..", ".", "../x.csv", "../../x.csv", "/etc/passwd.csv", "..\\x.csv", "C:\\x.csv", "a/b.csv", "./x.csv"),
    *("x.csv\0", "x\0.csv", "x\n.csv", "x\r\nSet-Cookie: a=b.csv", "\x7f.csv", "....//x.csv", "%2e%2e%2fx.csv"),
]

#: Odd, and still names of files.
PLAIN = [
    *("x.csv", "..x.csv", "-rf.csv", "~.csv", "$(id).csv", "`id`.csv", "; rm -rf .csv", "' OR 1=1 --.csv", "*.csv"),
    *(
        "CON.csv",
        "<script>alert(1)</script>.csv".replace("/", "_"),
        "名前.csv",
        "🧬.csv",
        "a b.csv",
        "x" * 190 + ".csv",
    ),
    *("{{7*7}}.csv", "%s%n.csv", "x.csv?y=.csv", "#.csv", "&amp;.csv"),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedParts]:
    found = EmbeddedParts(tmp_path_factory.mktemp("names"))
    yield found
    found.database.close()


@pytest.fixture(scope="module")
def client(parts: EmbeddedParts) -> FlaskClient:
    return create_app(parts.backend).test_client()


def _objects(parts: EmbeddedParts) -> set[Path]:
    return {path for path in parts.folder.rglob("*") if path.is_file() and "sqlite" not in path.name}


@pytest.mark.parametrize("name", ODD)
def test_a_file_has_no_name_that_leads_elsewhere(parts: EmbeddedParts, client: FlaskClient, name: str) -> None:
    before = _objects(parts)
    answer = client.post(f"{API}/datasets", json={"name": name, "bytes": 8})
    if answer.status_code != 201:
        assert answer.status_code == 422
    else:
        _send(client, str(answer.json["id"]))
        new = _objects(parts) - before
        assert new
        assert all(path.is_relative_to(parts.folder / "store" / "uploads" / answer.json["id"]) for path in new)


@pytest.mark.parametrize("name", PLAIN)
def test_an_odd_name_is_kept_and_stays_in_its_place(parts: EmbeddedParts, client: FlaskClient, name: str) -> None:
    before = _objects(parts)
    answer = client.post(f"{API}/datasets", json={"name": name, "bytes": 8})
    assert answer.status_code == 201, answer.text
    dataset = str(answer.json["id"])
    _send(client, dataset)
    new = _objects(parts) - before
    assert len(new) == 1
    assert new.pop().parent == parts.folder / "store" / "uploads" / dataset
    said = client.get(f"{API}/datasets/{dataset}")
    assert said.json["name"] == name
    # Data, and never a page.
    assert said.content_type == "application/json"
    assert said.headers["X-Content-Type-Options"] == "nosniff"


def _send(client: FlaskClient, dataset: str) -> None:
    """Send the one part of a file, and complete it."""
    assert client.put(f"{API}/datasets/{dataset}/parts/0", data=b"a,b\n1,2\n").status_code == 204
    assert client.post(f"{API}/datasets/{dataset}/complete", json={}).status_code == 200


IDS = ["..", "../..", "%", "_", "____", "*", "0", "abc", "' OR ''='", "0" * 11 + "/", "0123456789ab\0", "٤٤٤٤", "-1"]


@pytest.mark.parametrize("given", IDS)
@pytest.mark.parametrize("kind", ["runs", "datasets"])
def test_an_id_names_one_thing_or_nothing(client: FlaskClient, kind: str, given: str) -> None:
    client.post(f"{API}/datasets", json={"name": "x.csv", "bytes": 8})
    for method in ("GET", "DELETE"):
        answer = client.open(f"{API}/{kind}/{quote(given, safe='')}", method=method)
        assert answer.status_code in (308, 404, 405, 422), answer.text
        assert b"Traceback" not in answer.data
    body = json.dumps({"dataset": given}).encode()
    assert client.post(f"{API}/runs", data=body, content_type="application/json").status_code in (404, 422)
