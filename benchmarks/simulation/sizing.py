"""How many workers a table is worth, and what they take: arithmetic that the simulation is asked to confirm."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from benchmarks.simulation.costs import DISK_BYTES, MEMORY_BYTES, Costs, Table, setup_of
from benchmarks.simulation.model import Setup, Steps
from disnplbm.data.sharding import auto_shards

#: Assumptions, to be replaced by your own: what the store's link carries, in bytes a second ...
STORE_BYTES_A_SECOND = 1.25e9

#: ... and what a processor costs an hour, in dollars.
PRICE = 0.05

#: Processors beside the workers': one of the master, two of RabbitMQ, PostgreSQL and Redis.
OTHER_PROCESSORS = 3

#: Resident memory of a worker without shards: docs/cluster-benchmarks.md.
WORKER_BYTES = 323 * 2**20

#: A shard keeps at most so much beside its cells: disnplbm.sampler.shard.
KEPT_BYTES = 1 << 26

WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)

#: Twice the workers are worth it where they bring an iteration down to this part.
WORTH = 0.65


def shards_for(table: Table, workers: int) -> int:
    """Shards that all workers get equally many of: at least what ``--shards auto`` makes, none above the memory kept.

    More shards than that only cost the master more.
    """
    least = max(auto_shards(table.rows, table.columns, 1), math.ceil(table.bytes / MEMORY_BYTES))
    return workers * math.ceil(least / workers)


def setup_for(table: Table, workers: int, costs: Costs) -> Setup:
    """Who takes part on machines of their own, with the caches that are set by default, full."""
    clients = max(STORE_BYTES_A_SECOND * costs.kernels.store_byte, 1.0)
    return setup_of(table, workers, shards_for(table, workers), store_clients=clients)


def one_each(table: Table, workers: int, costs: Costs) -> Setup:
    """The same with one shard a worker, which has room for it."""
    return replace(setup_for(table, workers, costs), shards=workers, memory=1)


@dataclass(frozen=True)
class Bounds:
    """Seconds below which an iteration cannot be, by what holds it up.

    Parameters
    ----------
    workers : float
        The first shards published, then each worker does its shards; the last result, the column step.
    master : float
        All shards published, all results taken, the column step.
    store : float
        What no worker holds, through the store's link.
    """

    workers: float
    master: float
    store: float

    @property
    def seconds(self) -> float:
        """The largest of them."""
        return max(self.workers, self.master, self.store)


def sources(setup: Setup) -> tuple[float, float, float]:
    """Parts of the shards that a worker has in memory, on disk, and from the store, if any worker gets any shard.

    That is on the safe side: the master's order makes it likely that a worker gets those that it has.
    """
    memory, disk = (min(held / setup.shards, 1.0) for held in (setup.memory, setup.disk))
    return memory, (1 - memory) * disk, (1 - memory) * (1 - disk)


def bounds(steps: Steps, setup: Setup) -> Bounds:
    """The arithmetic of an iteration."""
    _, disk, store = sources(setup)
    end = steps.batch + steps.take + steps.step
    shard = steps.work + disk * steps.disk + store * steps.store + steps.turn
    each = setup.shards / setup.workers
    first = steps.lead + setup.workers * steps.publish + steps.to_worker
    return Bounds(
        workers=first + each * shard - steps.turn + steps.to_master + end,
        master=steps.lead + steps.tail + setup.shards * (steps.publish + steps.take) + steps.batch + steps.step,
        store=setup.shards * store * steps.store / setup.store_clients + steps.work + end,
    )


@dataclass(frozen=True)
class Plan:
    """What a run of a table takes.

    Parameters
    ----------
    table : Table
    setup : Setup
    steps : Steps
    bounds : Bounds
    """

    table: Table
    setup: Setup
    steps: Steps
    bounds: Bounds

    @property
    def memory(self) -> float:
        """Bytes of a worker."""
        rows = self.table.rows / self.setup.shards
        shard = self.table.bytes / self.setup.shards
        beside = min(rows * self.table.column_clusters * 24, KEPT_BYTES)
        held = min(max(self.setup.memory, 1), self.setup.shards)
        return WORKER_BYTES + held * (shard + beside)

    @property
    def disk(self) -> float:
        """Bytes of a worker's copies."""
        return min(self.table.bytes, DISK_BYTES)

    @property
    def processors(self) -> int:
        """Of workers, master and servers."""
        return self.setup.workers + OTHER_PROCESSORS

    def hours(self, iterations: int) -> float:
        """Of a run."""
        return self.bounds.seconds * iterations / 3600

    def money(self, iterations: int) -> float:
        """Of a run, in dollars."""
        return self.hours(iterations) * self.processors * PRICE


def plan_of(table: Table, workers: int, costs: Costs) -> Plan:
    """A plan with so many workers."""
    setup = setup_for(table, workers, costs)
    steps = costs.steps(table, setup.shards)
    return Plan(table, setup, steps, bounds(steps, setup))


def plan(table: Table, costs: Costs) -> Plan:
    """The plan with as many workers as are worth it; see :data:`WORTH`."""
    chosen = plan_of(table, WORKERS[0], costs)
    for workers in WORKERS[1:]:
        more = plan_of(table, workers, costs)
        if more.bounds.seconds > WORTH * chosen.bounds.seconds:
            break
        chosen = more
    return chosen
