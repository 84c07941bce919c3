"""What the parts measure on: a folder with many runs, two large ones among them, served by a real process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.dashboard import history
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from disnplbm.objects.store import open_store
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from disnplbm_dashboard.embedded.runner import Runner
from disnplbm_dashboard.place import DATABASE, STORE
from integration.serving import Server, served

#: Rows and columns of the two large runs.
LARGE, HUGE = (100_000, 90), (1_000_000, 100)

#: Iterations of both: pictures are of what a run reports, however it came to it.
_ITERATIONS = 3

#: A window as most people have it.
VIEWPORT = {"width": 1280, "height": 900}


class Ground:
    """A folder of its own.

    Parameters
    ----------
    folder : Path
    threads : int
        For the large runs.
    """

    def __init__(self, folder: Path, threads: int) -> None:
        self.folder = folder
        self._threads = threads
        self._runs: dict[tuple[int, int], str] = {}

    @cached_property
    def history(self) -> history.Made:
        """The many runs, written when they are first asked for."""
        with self._opened() as (database, _):
            return history.write(database)

    def run(self, shape: tuple[int, int]) -> str:
        """A finished run of a matrix of this shape, done when it is first asked for, while no server is up; its id."""
        if shape not in self._runs:
            self._runs[shape] = self._done(*shape)
        return self._runs[shape]

    @contextmanager
    def serving(self) -> Iterator[Server]:
        """A server that has just been started."""
        _ = self.history
        with served(self.folder) as server:
            yield server

    def _done(self, rows: int, columns: int) -> str:
        _ = self.history
        made = self.folder.parent / "made"
        generate(made, rows=rows, columns=columns, row_clusters=10, column_clusters=3, seed=0)
        with self._opened() as (database, store):
            service = RunService(database, store)
            dataset = service.add_dataset(made / "x.npy")
            shutil.rmtree(made)
            request = Request(f"{rows:,} x {columns}", dataset.path)
            run = service.submit(dataset.id, request, Options(iterations=_ITERATIONS).to_dict())
            while Runner(database, store, self._threads).poll():
                pass
            assert service.run(run.id).state == "SUCCEEDED", service.run(run.id).error
        return run.id

    @contextmanager
    def _opened(self) -> Iterator[tuple[Database, Any]]:
        self.folder.mkdir(exist_ok=True)
        database = Database(sqlite_url(self.folder / DATABASE))
        database.migrate()
        try:
            yield database, open_store(self.folder / STORE)
        finally:
            database.close()
