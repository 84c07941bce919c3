"""Which names of the server, and which pages, may ask for anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from disnplbm_dashboard.app import create_app
from services.dashboard import EmbeddedParts

API = "/api/v1"

#: Names that are not this machine's, however they are written.
HOSTS = [
    *("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.1.nip.io"),
    *("localhost@evil.example", "evil.example@localhost.", "evil.example#localhost", "evil.example/localhost"),
    *("127.0.0.2", "0.0.0.0", "0", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::]", "[::ffff:127.0.0.1]"),
    *("localhost.", "localhost\u2024", "LOCALHOST.evil.example", "-localhost", "localhost,evil.example", " "),
]


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> EmbeddedParts:
    return EmbeddedParts(tmp_path_factory.mktemp("site"))


@pytest.fixture
def client(parts: EmbeddedParts) -> FlaskClient:
    """A browser at this machine, while there is no token."""
    return create_app(parts.backend).test_client()


@pytest.mark.parametrize("host", HOSTS)
def test_a_name_that_was_made_to_point_here_opens_nothing(client: FlaskClient, host: str) -> None:
    assert len(HOSTS) == 24
    answer = client.get(f"{API}/runs", headers={"Host": host})
    assert answer.status_code in (400, 403)
    assert answer.json is not None
    assert answer.json["type"] in ("urn:disnplbm:problem:cross-origin", "urn:disnplbm:problem:bad-request")


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:8000"])
def test_the_names_of_this_machine_do(client: FlaskClient, host: str) -> None:
    assert client.get(f"{API}/runs", headers={"Host": host}).status_code == 200


#: What browsers send with what a page of another site has them ask for: scripts, forms, pictures, links, frames.
FOREIGN: list[dict[str, str]] = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://localhost"},
    {"Origin": "ftp://localhost"},
    {"Origin": "localhost"},
    {"Origin": "//localhost"},
    {"Origin": "http://localhost:81"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost@evil.example"},
    {"Origin": "file://localhost"},
    {"Origin": "chrome-extension://localhost"},
    {"Origin": "http://[broken"},
    *(
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": mode}
        for mode in ("cors", "no-cors", "navigate", "websocket")
    ),
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
]


@pytest.mark.parametrize("headers", FOREIGN)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD"])
def test_pages_of_other_sites_get_nothing_and_change_nothing(
    client: FlaskClient, method: str, headers: dict[str, str]
) -> None:
    answer = client.open(f"{API}/runs", method=method, headers={"Host": "localhost", **headers})
    assert answer.status_code == 403
    assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("localhost", "http://localhost"),
        ("localhost:80", "http://localhost"),
        ("localhost:8000", "http://localhost:8000"),
        ("LOCALHOST", "http://localhost"),
        ("[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_pages_of_its_own_are_of_the_same_scheme_name_and_port(client: FlaskClient, host: str, origin: str) -> None:
    assert client.get(f"{API}/runs", headers={"Host": host, "Origin": origin}).status_code == 200


@pytest.mark.parametrize(("origin", "status"), [("https://blocks.example", 401), ("http://blocks.example", 403)])
def test_behind_a_proxy_the_scheme_is_that_of_the_public_address(tmp_path: Path, origin: str, status: int) -> None:
    """A page that came over plain http is not the one that the https address gave."""
    found = EmbeddedParts(tmp_path, public_url="https://blocks.example")
    answer = create_app(found.backend).test_client().get(f"{API}/runs", headers={"Origin": origin})
    assert answer.status_code == status
    found.database.close()
