"""Measured costs, and the seconds of each step of an iteration that follow from them for a table."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.simulation.model import Setup, Steps

#: Where the measured costs of this machine are kept.
MEASURED = Path(__file__).with_name("measured.json")

#: Bytes of a cell.
CELL = 8

#: Bytes that a shard sends of a column in a cluster, d = 1: count, mean, scatter.
STATISTIC = 24

#: What a worker keeps of shards by default, in memory and on disk: disnplbm.settings.
MEMORY_BYTES, DISK_BYTES = 2**30, 10 * 2**30


@dataclass(frozen=True)
class Table:
    """A table, d = 1, complete, its longer side sharded, and the clusters that it has.

    Parameters
    ----------
    rows, columns : int
    row_clusters, column_clusters : int
    """

    rows: int
    columns: int
    row_clusters: int = 10
    column_clusters: int = 3

    @property
    def bytes(self) -> int:
        """Of its cells."""
        return self.rows * self.columns * CELL

    @property
    def blocks(self) -> int:
        """K x L."""
        return self.row_clusters * self.column_clusters

    def __str__(self) -> str:
        return f"{self.rows:,} x {self.columns}, {self.row_clusters} x {self.column_clusters} blocks"


@dataclass(frozen=True)
class Kernels:
    """Seconds of what one thread computes, or reads, whatever the cluster; d = 1, no cell missing.

    Parameters
    ----------
    row : float
        A row, in a sweep.
    row_block : float
        A row, a row cluster and a column cluster, in a sweep.
    cell : float
        A cell, in the two passes over the data of an iteration in which rows or columns have moved.
    column_block : float
        A column, a row cluster and a column cluster, in the master's part.
    label : float
        A row's label, read, checked, packed, digested and written.
    disk_byte, store_byte : float
        A byte of a shard, until it is in the working frame.
    """

    row: float
    row_block: float
    cell: float
    column_block: float
    label: float
    disk_byte: float
    store_byte: float


@dataclass(frozen=True)
class Services:
    """Seconds of what master, workers and servers add to that.

    Parameters
    ----------
    lead, publish, tail, to_worker, to_master, work, turn, batch, take, behind, spread, turn_spread
        As in :class:`benchmarks.simulation.model.Steps`; ``work`` without sweep and labels, ``take`` without bytes.
    take_byte : float
        The master, a byte of a shard's statistics.
    step, step_shard : float
        The master, an iteration's column step and commit, and a shard in it.
    """

    lead: float
    publish: float
    tail: float
    to_worker: float
    to_master: float
    work: float
    turn: float
    take: float
    take_byte: float
    step: float
    step_shard: float
    behind: float
    spread: float
    turn_spread: float
    batch: float = 0.0


#: How each of them is measured.
HOW: dict[str, str] = {
    "row": "`shard_step` at rest, one thread, processor time; fit over eight shapes",
    "row_block": "the same fit",
    "cell": "`shard_step` of a shard that has forgotten its statistics, less the same at rest; median over the shapes",
    "column_block": "`master_step` of the same shapes; fit",
    "label": "`get_addressed`, `pack_labels`, digest and `put_addressed` of 250,000 rows in a folder",
    "disk_byte": "`load_shard` and `Problem.shard` from a folder",
    "store_byte": "the same from SeaweedFS on this machine, over HTTP",
    "lead": "real master: from the commit to the first publication",
    "publish": "real master: `Publisher.iteration` with 1, 8, 16 and 32 shards; slope",
    "tail": "real master: from the last publication until it takes results",
    "to_worker": "real run of one shard: from its publication to the start of the task",
    "to_master": "real run of one shard: from the end of the task until the master has its result",
    "work": "real worker: a task without `shard_step`, result published",
    "turn": "real worker with a backlog: from the end of a task to the start of the next",
    "batch": "real master, 256 shards answered at once: results in the ledger, acknowledged, folded, by their number;"
    " intercept",
    "take": "the same; slope",
    "take_byte": "real master: results with 240 kB of statistics, less both; by the byte",
    "step": "real master: from the last result to the commit, with 1, 8, 16 and 32 shards; intercept",
    "step_shard": "the same; slope",
    "behind": "processor time of all processes a shard, less what is above",
    "spread": "real run of one shard: standard deviation of the logarithm of the tasks' times, from their quartiles",
    "turn_spread": "the same of `turn`",
}


@dataclass(frozen=True)
class Costs:
    """Everything that is measured of a machine and a version."""

    kernels: Kernels
    services: Services

    def steps(self, table: Table, shards: int, *, at_rest: bool = False) -> Steps:
        """Seconds of each step.

        Parameters
        ----------
        table : Table
        shards : int
        at_rest : bool
            Nothing moves any more, so that shards in memory know their statistics; else both passes over the data are
            made.
        """
        kernels, services = self.kernels, self.services
        rows = table.rows / shards
        passes = rows * table.columns * kernels.cell
        sweep = rows * (kernels.row + kernels.row_block * table.blocks + kernels.label)
        read = rows * table.columns * CELL
        # A shard that was not in memory knows nothing, whether at rest or not.
        anew = passes if at_rest else 0.0
        return Steps(
            lead=services.lead,
            publish=services.publish,
            tail=services.tail,
            to_worker=services.to_worker,
            to_master=services.to_master,
            work=services.work + sweep + (0.0 if at_rest else passes),
            disk=read * kernels.disk_byte + anew,
            store=read * kernels.store_byte + anew,
            turn=services.turn,
            batch=services.batch,
            take=services.take + services.take_byte * STATISTIC * table.columns * table.row_clusters,
            step=services.step + services.step_shard * shards + kernels.column_block * table.columns * table.blocks,
            behind=services.behind,
            spread=services.spread,
            turn_spread=services.turn_spread,
        )


def setup_of(
    table: Table,
    workers: int,
    shards: int,
    *,
    memory_bytes: int = MEMORY_BYTES,
    disk_bytes: int = DISK_BYTES,
    **more: Any,
) -> Setup:
    """Who takes part, with caches in bytes."""
    shard = table.bytes / shards
    return Setup(workers, shards, memory=int(memory_bytes // shard), disk=int(disk_bytes // shard), **more)


def to_json(costs: Costs) -> dict[str, Any]:
    """Costs as plain values."""
    return asdict(costs)


def from_json(record: dict[str, Any]) -> Costs:
    """Costs from what :func:`to_json` gave."""
    return Costs(Kernels(**record["kernels"]), Services(**record["services"]))


def load() -> dict[str, Any]:
    """What was measured, as it is kept."""
    record: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    return record
