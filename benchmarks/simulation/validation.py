"""The simulation against real runs with 1, 2, 4 and 8 worker processes that share this machine's processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.cluster.servers import Servers
from benchmarks.simulation.costs import Costs, Table, setup_of
from benchmarks.simulation.model import Setup, share, simulate
from benchmarks.simulation.observation import SKIPPED, Shape, observe
from disnplbm.machine import usable_cores

WORKERS = (1, 2, 4, 8)

#: Little to sweep, and much.
SHAPES = (Shape(3_200, 90, 10, 3, 16), Shape(400_000, 90, 10, 3, 16))

ITERATIONS = 40

#: Workers, shards, and how many of them a worker's memory holds: all that it would keep, or too few.
HELD = ((4, 4, 1), (8, 8, 1), (4, 8, 2), (4, 16, 3))

_KEPT = Table(40_000, 20)

#: More than the tables have: after the first iterations a worker has every shard in memory that it was given before.
_MEMORY_BYTES = 2**30


@dataclass(frozen=True)
class Compared:
    """A real run.

    Parameters
    ----------
    rows, columns, row_clusters, column_clusters, shards, workers : int
    seconds : float
        Of an iteration, median.
    others : float
        Processors that did something else meanwhile.
    """

    rows: int
    columns: int
    row_clusters: int
    column_clusters: int
    shards: int
    workers: int
    seconds: float
    others: float

    @property
    def table(self) -> Table:
        """What was run."""
        return Table(self.rows, self.columns, self.row_clusters, self.column_clusters)

    def predicted(self, costs: Costs, cores: int) -> float:
        """Simulated seconds, with the processors that the others left."""
        left = max(cores - self.others, 0.1)
        setup = setup_of(self.table, self.workers, self.shards, memory_bytes=_MEMORY_BYTES, cores=left, full=False)
        steps = costs.steps(self.table, self.shards, at_rest=True)
        return simulate(steps, setup, iterations=ITERATIONS - SKIPPED, skipped=SKIPPED).median

    def error(self, costs: Costs, cores: int) -> float:
        """Of the prediction, relative to the run."""
        return self.predicted(costs, cores) / self.seconds - 1.0


@dataclass(frozen=True)
class Kept:
    """Where the workers of a real run had their shards from, whose memory holds some of them and whose disk none.

    Parameters
    ----------
    workers, shards, held : int
        ``held``: shards that a worker's memory holds.
    memory : float
        Part of the shards that came from memory.
    """

    workers: int
    shards: int
    held: int
    memory: float

    def predicted(self, costs: Costs, cores: int) -> float:
        """The part, simulated."""
        setup = Setup(self.workers, self.shards, memory=self.held, cores=cores, full=False)
        steps = costs.steps(_KEPT, self.shards, at_rest=True)
        return share(simulate(steps, setup, iterations=ITERATIONS - SKIPPED, skipped=SKIPPED).counted, "memory")


def run_kept(servers: Servers) -> list[Kept]:
    """Real runs with small memories."""
    found = []
    for workers, shards, held in HELD:
        shape = Shape(_KEPT.rows, _KEPT.columns, _KEPT.row_clusters, _KEPT.column_clusters, shards)
        # And some bytes: no shard more fits into them.
        memory = _KEPT.bytes * held // shards + 2**16
        settings = {"DISNPLBM_CACHE_MEMORY_BYTES": str(memory), "DISNPLBM_CACHE_DISK_BYTES": "0"}
        seen = observe(servers, shape, workers, ITERATIONS, environment=settings)
        found.append(Kept(workers, shards, held, share(seen.sources[SKIPPED:], "memory")))
        print(found[-1], flush=True)
    return found


def run(servers: Servers) -> list[Compared]:
    """All real runs."""
    found = []
    for shape in SHAPES:
        for workers in WORKERS:
            seen = observe(servers, shape, workers, ITERATIONS)
            found.append(Compared(**asdict(shape), workers=workers, seconds=seen.median, others=seen.others))
            print(found[-1], flush=True)
    return found


def cores() -> int:
    """Processors of this machine."""
    return usable_cores()


def from_json(records: Sequence[dict[str, Any]]) -> list[Compared]:
    """Runs from their records."""
    return [Compared(**record) for record in records]


def kept_from_json(records: Sequence[dict[str, Any]]) -> list[Kept]:
    """The same of runs with small memories."""
    return [Kept(**record) for record in records]
