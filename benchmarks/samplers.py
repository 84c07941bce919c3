"""An iteration of split-merge against one of collapsed: chains at the true blocks of 100,000 x 90 cells."""

from __future__ import annotations

from benchmarks.iteration import Iteration
from benchmarks.problems import synthetic
from benchmarks.scale import Scale
from benchmarks.tables import Figure, seconds
from benchmarks.timing import interleaved
from disnplbm.sampler.split_merge.schedule import REFINE_EVERY, ROUND

#: Iterations after which a chain of split-merge has done everything it does, as often as it does it.
PERIOD = ROUND * REFINE_EVERY

#: Row clusters, and how much of a collapsed iteration one of split-merge may cost.
BARS = {10: 1.0, 100: 0.25}


def figures(scale: Scale) -> list[Figure]:
    """Both samplers' iterations, averaged over a period, with one shard and with 64."""
    rows = []
    for k, bar in BARS.items():
        table = synthetic(scale.rows(100_000), 90, k=k)
        for shards in (1, 64):
            collapsed, split_merge = Iteration(table, shards), Iteration(table, shards, "split-merge")

            def period(iteration: Iteration = split_merge) -> None:
                for _ in range(PERIOD):
                    iteration()

            times = interleaved({"collapsed": collapsed, "split-merge": period}, max(3, scale.rounds // 3))
            ratio = times.ratio("split-merge", "collapsed") / PERIOD
            where = f"{len(table.rows):,} x 90, K = {k}, L = 3, {shards} shard" + "s" * (shards > 1)
            rows += [
                Figure(
                    f"iteration of split-merge against one of collapsed, {where}",
                    f"{ratio:.2f} x",
                    f"at most {bar:g} x",
                    ratio <= bar,
                ),
                Figure(
                    f"iteration, {where}, one thread",
                    f"split-merge {seconds(times.median('split-merge') / PERIOD)},"
                    f" collapsed {seconds(times.median('collapsed'))}",
                ),
            ]
    return rows
