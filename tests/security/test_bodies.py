"""Bodies: judged before they are taken, bounded, counted before they are looked at, and called what they are."""

from __future__ import annotations

import json
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path

import pytest

from disnplbm.runs.partial import UPLOAD_PART_BYTES
from disnplbm_dashboard import connections
from disnplbm_dashboard.security import BODY_BYTES

from .conftest import Site

KINDS = {
    "nobody": ("", 401),
    "a reader": ("reader", 403),
}


def _head(path: str, length: int, token: str = "", method: str = "POST") -> bytes:
    lines = [f"{method} /api/v1{path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {length}"]
    lines += ["Content-Type: application/json"]
    lines += [f"Authorization: Bearer {token}"] if token else []
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _held(site: Site) -> int:
    """Bytes of bodies that the server keeps."""
    channels = list(site._server.active_channels.values())
    requests = [channel.request for channel in channels if channel.request is not None]
    return sum(len(request.body_rcv) for request in requests if request.body_rcv is not None)


def _wait(done: object) -> None:
    """Until something holds."""
    assert callable(done)
    deadline, tick = time.monotonic() + 60, threading.Event()
    while not done():
        assert time.monotonic() < deadline
        tick.wait(0.01)


def test_nothing_large_is_kept_of_whom_nobody_knows(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty bodies that are begun and not ended: 988 MB in the temporary folder once."""
    monkeypatch.setattr(tempfile, "tempdir", str(site.folder / "temporary"))
    (site.folder / "temporary").mkdir()
    begun, megabyte = [], b" " * 2**20
    for _ in range(8):
        context = site.raw(_head("/runs", UPLOAD_PART_BYTES))
        connection = context.__enter__()
        begun.append((context, connection))
        for _ in range(4):
            connection.sendall(megabyte)
    channels = site._server.active_channels
    _wait(lambda: sum(getattr(c.request, "body_bytes_received", 0) for c in list(channels.values())) >= 8 * 4 * 2**20)
    assert _held(site) == 0
    assert list((site.folder / "temporary").iterdir()) == []
    for context, connection in begun:
        connection.sendall(b" " * (UPLOAD_PART_BYTES - 4 * 2**20))
        assert connection.recv(100).startswith(b"HTTP/1.1 401")
        context.__exit__(None, None, None)


@pytest.mark.parametrize("who", KINDS)
@pytest.mark.parametrize("path", ["/runs", "/datasets/0123456789ab/parts/0"])
def test_who_sends_a_whole_part_is_told_why_it_is_refused(site: Site, who: str, path: str) -> None:
    """The answer can be read, and the connection is not torn down under the sender."""
    token, status = KINDS[who]
    method = "POST" if path == "/runs" else "PUT"
    found, problem = site.ask(method, path, b" " * UPLOAD_PART_BYTES, getattr(site, token) if token else "")
    assert found == status
    assert problem["type"].startswith("urn:disnplbm:problem:")


def test_a_part_of_whom_the_server_knows_is_kept(site: Site) -> None:
    content = bytes(UPLOAD_PART_BYTES) + b"x" * 100
    announced = json.dumps({"name": "x.npy", "bytes": len(content)}).encode()
    status, made = site.ask("POST", "/datasets", announced, site.runner)
    assert status == 201
    for number in (0, 1):
        part = content[number * UPLOAD_PART_BYTES : (number + 1) * UPLOAD_PART_BYTES]
        assert site.ask("PUT", f"/datasets/{made['id']}/parts/{number}", part, site.runner)[0] == 204
    assert site.ask("POST", f"/datasets/{made['id']}/complete", b"{}", site.runner)[0] == 200


def _operations() -> list[tuple[str, str]]:
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    return [
        (method.upper(), path.removeprefix("/api/v1"))
        for path, operations in document["paths"].items()
        for method in operations
    ]


LARGE = (
    ("POST", "/runs"),
    ("PUT", "/datasets/{dataset_id}/parts/{number}"),
    ("POST", "/previews"),
    ("POST", "/previews/factors"),
)


def test_bodies_are_of_kilobytes_but_for_parts_beginnings_and_new_runs(site: Site) -> None:
    operations = _operations()
    assert len(operations) > 30
    for method, path in operations:
        filled = path.replace("{run_id}", "0" * 12).replace("{dataset_id}", "0" * 12).replace("{number}", "0")
        status, _ = site.ask(method, filled.replace("{name}", "x"), b" " * (BODY_BYTES + 1), site.chief)
        assert (status != 413) == ((method, path) in LARGE), (method, path, status)


def test_what_anybody_may_send_is_smaller_still(site: Site) -> None:
    body = json.dumps({"token": "x" * connections.TAKEN_FROM_ANYBODY}).encode()
    assert site.ask("POST", "/session", body)[0] == 413
    assert site.ask("POST", "/session", json.dumps({"token": site.reader}).encode())[0] == 200


def test_a_body_of_unknown_length_is_judged_and_bounded_too(site: Site) -> None:
    head = b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
    piece = b"10000\r\n" + b" " * 2**16 + b"\r\n"
    with site.raw(head + b"\r\n") as connection:
        for _ in range(32):
            connection.sendall(piece)
        _wait(lambda: any(getattr(c.request, "unread", False) for c in list(site._server.active_channels.values())))
        assert _held(site) == 0
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 401")
    small = head.replace(b"/runs", b"/datasets") + f"Authorization: Bearer {site.runner}\r\n\r\n".encode()
    with site.raw(small) as connection:
        for _ in range(3):
            connection.sendall(piece)
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_json_is_taken_under_its_own_name_only(site: Site, kind: str) -> None:
    """A form on a page of another site can send any of these without being asked first."""
    body = json.dumps({"token": site.reader}).encode()
    status, problem = site.ask("POST", "/session", body, Content_Type=kind)
    assert (status, problem["type"]) == (415, "urn:disnplbm:problem:unsupported")
    assert site.ask("POST", "/session", body, Content_Type="application/json; charset=utf-8")[0] == 200


def test_a_million_unknown_fields_are_twenty_errors(site: Site) -> None:
    body = json.dumps({"dataset": site.dataset(), **{f"k{i}": 0 for i in range(1_000_000)}}).encode()
    assert len(body) < UPLOAD_PART_BYTES
    tracemalloc.start()
    try:
        status, problem = site.ask("POST", "/runs", body, site.runner)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert status == 422
    assert len(problem["errors"]) == 20
    assert len(json.dumps(problem)) < 10_000
    # What JSON makes of it, and no error for each.
    assert peak < 500 * 2**20


@pytest.mark.parametrize("field", ["start_rows", "row_classes"])
def test_a_million_bad_labels_are_a_few_errors(site: Site, field: str) -> None:
    body = {"dataset": site.dataset(), field: [{}] * 1_000_000}
    status, problem = site.ask("POST", "/runs", json.dumps(body).encode(), site.runner)
    assert status == 422
    assert len(problem["errors"]) <= 20


def test_lists_are_counted_before_they_are_looked_at(site: Site) -> None:
    body = {"name": "x.csv", "bytes": 1, "missing": [{}] * 51, "drop_columns": [{}] * 501}
    status, problem = site.ask("POST", "/datasets", json.dumps(body).encode(), site.runner)
    assert status == 422
    said = " ".join(error["what"] for error in problem["errors"])
    assert "it has 51 items, and may have 50" in said
    assert "it has 501 items, and may have 500" in said


def test_a_long_name_of_a_field_is_cut(site: Site) -> None:
    body = json.dumps({"dataset": site.dataset(), "x" * 1_000_000: 1}).encode()
    status, problem = site.ask("POST", "/runs", body, site.runner)
    assert status == 422
    assert len(json.dumps(problem)) < 3000
