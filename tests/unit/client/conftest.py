"""A dashboard behind its real server, in this process, and a proxy before it that can cut connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from disnplbm.client import connection as connecting
from disnplbm.client.address import Address
from disnplbm.client.connection import Connection
from disnplbm.client.server import ServerRuns
from disnplbm.engine.options import Options
from disnplbm.runs.request import Request
from services.dashboard import ServedDashboard
from services.proxy import Proxy

TABLE = b"a,b\n" + b"".join(b"%d,%d\n" % (i % 3 * 5, i % 7) for i in range(30))


class Served(ServedDashboard):
    """A server behind a proxy, and a client.

    Attributes
    ----------
    said : list of str
        What the client was told besides.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.said: list[str] = []
        self.proxy = Proxy(self.port)
        self.url = f"http://127.0.0.1:{self.proxy.port}"
        self.runs = self.client()

    def client(self, token: str | None = None) -> ServerRuns:
        """Another client."""
        return ServerRuns(Connection(Address.of(self.url, token), self.said.append))

    def submit(self, runs: ServerRuns | None = None, **options: Any) -> str:
        """Upload the table, and submit a run of it; its id."""
        runs = runs or self.runs
        (self.folder / "table.csv").write_bytes(TABLE)
        dataset = runs.upload(self.folder / "table.csv", READING, silent)
        return runs.submit(dataset, REQUEST, Options(**{"iterations": 3, **options}).to_dict()).id

    def close(self) -> None:
        """End both."""
        self.proxy.close()
        super().close()


READING = {"id_column": None, "class_column": None, "header": "auto"}

REQUEST = Request("table.csv", "table.csv", n_shards=2)


def silent(stage: str, done: int, total: int) -> None:
    """No bars."""


class Clock:
    """Time that passes while somebody sleeps, and only then."""

    def __init__(self) -> None:
        self.now = 0.0
        self.then: Callable[[], None] = lambda: None

    def monotonic(self) -> float:
        """The moment, in seconds."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass, and what happens in it."""
        self.now += seconds
        self.then()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The client's."""
    found = Clock()
    monkeypatch.setattr(connecting, "time", found)
    return found


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An empty server, with no engine of its own."""
    found = Served(tmp_path)
    yield found
    found.close()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of 40 bytes."""
    monkeypatch.setattr("disnplbm.runs.partial.UPLOAD_PART_BYTES", 40)
    monkeypatch.setattr("disnplbm_dashboard.api.datasets.UPLOAD_PART_BYTES", 40)
