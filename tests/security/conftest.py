"""A dashboard behind its real server, with tokens."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from integration.console import PATIENCE
from services.dashboard import ServedDashboard


class Site(ServedDashboard):
    """A server with a token of each scope."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, **settings)
        tokens = self.backend.tokens
        self.reader, self.runner, self.chief = (
            tokens.create(name, scope, None)  # type: ignore[arg-type]
            for name, scope in (("reader", "read"), ("runner", "run"), ("chief", "admin"))
        )

    def ask(
        self, method: str, path: str, body: bytes | None = None, token: str = "", **headers: str
    ) -> tuple[int, dict[str, Any]]:
        """Status and JSON of an answer; names of headers have _ in place of -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        given = {"Authorization": f"Bearer {token}"} if token else {}
        given |= {"Content-Type": "application/json"} if body is not None else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, f"/api/v1{path}", body, given)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return answer.status, json.loads(content) if content else {}

    @contextmanager
    def raw(self, sent: bytes) -> Iterator[socket.socket]:
        """A connection on which some bytes were sent."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(sent)
            yield connection

    def dataset(self) -> str:
        """A small dataset; its id."""
        path = self.folder / "table.csv"
        path.write_text("a,b\n1,2\n3,4\n5,7\n")
        return self.service.add_dataset(path).id


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """One on an empty database."""
    found = Site(tmp_path)
    yield found
    found.close()
