"""What counts take: ``python -m benchmarks.count_iterations [--iterations 40] [--seed 0]``.

Fits 20 Newsgroups (18,846 x 26,214, 1.69 million cells that are not 0) by ``split-merge`` on one shard and one thread,
and prints the processor time of the whole fit and of an iteration of its second half. The yardstick is a bare pass: it
gathers the labels of columns and adds up the counts of each row, then gathers those of rows and adds up the counts of
each column, as a column step needs.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

from benchmarks.studies.count_tables import newsgroups
from disnplbm.engine.local import LocalEngine
from disnplbm.families.counts import Counts
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start

REPEATS = 5


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time of the fastest of some repeats."""
    taken = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def main() -> None:
    """Fit, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    table = newsgroups()
    cells = table.cells()
    parameters = Parameters(sampler="split-merge", seed=options.seed, approach=options.iterations // 2)
    with LocalEngine([Shard(cells, 0, 1)], parameters, Counts(), threads=1) as engine:
        state, taken = engine.start(Start()), []
        for _ in range(options.iterations):
            began = time.process_time()
            state = engine.step(state)
            taken.append(time.process_time() - began)
    rows, columns = state.row_labels(cells.n_rows), state.chain.broadcast.column_labels
    k, groups = state.chain.broadcast.blocks.shape
    bare = seconds_of(lambda: cells.by_group(slice(None), columns, groups))
    bare += seconds_of(lambda: cells.by_cluster(rows, k))
    late = float(np.mean(taken[options.iterations // 2 :]))
    print(f"{options.iterations} iterations: {sum(taken):.1f} s, to {k} x {groups} clusters")
    print(f"an iteration of the second half: {late:.3f} s, {late / bare:.1f} bare passes of {bare:.3f} s")


if __name__ == "__main__":
    main()
