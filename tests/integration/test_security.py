"""A server with tokens, as somebody who has none, or not the right one, meets it; and what it says and logs."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from sqlalchemy import update

from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Token

from .console import PATIENCE, call
from .serving import PART, Server, no_settings, served  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("no_settings")

#: A table whose names would do harm if they were ever taken for HTML.
EVIL = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(2)>", '"onmouseover="alert(3)')

TABLE = ",".join(["id", *(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in EVIL)]) + "\n"
TABLE += "".join(f"<u>{i}</u>,{i % 3},{i % 2 * 5},{i % 5}\n" for i in range(20))


@dataclass(frozen=True)
class Guarded:
    """A server, the secrets of its tokens by name, and a finished run on a table of evil names."""

    server: Server
    secrets: dict[str, str]
    run: str

    def ask(self, method: str, path: str, token: str, body: object = None) -> tuple[int, str]:
        """Status and text of an answer."""
        status, content, _ = self.server.ask(method, path, body, token=self.secrets.get(token, token))
        return status, content.decode() if isinstance(content, bytes) else json.dumps(content)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Tokens of all scopes; one that expires is made to have done so, and one is revoked."""
    folder = tmp_path_factory.mktemp("served")
    secrets = {
        name: call("token", "create", "--folder", folder, "--name", name, "--scope", scope).out.strip()
        for name, scope in (("reader", "read"), ("runner", "run"), ("chief", "admin"), ("late", "run"), ("gone", "run"))
    }
    _expire(folder, "late")
    assert call("token", "revoke", "gone", "--folder", folder).code == 0
    with served(folder, settings={"DISNPLBM_LOG_LEVEL": "debug"}) as server:
        dataset = server.upload(TABLE.encode(), "evil.csv", token=secrets["runner"], id_column="id")
        run = server.submit(dataset, token=secrets["runner"], iterations=3)
        server.wait(run, token=secrets["reader"])
        yield Guarded(server, secrets, run)
        code, said = server.end()
        assert code == 0
        for secret in secrets.values():
            assert secret not in said
        assert "Traceback" not in said


def _expire(folder: Path, name: str) -> None:
    """Let a token have expired a minute ago."""
    database = Database(f"sqlite:///{folder}/disnplbm.sqlite3")
    with database.session() as session:
        session.execute(
            update(Token).where(Token.name == name).values(expires_at=datetime.now(UTC) - timedelta(minutes=1))
        )
    database.close()


def _operations() -> list[tuple[str, str]]:
    """Method and path of everything that is not for everybody, from the document."""
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    return [
        (method.upper(), path.removeprefix("/api/v1"))
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if "security" in operation
    ]


def _filled(path: str, run: str) -> str:
    return path.replace("{run_id}", run).replace("{name}", "run.json").replace("{number}", "0")


@pytest.mark.parametrize("token", ["", "nonsense", "late", "gone"])
def test_without_a_valid_token_nothing_is_answered(guarded: Guarded, token: str) -> None:
    operations = _operations()
    assert len(operations) > 25
    for method, path in operations:
        status, said = guarded.ask(method, _filled(path, guarded.run), token, {} if method in ("POST", "PUT") else None)
        assert status == 401, (method, path)
        assert json.loads(said)["type"] == "urn:disnplbm:problem:unauthorized"


def test_who_may_read_changes_nothing(guarded: Guarded) -> None:
    for method, path in _operations():
        if method == "GET":
            continue
        status, _ = guarded.ask(method, _filled(path, guarded.run), "reader", {})
        assert status == 403, (method, path)
    assert guarded.ask("GET", f"/runs/{guarded.run}", "reader")[0] == 200
    for token, expected in (("reader", 403), ("runner", 403), ("chief", 200)):
        assert guarded.ask("GET", "/tokens", token)[0] == expected


def test_pages_of_another_origin_are_refused_with_any_token(guarded: Guarded) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        for method, path in (("GET", "/runs"), ("POST", "/runs"), ("DELETE", f"/runs/{guarded.run}")):
            status, said, answered = _raw(guarded, method, path, headers)
            assert (status, json.loads(said)["type"]) == (403, "urn:disnplbm:problem:cross-origin")
            assert not [name for name in answered if name.lower().startswith("access-control")]
    # What a browser asks before it sends a foreign page's request.
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    status, _, answered = _raw(guarded, "OPTIONS", "/runs", asked)
    assert status == 403
    assert not [name for name in answered if name.lower().startswith("access-control")]


def _raw(guarded: Guarded, method: str, path: str, headers: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
    connection = http.client.HTTPConnection("127.0.0.1", guarded.server.port, timeout=PATIENCE)
    given = {"Authorization": f"Bearer {guarded.secrets['chief']}", **headers}
    connection.request(method, f"/api/v1{path}", b"{}" if method == "POST" else None, given)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, body, dict(answer.headers)


@pytest.mark.parametrize(
    "name",
    [
        *("../request.json", "..", ".", "../../../../disnplbm.sqlite3", "/etc/passwd", "....//request.json"),
        *("run.json/../../request.json", "run.json\0", "run.json%00", "%2e%2e%2frequest.json", "..\\request.json"),
        *("RUN.JSON", "", "request.json", "run.json.part"),
    ],
)
def test_names_of_files_lead_nowhere_else(guarded: Guarded, name: str) -> None:
    for written in {quote(name, safe=""), quote(name, safe="/.")}:
        status, said, _ = _raw(guarded, "GET", f"/runs/{guarded.run}/artifacts/{written}", {})
        # The empty name is the list.
        assert status in (308, 404), (written, said[:200])
        assert b"root:" not in said
        assert b"SQLite format" not in said


@pytest.mark.parametrize("run", ["..", "%2e%2e", "../../uploads", "*", "%25", "' OR 1=1 --", "____", "%%%%"])
def test_ids_lead_nowhere_else(guarded: Guarded, run: str) -> None:
    status, said, _ = _raw(guarded, "GET", f"/runs/{quote(run, safe='')}/artifacts/run.json", {})
    assert status == 404
    assert b"Traceback" not in said


def test_a_body_that_is_too_large_is_refused_before_it_is_read(guarded: Guarded) -> None:
    assert guarded.ask("POST", "/runs", "chief", b" " * (PART + 2048))[0] == 413
    with socket.create_connection(("127.0.0.1", guarded.server.port), timeout=PATIENCE) as raw:
        # It promises a terabyte, sends little, and is answered at once.
        raw.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1099511627776\r\n\r\n{")
        assert raw.recv(100).startswith(b"HTTP/1.1 413")
    with socket.create_connection(("127.0.0.1", guarded.server.port), timeout=PATIENCE) as raw:
        raw.sendall(b"GET /api/v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 2**20 + b"\r\n\r\n")
        assert raw.recv(100).startswith(b"HTTP/1.0 431")


def test_scripts_in_names_stay_text(guarded: Guarded) -> None:
    run = guarded.run
    status, columns, answered = _raw(guarded, "GET", f"/runs/{run}/artifacts/columns.csv", {})
    assert status == 200
    # Data, which browsers keep and do not show.
    assert EVIL[1].encode() in columns
    assert answered["Content-Disposition"].startswith("attachment")
    assert answered["X-Content-Type-Options"] == "nosniff"
    status, report, answered = _raw(guarded, "GET", f"/runs/{run}/artifacts/report.html", {})
    assert status == 200
    for name in (*EVIL, "<u>"):
        assert name.encode() not in report
    assert answered["Content-Security-Policy"].startswith("sandbox")
    assert "default-src 'none'" in answered["Content-Security-Policy"]
    for path in (f"/runs/{run}", "/runs?search=%3Cscript%3E", "/datasets", f"/runs/{run}/heatmap?width=3&height=20"):
        status, said, answered = _raw(guarded, "GET", path, {})
        assert status == 200
        assert json.loads(said) is not None
        assert answered["Content-Type"] == "application/json"
        assert answered["X-Content-Type-Options"] == "nosniff"
    names = json.loads(said)["column_names"]
    assert sorted(names) == sorted(EVIL)
    # An error says what was sent, as JSON and never as a page.
    status, said, answered = _raw(guarded, "GET", "/runs/%3Cscript%3Ealert(1)%3C%2Fscript%3E", {})
    assert (status, answered["Content-Type"]) == (404, "application/problem+json")


def test_secrets_are_in_no_answer(guarded: Guarded) -> None:
    paths = ("/tokens", "/session", "/events", "/workers", f"/runs/{guarded.run}", f"/runs/{guarded.run}/events")
    said = [_raw(guarded, "GET", path, {})[1].decode() for path in paths]
    status, _, answered = _raw(guarded, "GET", "/runs?cursor=" + guarded.secrets["reader"], {})
    assert status == 422
    said.append(json.dumps(answered))
    refused = call("token", "list", "--folder", guarded.server.folder, "--json")
    said.append(refused.out)
    for secret in guarded.secrets.values():
        for text in said:
            assert secret not in text
    assert "sqlite" not in "".join(said)
    # Nor where the processes of this machine can be looked at.
    arguments = Path(f"/proc/{guarded.server.process.pid}/cmdline").read_bytes()
    assert not [secret for secret in guarded.secrets.values() if secret.encode() in arguments]
