"""The server behind a proxy: one setting says where browsers find it, and all else follows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from disnplbm.errors import InputError
from disnplbm.settings import Settings, read_settings
from disnplbm_dashboard import web
from disnplbm_dashboard.public import RESERVED, PublicAddress

from .conftest import API, Dashboard

ORIGIN = "https://host.example"


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[Dashboard]:
    """A server that browsers find at https://host.example/blocks, and that has one token."""
    found = Dashboard(tmp_path, public_url=f"{ORIGIN}/blocks")
    found.secret = found.backend.tokens.create("ada", "admin", None)  # type: ignore[attr-defined]
    yield found
    found.database.close()


def bearer(dashboard: Dashboard, **more: str) -> dict[str, str]:
    """Headers with the token."""
    return {"Authorization": f"Bearer {dashboard.secret}", **more}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://host.example", "https://host.example"),
        ("https://host.example/", "https://host.example"),
        ("https://Host.example:443/blocks/", "https://host.example/blocks"),
        ("http://host.example:80", "http://host.example"),
        ("http://10.0.0.7:8080/a/b-c_d.e~f", "http://10.0.0.7:8080/a/b-c_d.e~f"),
        ("http://[::1]:8080/blocks", "http://[::1]:8080/blocks"),
    ],
)
def test_an_address_is_read(url: str, shown: str) -> None:
    assert PublicAddress.of(str(Settings(public_url=url).public_url)).url == shown


@pytest.mark.parametrize(
    "url",
    [
        "host.example/blocks",
        "ftp://host.example",
        "https://",
        "https://ada:secret@host.example",
        "https://host.example/a?b=c",
        "https://host.example/a#b",
        "https://host.example/a b",
        "https://host.example//a",
        "https://host.example/../a",
        'https://host.example/"><script>',
        "https://host.example:0",
    ],
)
def test_what_is_no_address_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISNPLBM_PUBLIC_URL", url)
    with pytest.raises(InputError, match="DISNPLBM_PUBLIC_URL: must be an address like https://host") as refused:
        read_settings()
    assert "secret" not in str(refused.value)


def test_a_path_of_the_servers_own_is_refused(dashboard: Dashboard) -> None:
    own = {rule.rule.split("/")[1] for rule in dashboard.app.url_map.iter_rules()} - {"", "static"}
    assert own == set(RESERVED)
    for name in own:
        with pytest.raises(InputError, match=f"/{name} is one of the server's own"):
            PublicAddress.of(f"{ORIGIN}/{name}/x")


@pytest.mark.parametrize("passed_on", ["", "/blocks"])
def test_the_prefix_may_be_passed_on_or_taken_off(behind: Dashboard, passed_on: str) -> None:
    answer = behind.client.get(f"{passed_on}{API}/health")
    assert (answer.status_code, answer.json["version"] != "") == (200, True)
    dataset = behind.client.post(
        f"{passed_on}{API}/datasets", json={"name": "x.csv", "bytes": 3}, headers=bearer(behind)
    )
    assert dataset.headers["Location"] == f"/blocks{API}/datasets/{dataset.json['id']}"


def test_pages_load_their_parts_below_the_prefix(
    behind: Dashboard, dashboard: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = '<html data-base=""><script src="/assets/a.js"></script><link href="/assets/b.css">'
    (tmp_path / "index.html").write_text(built)
    monkeypatch.setattr(web, "PAGES", tmp_path)
    for path in ("/blocks", "/blocks/", "/blocks/runs/abcd", "/runs/abcd"):
        assert behind.client.get(path).text == (
            '<html data-base="/blocks"><script src="/blocks/assets/a.js"></script><link href="/blocks/assets/b.css">'
        )
    assert dashboard.client.get("/").text == built


@pytest.mark.parametrize("host", ["127.0.0.1:8000", "host.example", "upstream"])
def test_pages_of_the_public_address_may_change_things_whatever_host_the_proxy_puts(
    behind: Dashboard, host: str
) -> None:
    asked = {"name": "x.csv", "bytes": 3}
    taken = behind.post("/datasets", asked, headers=bearer(behind, Host=host, Origin=ORIGIN))
    assert taken.status_code == 201
    for origin in ("https://evil.example", f"http://{host}:1", "null", "https://host.example.evil.example"):
        refused = behind.post("/datasets", asked, headers=bearer(behind, Host=host, Origin=origin))
        assert (refused.status_code, refused.json["type"]) == (403, "urn:disnplbm:problem:cross-origin")
        assert f"open them at {ORIGIN}/blocks" in refused.json["detail"]


def test_the_session_cookie_is_secure_and_stays_below_the_prefix(behind: Dashboard) -> None:
    answer = behind.post("/session", {"token": behind.secret}, headers={"Origin": ORIGIN})  # type: ignore[attr-defined]
    cookie = answer.headers["Set-Cookie"]
    assert "; Secure" in cookie
    assert "; Path=/blocks/" in cookie
    ended = behind.client.delete(f"/blocks{API}/session").headers["Set-Cookie"]
    assert "; Path=/blocks/" in ended


def test_without_a_token_nobody_is_let_in_through_a_proxy(tmp_path: Path, dashboard: Dashboard) -> None:
    (tmp_path / "other").mkdir()
    behind = Dashboard(tmp_path / "other", public_url="http://localhost/blocks")
    assert behind.get("/runs").status_code == 401
    behind.database.close()
    for header in ("X-Forwarded-For", "X-Forwarded-Proto", "Forwarded", "Via"):
        refused = dashboard.get("/runs", headers={header: "x"})
        assert refused.status_code == 403
        assert "set DISNPLBM_PUBLIC_URL and create a token" in refused.json["detail"]


def test_a_page_that_is_refused_for_want_of_the_setting_is_told_of_it(dashboard: Dashboard) -> None:
    refused = dashboard.post("/datasets", {}, headers={"Origin": ORIGIN})
    assert "behind a proxy, set DISNPLBM_PUBLIC_URL" in refused.json["detail"]


def test_the_document_says_where_the_api_is(behind: Dashboard) -> None:
    document = behind.client.get(f"/blocks{API}/openapi.json", headers=bearer(behind)).json
    assert document["servers"] == [{"url": f"{ORIGIN}/blocks"}]
