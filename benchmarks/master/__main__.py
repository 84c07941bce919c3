"""Measure what an iteration costs the master: ``python -m benchmarks.master [SHARDS...]``, on real servers.

One master, RabbitMQ, Redis, PostgreSQL with fsync, and :mod:`benchmarks.master.workers` in place of as many workers as
there are shards. In the same run, in turns, stands what an iteration costs at least (:mod:`benchmarks.master.floor`).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

from benchmarks.cluster.processor import processor_seconds
from benchmarks.cluster.servers import Servers
from benchmarks.machine import description
from benchmarks.master.answered import SKIPPED, Program, answered, submit_answered
from benchmarks.tables import Figure, figure_table, seconds, table
from services.cluster import Cluster, environment_with

#: Seconds that an iteration may take, by its shards.
BARS = {64: 0.110, 256: 0.350, 1000: 1.3}

#: Seconds of the master's processor that a shard may take.
PROCESSOR_BAR = 1.2e-3

#: How often the master may take as long as the floor.
RATIO_BAR = 3.0

#: How often both are measured, taking turns.
TURNS = 3


@dataclass(frozen=True)
class Cost:
    """What an iteration took.

    Parameters
    ----------
    seconds : float
        Median, on the clock.
    processor : dict of str to float
        Seconds of processor time, by process.
    """

    seconds: float
    processor: dict[str, float]


def main() -> None:
    """Measure some numbers of shards, and print the figures."""
    shards = [int(name) for name in sys.argv[1:]] or list(BARS)
    print(description(), flush=True)
    with Servers.started(fsync=True) as servers:
        for number in shards:
            print(_section(servers, number), flush=True)


def _section(servers: Servers, n_shards: int) -> str:
    iterations = max(20, min(40, 20_000 // n_shards))
    pairs = [_both(servers, n_shards, iterations) for _ in range(TURNS)]
    took = statistics.median(ours.seconds for ours, _ in pairs)
    least = statistics.median(floor for _, floor in pairs)
    ratio = statistics.median(ours.seconds / floor for ours, floor in pairs)
    processor = {name: statistics.median(ours.processor[name] for ours, _ in pairs) for name in pairs[0][0].processor}
    a_shard = processor["master"] / n_shards
    bar = BARS.get(n_shards)
    figures = [
        Figure("an iteration", seconds(took), seconds(bar) if bar else "", took <= bar if bar else None),
        Figure("a shard", seconds(took / n_shards)),
        Figure("processor of the master, a shard", seconds(a_shard), seconds(PROCESSOR_BAR), a_shard <= PROCESSOR_BAR),
        Figure("the floor", seconds(least)),
        Figure("of the floor", f"{ratio:.2f} x", f"{RATIO_BAR:g} x", ratio <= RATIO_BAR),
    ]
    spent = [(name, seconds(value)) for name, value in processor.items()]
    return f"""## {n_shards:,} shards

{iterations} iterations, {TURNS} times in turns; medians.

{figure_table(figures)}

{table(("process", "processor, an iteration"), spent)}
"""


def _both(servers: Servers, n_shards: int, iterations: int) -> tuple[Cost, float]:
    """The master's cost, and the floor's seconds."""
    with servers.cluster() as cluster:
        master = cluster.start_master()
        with answered(cluster, n_shards) as workers:
            run = submit_answered(servers, cluster, n_shards, SKIPPED + iterations)
            _await(cluster, run, SKIPPED, workers)
            roots = {**servers.pids(master, ()), "workers": workers.pid}
            first, before = cluster.service.progress(run).done, processor_seconds(roots)
            _await(cluster, run, SKIPPED + iterations, workers)
            last, after = cluster.service.progress(run).done, processor_seconds(roots)
            trace = cluster.service.trace(run)[SKIPPED : SKIPPED + iterations]
            cluster.service.cancel(run, actor="benchmark")
            master.close()
            floor = _floor(cluster, n_shards, iterations)
    spent = {name: (after[name] - before[name]) / (last - first) for name in roots}
    return Cost(statistics.median(row.row.seconds for row in trace), spent), floor


def _floor(cluster: Cluster, n_shards: int, n_rounds: int) -> float:
    """Median seconds of the floor's rounds."""
    command = [sys.executable, "-m", "benchmarks.master.floor", str(n_shards), str(n_rounds)]
    environment = environment_with(cluster.environment)
    found = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return float(statistics.median(json.loads(found.stdout.splitlines()[-1])))


def _await(cluster: Cluster, run: str, iteration: int, workers: Program) -> None:
    """Wait for an iteration, without asking often."""
    deadline = time.monotonic() + 600
    while (done := cluster.service.progress(run).done) < iteration:
        record = cluster.service.run(run)
        if record.state == "FAILED" or not workers.running or time.monotonic() > deadline:
            said = f"{cluster.logs()}\n{workers.log.read_text()[-2000:]}"
            raise RuntimeError(f"run {run} is {record.state} at iteration {done}: {record.error}\n{said}")
        time.sleep(0.2)


if __name__ == "__main__":
    main()
