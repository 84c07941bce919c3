"""An embedded engine on a small table, with nothing around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.options import Options
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.database import Database
from disnplbm.runs.records import Advance
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from disnplbm_dashboard.embedded.runner import Runner

OPTIONS = Options(iterations=12, burn_in=6, draws=3, chains=2, restarts=2, seed=3)


def blocks(folder: Path) -> Path:
    """A table of 40 x 6 in blocks."""
    generator = np.random.default_rng(4)
    values = generator.normal(size=(40, 6)) + 3.0 * generator.integers(0, 3, (40, 1)) * generator.integers(0, 2, (1, 6))
    np.save(folder / "x.npy", values)
    return folder / "x.npy"


@dataclass
class Bench:
    """A database, a store, and a table in it."""

    database: Database
    store: ObjectStore
    service: RunService
    table: Path

    @classmethod
    def of(cls, table: Path, folder: Path) -> Bench:
        """An empty one in a folder."""
        database = Database(f"sqlite:///{folder}/runs.sqlite3")
        database.migrate()
        store = open_store(folder / "store")
        return cls(database, store, RunService(database, store), table)

    def submit(self, options: Options = OPTIONS, dataset: str | None = None, **request: Any) -> str:
        """Hand in the table, unless a dataset is given; the run's id."""
        dataset = dataset or self.service.add_dataset(self.table).id
        given = Request("x", "x", n_shards=2, **request)
        return self.service.submit(dataset, given, options.to_dict()).id

    def runner(self) -> Runner:
        """A runner that has not begun; every state an object of its own."""
        return Runner(self.database, self.store, threads=1, inline_bytes=0)

    def record(self, run: str) -> dict[str, Any]:
        """What run.json says."""
        return dict(json.loads(bytes(self.service.read_result(run, "run.json"))))

    def after(self, monkeypatch: pytest.MonkeyPatch, commits: int, happening: Callable[[], object]) -> None:
        """Let a runner look, and let something happen after so many of its commits."""
        count = 0
        advance = ChainStore.advance

        def counted(chains: ChainStore, step: Advance) -> bool:
            nonlocal count
            count += 1
            if count == commits:
                happening()
            return advance(chains, step)

        with monkeypatch.context() as patch:
            patch.setattr(ChainStore, "advance", counted)
            assert self.runner().poll()
