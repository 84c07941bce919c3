"""``disnplbm serve`` as a process of its own, and a script that talks to it."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from disnplbm import settings as reading

from .console import PATIENCE, command, quiet

PART = 16 * 2**20


class Server:
    """``disnplbm serve`` on a folder, or another program in its place; port 0 takes a free one."""

    def __init__(
        self,
        folder: Path,
        *options: object,
        port: int = 0,
        settings: Mapping[str, str] = MappingProxyType({}),
        program: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        environment = {name: value for name, value in quiet().items() if not name.startswith("DISNPLBM_")}
        environment |= settings
        self.process = subprocess.Popen(
            [*(program or command()), "serve", "--folder", str(folder), "--port", str(port), *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("disnplbm is at http://127.0.0.1:"), self.process.communicate()
        self.port = int(line.rpartition(":")[2])

    def ask(
        self, method: str, path: str, body: Any = None, token: str = ""
    ) -> tuple[int, Any, http.client.HTTPMessage]:
        """Status, body (JSON is decoded) and headers of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if not isinstance(body, bytes | None):
            headers["Content-Type"] = "application/json"
        connection.request(method, f"/api/v1{path}", data, headers)
        answer = connection.getresponse()
        content: Any = answer.read()
        connection.close()
        if "json" in answer.headers.get("Content-Type", ""):
            content = json.loads(content)
        return answer.status, content, answer.headers

    def upload(self, content: bytes, name: str, *, token: str = "", **reading: Any) -> str:
        """Upload a file; the dataset's id."""
        announced = {"name": name, "bytes": len(content), **reading}
        status, made, _ = self.ask("POST", "/datasets", announced, token)
        assert status == 201, made
        for number in range(made["parts"]):
            part = content[number * PART : (number + 1) * PART]
            assert self.ask("PUT", f"/datasets/{made['id']}/parts/{number}", part, token)[0] == 204
        digest = {"sha256": hashlib.sha256(content).hexdigest()}
        status, done, _ = self.ask("POST", f"/datasets/{made['id']}/complete", digest, token)
        assert (status, done["state"]) == (200, "UPLOADED")
        return str(made["id"])

    def preflight(self, dataset: str) -> tuple[int, Any]:
        """Ask for the report of a dataset until it is made; status and body of the answer."""
        deadline = time.monotonic() + PATIENCE
        while True:
            status, report, _ = self.ask("GET", f"/datasets/{dataset}/preflight")
            if status != 202:
                return status, report
            assert time.monotonic() < deadline, report

    def submit(self, dataset: str, *, token: str = "", **options: Any) -> str:
        """Submit a run; its id."""
        status, made, _ = self.ask("POST", "/runs", {"dataset": dataset, "shards": 2, "options": options}, token)
        assert status == 201, made
        return str(made["id"])

    def wait(
        self, run: str, states: tuple[str, ...] = ("SUCCEEDED",), done: int = 0, *, token: str = ""
    ) -> dict[str, Any]:
        """Wait until a run has come so far."""
        deadline = time.monotonic() + PATIENCE
        while True:
            found: dict[str, Any] = self.ask("GET", f"/runs/{run}", token=token)[1]
            if found["state"] in states and found["progress"]["done"] >= done:
                return found
            assert found["state"] in ("PENDING", "RUNNING"), found
            assert time.monotonic() < deadline, found
            time.sleep(0.02)

    def file(self, run: str, name: str) -> bytes:
        """A file of a finished run."""
        status, content, _ = self.ask("GET", f"/runs/{run}/artifacts/{name}")
        assert status == 200
        return content if isinstance(content, bytes) else json.dumps(content).encode()

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """End the process: its exit code, and what it said on standard error."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said


@contextmanager
def served(
    folder: Path,
    *options: object,
    port: int = 0,
    settings: Mapping[str, str] = MappingProxyType({}),
    program: Sequence[str] = (),
) -> Iterator[Server]:
    """A server, ended in the end."""
    server = Server(folder, *options, port=port, settings=settings, program=program)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Settings as they are by default, for the commands in this process."""
    for name in os.environ:
        if name.startswith("DISNPLBM_"):
            monkeypatch.delenv(name)
    reading.settings.cache_clear()
    yield
    reading.settings.cache_clear()
