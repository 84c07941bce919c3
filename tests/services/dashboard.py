"""The dashboard behind its real server, in this process."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from disnplbm.objects import open_store
from disnplbm.runs.database import Database
from disnplbm.runs.service import RunService
from disnplbm.settings import Settings
from disnplbm_dashboard.app import create_app
from disnplbm_dashboard.backend import Backend
from disnplbm_dashboard.connections import Server
from disnplbm_dashboard.embedded.runner import Runner
from disnplbm_dashboard.security import measure_admission

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]


class EmbeddedParts:
    """What a dashboard works on: an empty SQLite database and a folder, with no engine of its own."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.database = Database(f"sqlite:///{folder}/runs.sqlite3")
        self.database.migrate()
        self.store = open_store(folder / "store")
        self.backend = Backend.of(Settings(**settings), self.database, self.store)

    def finish(self) -> None:
        """Take all runs to their end."""
        runner = Runner(self.database, self.store, threads=1)
        while runner.poll():
            pass


class ServedDashboard(EmbeddedParts):
    """A server on an empty SQLite database and a folder, with no engine of its own.

    Attributes
    ----------
    port : int
        Of 127.0.0.1.
    asked : list of str
        Method and path of every request that it heard.
    around : callable, optional
        Called with the application, the environment and start_response in place of the application.
    """

    def __init__(self, folder: Path, threads: int = 4, **settings: Any) -> None:
        super().__init__(folder, **settings)
        self.service = RunService(self.database, self.store)
        self.asked: list[str] = []
        self.around: Callable[[Application, dict[str, Any], Any], Iterable[bytes]] | None = None
        self._app = create_app(self.backend)
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(listening.getsockname()[1])
        self._server = Server(self._answer, partial(measure_admission, self._app), listening, threads=threads)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it: first what is being answered, since it wakes the loop through a pipe that the loop's end closes."""
        self.backend.tailer.stop()
        self._server.task_dispatcher.shutdown()
        self._over.set()
        self._thread.join()
        self.database.close()

    def _serve(self) -> None:
        loop, connections = self._server.asyncore, self._server._map
        while not self._over.is_set():
            loop.loop(timeout=0.1, map=connections, count=1)
        loop.close_all(connections)

    def _answer(self, environment: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        self.asked.append(f"{environment['REQUEST_METHOD']} {environment['PATH_INFO'].removeprefix('/api/v1')}")
        if self.around is not None:
            return self.around(self._app, environment, start_response)
        found: Iterable[bytes] = self._app(environment, start_response)
        return found
