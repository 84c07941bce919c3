"""Whether the samplers find the truth in large tables that are cut into many shards.

``python -m benchmarks.studies.at_scale 0.01`` prints the page for tables of a hundredth of the rows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.studies.chains import SAMPLERS
from benchmarks.studies.data import DataSet, many, overlapping, paper
from benchmarks.studies.runs import markdown
from disnplbm.data.array import ArraySource
from disnplbm.data.working import WorkingTable
from disnplbm.engine.drive import InMemory, advance
from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem
from disnplbm.engine.warmup import warm_up
from disnplbm.machine import usable_cores
from disnplbm.model.statistics import Labels
from disnplbm.posterior.scores import partition_scores
from disnplbm.sampler.streams import Stream

SEEDS = range(5)

#: Clusters that may be missing, or too many, of the table with hundreds of them.
SLACK = 5

INTRODUCTION = f"""## Large tables, many shards

Default options: `--shards auto`, alpha and beta 1, the default start, the last state of one chain. Seeds
{SEEDS[0]} to {SEEDS[-1]} are of the table and of the chain. *Below the truth* is how many nats the log joint at the end
of the chain lies below the log joint of the true partitions: a negative number is a better state than the truth.
Seconds are of the iterations, on all cores of the machine."""


@dataclass(frozen=True)
class Case:
    """A kind of tables, and how long their chains are.

    Parameters
    ----------
    make : callable
        Makes a table by its seed.
    clusters : int
        True row clusters.
    """

    make: Callable[[int], DataSet]
    clusters: int
    iterations: int
    seeds: Sequence[int]


@dataclass(frozen=True)
class Outcome:
    """What a chain came to, and how far it lies below the truth."""

    row_clusters: int
    column_clusters: int
    ari: float
    column_ari: float
    below: float
    seconds: float


def cases(scale: float) -> list[Case]:
    """All of them, with so many times the rows."""
    million, half = int(1_000_000 * scale), int(500_000 * scale)
    crowded = max(int(100_000 * scale), 3_000)
    return [
        Case(lambda seed: paper(million, 90, seed), 10, 100, SEEDS),
        Case(lambda seed: paper(million, 20, seed), 10, 100, SEEDS),
        Case(lambda seed: overlapping(half, 50, k=40, groups=5, separation=2.5, seed=seed), 40, 100, SEEDS),
        Case(partial(many, crowded, 100, 300, 10), 300, 60, SEEDS[:1]),
    ]


def section(scale: float = 1.0) -> str:
    """The page in docs/results."""
    header = ("table", "seed", "shards", "sampler", "K", "L", "row ARI", "column ARI", "below the truth", "seconds")
    lines, found = list[tuple[str, ...]](), dict[str, list[bool]]()
    for case in cases(scale):
        for seed in case.seeds:
            for sampler, name, n_shards, outcome in _chains(case, seed):
                lines.append(
                    (
                        name,
                        str(seed),
                        str(n_shards),
                        sampler,
                        f"{outcome.row_clusters} of {case.clusters}",
                        str(outcome.column_clusters),
                        f"{outcome.ari:.4f}",
                        f"{outcome.column_ari:.4f}",
                        f"{outcome.below:,.1f}",
                        f"{outcome.seconds:,.1f}",
                    )
                )
                print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
                near = abs(outcome.row_clusters - case.clusters) <= (SLACK if case.clusters > 100 else 0)
                found.setdefault(sampler, []).append(near)
    told = [f"- `{sampler}` finds K in {sum(right)} of {len(right)} tables." for sampler, right in found.items()]
    slack = f"(of {cases(scale)[-1].clusters} clusters, K within {SLACK})"
    return "\n\n".join([INTRODUCTION, markdown(header, lines), "\n".join(told), slack])


def _chains(case: Case, seed: int) -> Iterator[tuple[str, str, int, Outcome]]:
    """A chain of each sampler: its sampler, the table's name, the number of shards and the outcome."""
    data = case.make(seed)
    problem = _problem(data, case.iterations)
    for sampler in SAMPLERS:
        yield sampler, data.name, problem.parameters.n_shards, _run(problem, data, sampler, seed, case.iterations)


def _problem(data: DataSet, iterations: int) -> Problem:
    table = WorkingTable(ArraySource(data.values), n_shards="auto", axis="auto")
    prepared, _ = table.transform(data.transform)
    moments = prepared.mean, prepared.covariance
    options, shards = Options(iterations=iterations), table.shards
    return build_problem(shards, len(shards), options, prepared.axis, *moments, prepared.observed, complete=True)


def _run(problem: Problem, data: DataSet, sampler: str, seed: int, iterations: int) -> Outcome:
    options = Options(iterations=iterations, sampler=sampler, seed=seed)
    here = replace(problem, parameters=options.parameters(problem.parameters.n_shards, problem.axis))
    warm_up(1, options, complete=True)
    for shard in here.shards:
        shard.drop_cache()
    truth = _log_joint(here, _codes(data.rows), _codes(data.columns))
    began = time.perf_counter()
    stream = Stream(0, 0, None, iterations)
    state, trace = advance(here, stream, here.start(options.start), InMemory(), usable_cores())
    took = time.perf_counter() - began
    result = here.result(state, trace)
    last = trace.log_joint[-1]
    return Outcome(
        int(trace.row_clusters[-1]),
        int(trace.column_clusters[-1]),
        partition_scores(data.rows, result.row_labels)[0],
        partition_scores(data.columns, result.column_labels)[0],
        truth - last,
        took,
    )


def _log_joint(problem: Problem, rows: Labels, columns: Labels) -> float:
    """Log joint of two partitions."""
    with LocalEngine(problem.shards, problem.parameters, problem.families, usable_cores()) as engine:
        state = engine.start(problem.start("given", rows, columns))
    return problem.trace_row(state, 0.0).log_joint


def _codes(classes: object) -> Labels:
    return np.unique(np.asarray(classes), return_inverse=True)[1].astype(np.int32)


if __name__ == "__main__":
    print(section(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0))
