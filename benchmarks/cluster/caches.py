"""Where eight workers find the shards they are given."""

from __future__ import annotations

from collections import Counter

from benchmarks.cluster.servers import Servers
from benchmarks.tables import table
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options

WORKERS, SHARDS, ITERATIONS = 8, 16, 40


def section(servers: Servers) -> str:
    """Shards by source, and bytes read from the object storage, by stretch of iterations."""
    data = servers.folder / "middle"
    generate(data, rows=100_000, columns=90, row_clusters=10, column_clusters=3, seed=0)
    with servers.cluster() as cluster:
        cluster.start_master()
        for _ in range(WORKERS):
            cluster.start_worker()
        run = cluster.submit(data / "x.npy", Options(iterations=ITERATIONS), n_shards=SHARDS)
        cluster.wait(run, "SUCCEEDED", seconds=600)
        trace = cluster.service.trace(run)
    size = 100_000 * 90 * 8 / SHARDS
    rows = []
    for first in range(0, ITERATIONS, 10):
        stretch = trace[first : first + 10]
        found = Counter(shard["source"] for row in stretch for shard in row.shards)
        total = sum(found.values())
        rows.append(
            (
                f"{first + 1} to {first + len(stretch)}",
                *(f"{found[source] / total:.0%}" for source in ("memory", "disk", "store")),
                f"{found['store'] * size / len(stretch) / 1e6:.1f} MB",
            )
        )
    return f"""## Caches

{WORKERS} workers, 100,000 x 90 cells in {SHARDS} shards, caches empty at the start and large enough for all of it. Any
worker takes any shard; the master publishes them in an order in which most workers get those they had last.

{table(("iterations", "from memory", "from disk", "from the store", "read from the store an iteration"), rows)}"""
