"""What counts take: ``python -m benchmarks.count_iterations [--iterations 40] [--seed 0]``.

Fits 20 Newsgroups (18,846 x 26,214, 1.69 million cells that are not 0) by ``split-merge`` on one shard and one thread,
and prints the processor time of the whole fit and of an iteration of its second half. The yardstick is a bare pass: it
gathers the labels of columns and adds up the counts of each row, then gathers the labels of rows and adds up the counts
of each column, and does nothing else.

``--table FILE --clusters 150`` takes a table of ``python -m benchmarks.large_counts`` in its place, in the shards that
a fit makes, and begins with so many clusters of rows and of columns at random; it prints the median of each kind of
iteration too, and the most memory that was taken.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from benchmarks.studies.count_tables import newsgroups
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.typed import csr_chunks, deal_cells
from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.problem import problem_of_dealt
from disnplbm.families.base import Family
from disnplbm.families.counts import Counts
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Shard
from disnplbm.sampler.starts import Start

REPEATS = 5

#: Kinds of iterations after the approach, in their order.
KINDS = ("rows and columns drawn", "rows drawn, splits launched", "splits proposed")


class Case(NamedTuple):
    """A table, and where its chain begins."""

    shards: Sequence[Shard]
    families: Sequence[Family]
    start: Start
    approach: int


@njit(cache=True)  # type: ignore[untyped-decorator]
def _pass_by(indptr, indices, counts, rows, columns, of_rows, of_columns):  # type: ignore[no-untyped-def]
    for i in range(rows.size):
        for t in range(indptr[i], indptr[i + 1]):
            of_rows[i, columns[indices[t]]] += counts[t]
    for i in range(rows.size):
        for t in range(indptr[i], indptr[i + 1]):
            of_columns[rows[i], indices[t]] += counts[t]


def seconds_of(work: Callable[[], object]) -> float:
    """Processor time of the fastest of some repeats."""
    taken = []
    for _ in range(REPEATS + 1):
        began = time.process_time()
        work()
        taken.append(time.process_time() - began)
    return min(taken)


def bare_seconds(cells: Any, rows: Any, columns: Any, shape: tuple[int, int]) -> float:
    """Processor time of a bare pass over a table's cells."""
    table = cells.to_csr()
    stored = table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data

    def work() -> None:
        of_rows, of_columns = np.zeros((table.shape[0], shape[1])), np.zeros((shape[0], table.shape[1]))
        _pass_by(*stored, rows, columns, of_rows, of_columns)

    return seconds_of(work)


def newsgroups_case(options: argparse.Namespace) -> Case:
    """20 Newsgroups in one shard, from the start that a fit has."""
    return Case([Shard([newsgroups().cells()], 0, 1)], [Counts()], Start(), options.iterations // 2)


def large_case(options: argparse.Namespace) -> Case:
    """A large table in the shards of a fit."""
    source = open_source(options.table, Reading())

    class Table(NamedTuple):
        n: int
        p: int
        dimension: int = 1

    table: Any = Table(source.rows, len(source.column_names))
    dealt = deal_cells(
        table,
        lambda: csr_chunks(source),
        source.column_names,
        cells="counts",
        exposure="margins",
        transform="none",
        n_shards="auto",
        axis="rows",
    )
    problem = problem_of_dealt(dealt.prepared, dealt.shards, Options(cells="counts"))
    rng = np.random.default_rng(options.seed)
    rows, columns = (rng.integers(0, options.clusters, length).astype(np.int32) for length in (table.n, table.p))
    return Case(problem.shards, problem.families, Start("given", rows, [columns]), 0)


def main() -> None:
    """Fit, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", type=Path)
    parser.add_argument("--clusters", type=int, default=150)
    options = parser.parse_args()
    case = large_case(options) if options.table else newsgroups_case(options)
    number = len(case.shards)
    parameters = Parameters(sampler="split-merge", seed=options.seed, approach=case.approach, n_shards=number)
    with LocalEngine(case.shards, parameters, case.families, threads=1) as engine:
        state, taken = engine.start(case.start), []
        for _ in range(options.iterations):
            began = time.process_time()
            state = engine.step(state)
            taken.append(time.process_time() - began)
    (part,) = state.chain.broadcast.parts
    k, groups = part.blocks.shape
    late = float(np.mean(taken[options.iterations // 2 :]))
    print(f"{options.iterations} iterations: {sum(taken):.1f} s, to {k} x {groups} clusters")
    if options.table:
        medians = [float(np.median(taken[kind :: len(KINDS)])) for kind in range(len(KINDS))]
        for name, seconds in zip(KINDS, medians, strict=True):
            print(f"  {name}: {seconds:.2f} s")
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(f"an iteration, of rounds of these: {np.mean(medians):.2f} s; memory: {memory:.0f} MB")
        return
    cells = case.shards[0].only_part.cells
    bare = bare_seconds(cells, state.row_labels(cells.n_rows), part.column_labels, (k, groups))
    print(f"an iteration of the second half: {late:.3f} s, {late / bare:.1f} bare passes of {bare:.3f} s")


if __name__ == "__main__":
    main()
