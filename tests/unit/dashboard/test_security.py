"""Who may do what, and what browsers are told."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from disnplbm.cli.main import cli
from disnplbm.errors import InputError
from disnplbm.lifetimes import parse_lifetime
from disnplbm_dashboard.app import create_app
from disnplbm_dashboard.backend import Backend
from disnplbm_dashboard.schemas.runs import Runs

from .conftest import API, Dashboard


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def test_without_a_token_this_machine_may_do_everything(dashboard: Dashboard) -> None:
    assert dashboard.get("/session").json == {"actor": "local", "scope": "admin", "token_needed": False}
    run = dashboard.submit()
    assert {event["actor"] for event in dashboard.get(f"/runs/{run}/events").json["items"]} == {"local"}


def test_with_one_it_is_needed_by_everybody(dashboard: Dashboard) -> None:
    secret = dashboard.backend.tokens.create("ada", "read", None)
    refused = dashboard.get("/runs")
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"] == "Bearer"
    assert refused.json["type"] == "urn:disnplbm:problem:unauthorized"
    assert dashboard.get("/runs", headers=_bearer(secret)).status_code == 200
    assert dashboard.get("/health").status_code == 200
    assert dashboard.client.get("/metrics").status_code == 401
    assert dashboard.get("/runs", headers={"Authorization": f"Basic {secret}"}).status_code == 401
    assert dashboard.get("/runs", headers=_bearer(secret + "x")).status_code == 401


def test_revoking_the_last_token_opens_nothing(dashboard: Dashboard) -> None:
    secret = dashboard.backend.tokens.create("ada", "admin", None)
    dashboard.backend.tokens.revoke("ada")
    assert dashboard.get("/runs").status_code == 401
    assert dashboard.get("/runs", headers=_bearer(secret)).status_code == 401


def test_a_token_that_expired_is_refused(dashboard: Dashboard) -> None:
    secret = dashboard.backend.tokens.create("ada", "admin", timedelta(seconds=-1))
    assert dashboard.get("/runs", headers=_bearer(secret)).status_code == 401
    assert dashboard.post("/session", {"token": secret}).status_code == 401


def test_a_server_that_others_reach_is_never_open(dashboard: Dashboard) -> None:
    open_to_all = Backend.of(dashboard.backend.settings, dashboard.database, dashboard.store, loopback=False)
    assert create_app(open_to_all).test_client().get(f"{API}/runs").status_code == 401


@pytest.mark.parametrize(
    ("scope", "allowed"), [("read", [200, 403, 403]), ("run", [200, 201, 403]), ("admin", [200, 201, 200])]
)
def test_scopes_hold_and_the_name_is_the_actor(dashboard: Dashboard, scope: str, allowed: list[int]) -> None:
    dataset = dashboard.upload()
    secret = dashboard.backend.tokens.create("ada", scope, timedelta(days=1))  # type: ignore[arg-type]
    headers = _bearer(secret)
    made = dashboard.post("/runs", {"dataset": dataset}, headers=headers)
    assert [
        dashboard.get("/runs", headers=headers).status_code,
        made.status_code,
        dashboard.get("/tokens", headers=headers).status_code,
    ] == allowed
    if made.status_code == 201:
        events = dashboard.get(f"/runs/{made.json['id']}/events", headers=headers).json["items"]
        assert [event["actor"] for event in events] == ["ada"]


def test_a_session_cookie_does_what_its_token_does_and_ends_with_it(dashboard: Dashboard) -> None:
    secret = dashboard.backend.tokens.create("ada", "run", None)
    answer = dashboard.post("/session", {"token": secret})
    assert answer.status_code == 200
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert secret not in cookie
    assert dashboard.get("/session").json["actor"] == "ada"
    dashboard.backend.tokens.revoke("ada")
    assert dashboard.get("/session").status_code == 401


def test_logging_out_ends_the_session_and_not_only_the_cookie(dashboard: Dashboard) -> None:
    secret = dashboard.backend.tokens.create("ada", "run", None)
    cookie = dashboard.post("/session", {"token": secret}).headers["Set-Cookie"].split(";")[0]
    assert dashboard.client.delete(f"{API}/session").status_code == 204
    other = dashboard.app.test_client(use_cookies=False)
    assert other.get(f"{API}/session", headers={"Cookie": cookie}).status_code == 401


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1234"},
        {"Origin": "http://[broken"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Host": "evil.example"},
    ],
)
def test_pages_of_other_sites_are_refused(dashboard: Dashboard, headers: dict[str, str]) -> None:
    for answer in (dashboard.get("/runs", headers=headers), dashboard.post("/runs", {}, headers=headers)):
        assert answer.status_code == 403
        assert answer.json["type"] == "urn:disnplbm:problem:cross-origin"
        assert "Access-Control-Allow-Origin" not in answer.headers


def test_pages_of_its_own_are_not(dashboard: Dashboard) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert dashboard.get("/runs", headers=headers).status_code == 200


def test_every_answer_is_secured(dashboard: Dashboard) -> None:
    for path in (f"{API}/runs", f"{API}/health", "/nothing", f"{API}/openapi.json"):
        headers = dashboard.client.get(path).headers
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_fault_of_ours_shows_nothing_of_the_inside(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: object, **_: object) -> Runs:
        raise ZeroDivisionError("the secret of the inside")

    monkeypatch.setattr("disnplbm_dashboard.lists.listing.Listing.runs", broken)
    answer = dashboard.get("/runs")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.json["type"] == "urn:disnplbm:problem:internal"


def test_secrets_are_not_in_the_database(dashboard: Dashboard, tmp_path: Path) -> None:
    secret = dashboard.backend.tokens.create("ada", "run", None)
    cookie = dashboard.post("/session", {"token": secret}).headers["Set-Cookie"].split(";")[0].partition("=")[2]
    dashboard.database.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.glob("runs.sqlite3*"))
    assert b"ada" in kept
    assert secret.encode() not in kept
    assert cookie.encode() not in kept


def test_names_of_tokens_are_told_apart_for_ever(dashboard: Dashboard) -> None:
    tokens = dashboard.backend.tokens
    tokens.create("ada", "run", None)
    tokens.revoke("ada")
    for refused in (lambda: tokens.create("ada", "run", None), lambda: tokens.revoke("ada")):
        with pytest.raises(InputError, match="ada"):
            refused()
    for name in ("", "a b", "-x", "x" * 65, "a\n"):
        with pytest.raises(InputError, match="no name"):
            tokens.create(name, "run", None)


def test_lifetimes() -> None:
    assert parse_lifetime("90d") == timedelta(days=90)
    assert parse_lifetime("12h") == timedelta(hours=12)
    for text in ("", "90", "0d", "-1d", "1y", "1d ", "999999d"):
        with pytest.raises(InputError, match="12h, 90d or 4w"):
            parse_lifetime(text)


@pytest.mark.parametrize(
    "body", ["[" * 100_000, "{", "7", "null", '{"dataset": 1e999}', '{"dataset": "\\ud800"}', "\xff"]
)
def test_bodies_that_make_no_sense_are_refused(dashboard: Dashboard, body: str) -> None:
    answer = dashboard.client.post(f"{API}/runs", data=body.encode("latin-1"), content_type="application/json")
    assert answer.status_code in (400, 422)
    assert json.loads(answer.data)["type"].startswith("urn:disnplbm:problem:")


def test_a_token_whose_secret_is_kept_elsewhere(dashboard: Dashboard) -> None:
    tokens, secret, other = dashboard.backend.tokens, "a" * 32, "b" * 32
    assert tokens.put("ada", "read", secret)
    assert not tokens.put("ada", "read", secret)
    assert dashboard.get("/session", headers=_bearer(secret)).json["scope"] == "read"
    assert tokens.put("ada", "admin", other)
    assert dashboard.get("/session", headers=_bearer(secret)).status_code == 401
    assert dashboard.get("/session", headers=_bearer(other)).json["scope"] == "admin"
    with pytest.raises(InputError, match="too simple"):
        tokens.put("bob", "read", "secret")
    with pytest.raises(InputError, match="the secret of another"):
        tokens.put("bob", "read", other)
    tokens.revoke("ada")
    with pytest.raises(InputError, match="was revoked"):
        tokens.put("ada", "admin", other)


def test_the_command_takes_such_a_secret_and_does_not_say_it(tmp_path: Path) -> None:
    secret = "c" * 40
    words = ["token", "put", "--folder", str(tmp_path), "--name", "ada", "--scope", "admin"]
    for said in ("token ada is set\n", "token ada is as it was\n"):
        done = CliRunner().invoke(cli, words, input=f"{secret}\n", catch_exceptions=False)
        assert (done.exit_code, done.output) == (0, said)
    (tmp_path / "secret").write_text(secret.upper())
    done = CliRunner().invoke(cli, [*words, str(tmp_path / "secret")], catch_exceptions=False)
    assert done.output == "token ada is set\n"
