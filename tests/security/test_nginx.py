"""nginx before the server, as docs/proxy.md has it: people's work goes through it, and strangers stop there."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from disnplbm.runs.partial import UPLOAD_PART_BYTES
from integration.console import PATIENCE
from services.nginx import Nginx

from .conftest import Site


class Fronted:
    """A site behind nginx."""

    def __init__(self, nginx: Nginx, site: Site) -> None:
        self.nginx, self.site = nginx, site

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """Status and body of an answer that came through nginx."""
        connection = http.client.HTTPConnection("127.0.0.1", self.nginx.port, timeout=PATIENCE)
        given = {"Authorization": f"Bearer {self.site.runner}", "Content-Type": "application/json", **headers}
        connection.request(method, f"/blocks/api/v1{path}", body, given)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def raw(self, sent: str) -> socket.socket:
        """A connection to nginx on which something was sent."""
        connection = socket.create_connection(("127.0.0.1", self.nginx.port), timeout=PATIENCE)
        connection.sendall(sent.encode())
        return connection


@pytest.fixture(scope="module")
def fronted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fronted]:
    with Nginx() as nginx:
        site = Site(tmp_path_factory.mktemp("site"), threads=100, public_url=nginx.url)
        nginx.target = site.port
        nginx.start()
        yield Fronted(nginx, site)
        site.close()


def test_a_file_goes_through_in_parts_and_its_run_can_be_followed(fronted: Fronted) -> None:
    content = b"a,b\n" + b"1,2\n3,4\n5,7\n" * (UPLOAD_PART_BYTES // 12 + 10)
    announced: dict[str, Any] = {"name": "x.csv", "bytes": len(content)}
    status, made = fronted.ask("POST", "/datasets", json.dumps(announced).encode())
    assert status == 201
    dataset = json.loads(made)["id"]
    for number in (0, 1):
        part = content[number * UPLOAD_PART_BYTES : (number + 1) * UPLOAD_PART_BYTES]
        assert fronted.ask("PUT", f"/datasets/{dataset}/parts/{number}", part) == (204, b"")
    assert fronted.ask("POST", f"/datasets/{dataset}/complete", b"{}")[0] == 200
    assert fronted.ask("POST", "/runs", json.dumps({"dataset": dataset}).encode())[0] == 201


def test_live_pages_hear_at_once(fronted: Fronted) -> None:
    """Nothing is held back until there is enough of it."""
    head = "GET /blocks/api/v1/events/stream HTTP/1.1\r\nHost: x\r\n"
    with fronted.raw(f"{head}Authorization: Bearer {fronted.site.reader}\r\n\r\n") as stream:
        said = b""
        while b"retry: 2000" not in said:
            piece = stream.recv(1000)
            assert piece, said
            said += piece


def test_pages_of_the_public_address_may_ask_and_no_others(fronted: Fronted) -> None:
    own = f"http://127.0.0.1:{fronted.nginx.port}"
    assert fronted.ask("GET", "/runs", Origin=own)[0] == 200
    for origin in (own.replace("http", "https"), "https://evil.example", f"http://127.0.0.1:{fronted.site.port}"):
        assert fronted.ask("GET", "/runs", Origin=origin)[0] == 403


def test_what_is_larger_than_a_part_stops_at_nginx(fronted: Fronted) -> None:
    with fronted.raw(
        f"PUT /blocks/api/v1/datasets/0/parts/0 HTTP/1.1\r\nHost: x\r\nContent-Length: {2**25}\r\n\r\n"
    ) as raw:
        assert raw.recv(100).startswith(b"HTTP/1.1 413")


def test_one_address_has_so_many_requests_at_a_time(fronted: Fronted) -> None:
    """Requests count by the address of who asks, not by the address of the proxy, from which all reach the server."""
    head = "GET /blocks/api/v1/events/stream HTTP/1.1\r\nHost: x\r\n"
    head += f"Authorization: Bearer {fronted.site.reader}\r\n\r\n"
    with ExitStack() as stack:
        streams = [stack.enter_context(fronted.raw(head)) for _ in range(50)]
        assert all(stream.recv(12) == b"HTTP/1.1 200" for stream in streams)
        assert fronted.ask("GET", "/runs")[0] == 429
        other = stack.enter_context(
            socket.create_connection(("127.0.0.1", fronted.nginx.port), PATIENCE, source_address=("127.0.0.3", 0))
        )
        other.sendall(b"GET /blocks/api/v1/health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert other.recv(12) == b"HTTP/1.1 200"
