"""A run whose shards are all answered at once: what stands in for its workers, and how it is submitted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from benchmarks.cluster.servers import Servers
from benchmarks.master.workers import RARE, SWEPT
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from services.cluster import Cluster, Member

_ROOT = str(Path(__file__).resolve().parents[2])

#: Iterations before those that count, while the first are swept.
SKIPPED = SWEPT + 3

#: Rows of a shard, and columns: as many as make statistics of 1.5 kB.
_ROWS, _COLUMNS = 8, 60


class Program(Member):
    """A module that runs as a process of its own, until the block is left."""

    def __init__(self, cluster: Cluster, module: str, *arguments: str) -> None:
        # It runs in a folder of its own, where Python would not find the benchmarks.
        super().__init__(module, {**cluster.environment, "PYTHONPATH": _ROOT})
        self._arguments = arguments

    def command(self) -> list[str]:
        return [sys.executable, "-m", self.name, *self._arguments]

    def __enter__(self) -> Self:
        self.start()
        return self


@contextmanager
def answered(cluster: Cluster, n_shards: int) -> Iterator[Program]:
    """Have the files of a run read, and its shards answered; what answers them."""
    with (
        Program(cluster, "disnplbm_worker.files", "files", str(os.getpid())),
        Program(cluster, "benchmarks.master.workers", str(n_shards)) as workers,
    ):
        yield workers


def submit_answered(servers: Servers, cluster: Cluster, n_shards: int, iterations: int) -> str:
    """Submit a run of at least so many iterations, of a table that is one cluster; its id."""
    folder = servers.folder / f"table-{n_shards}"
    if not folder.exists():
        generate(folder, rows=_ROWS * n_shards, columns=_COLUMNS, row_clusters=1, column_clusters=1, seed=0)
    # None of them is a draw, for which the master would ask for labels that are not there.
    length = iterations + 100
    options = Options(iterations=length, burn_in=length - 1, start="one", alpha=RARE, beta=RARE)
    return cluster.submit(folder / "x.npy", options, n_shards=n_shards, axis="rows")
