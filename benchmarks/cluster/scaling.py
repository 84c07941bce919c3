"""Two workers against one, where sweeps are most of the work."""

from __future__ import annotations

import statistics

from benchmarks.cluster.processor import processor_seconds
from benchmarks.cluster.servers import Servers
from benchmarks.tables import Figure, figure_table, seconds, table
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from disnplbm.machine import usable_cores

ROWS, SHARDS, ITERATIONS = 500_000, 8, 42

#: Iterations in which the workers meet the shards.
SKIPPED = 12

BAR = 1.7


def section(servers: Servers) -> str:
    """Median seconds of the iterations after the shards are at hand."""
    data = servers.folder / "large"
    generate(data, rows=ROWS, columns=90, row_clusters=10, column_clusters=3, seed=0)
    medians, shares, spent = {}, {}, {}
    for workers in (1, 2):
        with servers.cluster() as cluster:
            cluster.start_master()
            for _ in range(workers):
                cluster.start_worker(DISNPLBM_CACHE_MEMORY_BYTES=str(2 * 2**30))
            run = cluster.submit(data / "x.npy", Options(iterations=ITERATIONS), n_shards=SHARDS)
            cluster.wait(run, iteration=SKIPPED, seconds=1200)
            roots = servers.pids(cluster.masters[0], cluster.workers)
            before, first = processor_seconds(roots), cluster.service.progress(run).done
            cluster.wait(run, iteration=ITERATIONS - 1, seconds=1200)
            after, last = processor_seconds(roots), cluster.service.progress(run).done
            spent[workers] = {name: (after[name] - before[name]) / (last - first) for name in roots}
            cluster.wait(run, "SUCCEEDED", seconds=1200)
            trace = cluster.service.trace(run)[SKIPPED:]
            medians[workers] = statistics.median(row.row.seconds for row in trace)
            shares[workers] = statistics.median(
                sum(shard["seconds"] for shard in row.shards) / row.row.seconds / workers for row in trace
            )
    ratio = medians[1] / medians[2]
    cores = usable_cores()
    rows = [
        Figure(
            f"2 workers against 1, {ROWS:,} x 90, {SHARDS} shards",
            f"{ratio:.2f} x",
            f"at least {BAR:g} x",
            ratio >= BAR,
        ),
        Figure("seconds of an iteration", f"1 worker {seconds(medians[1])}, 2 workers {seconds(medians[2])}"),
        Figure("part of the time that a worker sweeps", f"{shares[1]:.0%} of one, {shares[2]:.0%} of each of two"),
    ]
    return f"""## Two workers against one

Median of the iterations after the first {SKIPPED}, when each worker has met all shards.

{figure_table(rows)}

Where the time goes: seconds of processor time an iteration, of which the machine has {cores} to give each second.
What is not a worker's does not get less with more workers, and while it runs on the same machine takes their place.

{table(("", "1 worker", "2 workers"), _spent(spent))}"""


def _spent(spent: dict[int, dict[str, float]]) -> list[tuple[str, ...]]:
    """A row for each process, and one for all."""
    rows = [(name, *(seconds(of[name]) if name in of else "" for of in spent.values())) for name in spent[2]]
    return [*rows, ("together", *(seconds(sum(of.values())) for of in spent.values()))]
