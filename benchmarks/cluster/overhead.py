"""What the cluster adds to an iteration: against a bare chord of the same shape, on a table with nothing to sweep."""

from __future__ import annotations

import statistics
import subprocess
import sys

from benchmarks.cluster.servers import Cluster, Servers
from benchmarks.tables import Figure, figure_table, seconds
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from services.cluster import environment_with

SHARDS = (1, 8, 16)

ROUNDS = 60

#: How often both are measured, taking turns.
TURNS = 3

BAR = 2.5


def section(servers: Servers) -> str:
    """Medians of both, and their ratio, for one worker."""
    table = servers.folder / "small"
    generate(table, rows=640, columns=20, row_clusters=3, column_clusters=2, seed=0)
    rows = []
    for shards in SHARDS:
        bare, ours = [], []
        for _ in range(TURNS):
            with servers.cluster() as cluster:
                bare.append(_bare(cluster, shards))
            with servers.cluster() as cluster:
                cluster.start_master()
                cluster.start_worker()
                run = cluster.submit(table / "x.npy", Options(iterations=ROUNDS), n_shards=shards)
                cluster.outcome(run)
                trace = cluster.service.trace(run)
                ours.append(statistics.median(row.row.seconds for row in trace))
        ratio = statistics.median(b / a for a, b in zip(bare, ours, strict=True))
        measured = f"{ratio:.2f} x ({seconds(statistics.median(ours))} against {seconds(statistics.median(bare))})"
        what = f"iteration of 640 x 20 cells, {shards} shard{'s' * (shards > 1)}, against a bare chord"
        rows.append(Figure(what, measured, f"at most {BAR:g} x", ratio <= BAR))
    return f"""## Overhead

One worker, {ROUNDS} iterations or chords, {TURNS} times in turns; medians. The bare chord (`bare_chord.py`) has the
same queues, settings and messages and does nothing with them.

{figure_table(rows)}"""


def _bare(cluster: Cluster, shards: int) -> float:
    """Median seconds of a bare chord."""
    program = [sys.executable, "-m", "benchmarks.cluster.bare_chord"]
    environment = environment_with(cluster.environment)
    with subprocess.Popen([*program, "worker"], env=environment, stderr=subprocess.DEVNULL) as worker:
        try:
            master = subprocess.run(
                [*program, "master", str(shards), str(ROUNDS)],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                check=True,
            )
        finally:
            worker.terminate()
    return float(master.stdout.split()[-1])
