"""docs/scale.md, docs/sizing.md and the curves, from what was measured and what is simulated."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from benchmarks.charts import log_log_chart
from benchmarks.simulation import costs, validation
from benchmarks.simulation.costs import HOW, Costs, Table
from benchmarks.simulation.model import Setup, bottleneck, share, simulate
from benchmarks.simulation.sizing import (
    OTHER_PROCESSORS,
    PRICE,
    STORE_BYTES_A_SECOND,
    WORKERS,
    WORTH,
    Plan,
    one_each,
    plan,
    plan_of,
    setup_for,
)
from benchmarks.tables import seconds, table
from disnplbm.engine.options import Options

#: Tables that are simulated, and what their curve is called.
SIMULATED = {
    f"{rows}x{columns}-{k}x{groups}": Table(rows, columns, k, groups)
    for rows, columns in ((10**5, 90), (10**7, 90), (10**9, 20))
    for k, groups in ((10, 3), (100, 10))
}

SIZED = tuple(
    Table(rows, columns, k, groups)
    for rows, columns in ((10**5, 90), (10**6, 90), (10**7, 90), (10**8, 20), (10**9, 20))
    for k, groups in ((10, 3), (100, 10))
)

#: Table, and numbers of workers, for which shards of the usual size are held against one for each worker.
LARGEST, ONE_EACH = Table(10**9, 20), (8, 16, 32, 64, 128)


@dataclass(frozen=True)
class Point:
    """A table on so many workers: seconds of an iteration, and what holds it up.

    Parameters
    ----------
    setup : Setup
    seconds : float
    holds : str
    store : float
        Part of the shards that comes from the store.
    """

    setup: Setup
    seconds: float
    holds: str
    store: float


def point(of: Table, workers: int, measured: Costs) -> Point:
    """Simulate a table on so many workers."""
    setup = setup_for(of, workers, measured)
    steps = measured.steps(of, setup.shards)
    outcome = simulate(steps, setup)
    holds = bottleneck(steps, setup, iterations=3, skipped=3)
    return Point(setup, outcome.median, holds, share(outcome.counted, "store"))


def written() -> dict[str, str]:
    """All files, by their path below docs."""
    record = costs.load()
    measured = costs.from_json(record["costs"])
    files, sections = {}, []
    for name, of in SIMULATED.items():
        print(of, flush=True)
        points = [point(of, workers, measured) for workers in WORKERS]
        files[f"scale/{name}.svg"] = log_log_chart(
            f"An iteration of {of}",
            "workers",
            WORKERS,
            {"an iteration": [each.seconds for each in points]},
        )
        sections.append(f"### {of}\n\n![iteration against workers](scale/{name}.svg)\n\n{points_table(points)}")
    files["scale.md"] = _SCALE.format(
        machine=record["machine"],
        costs=costs_table(measured),
        validation=validation_table(record, measured),
        errors=errors(record, measured),
        kept=kept_table(record, measured),
        tables="\n\n".join(sections),
        link=STORE_BYTES_A_SECOND / 1e9,
    )
    files["sizing.md"] = sizing_page(measured)
    return files


def points_table(points: Sequence[Point]) -> str:
    """A row for each number of workers."""
    header = ("workers", "shards", "iteration", "held up by", "from the store")
    return table(
        header,
        [
            (
                f"{each.setup.workers:,}",
                f"{each.setup.shards:,}",
                seconds(each.seconds),
                each.holds,
                f"{each.store:.0%}",
            )
            for each in points
        ],
    )


def costs_table(measured: Costs) -> str:
    """All measured costs, and how they are measured."""
    values = asdict(measured.kernels) | asdict(measured.services)
    rows = [(name, _cost(name, value), HOW[name]) for name, value in values.items()]
    return table(("cost", "seconds", "measured as"), rows)


def _cost(name: str, value: float) -> str:
    return f"{value:.2f}" if name.endswith("spread") else "0" if value == 0 else seconds(value)


def validation_table(record: Mapping[str, Any], measured: Costs) -> str:
    """Real runs beside their simulation."""
    rows = []
    for run in validation.from_json(record["runs"]):
        predicted = run.predicted(measured, record["cores"])
        rows.append(
            (
                str(run.table),
                str(run.shards),
                str(run.workers),
                f"{max(record['cores'] - run.others, 0.0):.2f}",
                seconds(run.seconds),
                seconds(predicted),
                f"{predicted / run.seconds - 1:+.0%}",
            )
        )
    header = ("table", "shards", "workers", "processors left", "iteration, real", "simulated", "error")
    return table(header, rows)


def errors(record: Mapping[str, Any], measured: Costs) -> str:
    """The errors in one line."""
    found = [run.error(measured, record["cores"]) for run in validation.from_json(record["runs"])]
    median = statistics.median(map(abs, found))
    left = [record["cores"] - run["others"] for run in record["runs"]]
    return (
        f"The error is {median:.0%} in the median, without its sign; it lies between {min(found):+.0%} and"
        f" {max(found):+.0%}.\nOf {record['cores']} processors {min(left):.2f} to {max(left):.2f} were left."
    )


def kept_table(record: Mapping[str, Any], measured: Costs) -> str:
    """Part of the shards that workers had in memory, real and simulated."""
    rows = [
        (
            *map(str, (run.workers, run.shards, run.held)),
            f"{run.memory:.0%}",
            f"{run.predicted(measured, record['cores']):.0%}",
        )
        for run in validation.kept_from_json(record["kept"])
    ]
    return table(("workers", "shards", "memory holds", "from memory, real", "simulated"), rows)


def sizing_page(measured: Costs) -> str:
    """docs/sizing.md."""
    iterations = Options().iterations
    plans = [plan(of, measured) for of in SIZED]
    example = plan_of(Table(10**9, 20), 128, measured)
    return _SIZING.format(
        plans=plans_table(plans, iterations),
        checks=checks_table([*plans, example]),
        iterations=iterations,
        price=PRICE,
        others=OTHER_PROCESSORS,
        link=STORE_BYTES_A_SECOND / 1e9,
        worth=1 - WORTH,
        example=arithmetic(example, measured, iterations),
        largest=str(LARGEST),
        one_each=one_each_table(measured),
    )


def plans_table(plans: Sequence[Plan], iterations: int) -> str:
    """What each table takes."""
    header = (
        "table",
        "workers",
        "shards",
        "memory of a worker",
        "iteration",
        "held up by",
        f"hours, {iterations} iterations",
        "vCPU hours",
        "$",
    )
    return table(
        header,
        [
            (
                str(each.table),
                f"{each.setup.workers:,}",
                f"{each.setup.shards:,}",
                f"{each.memory / 2**30:.1f} GiB",
                seconds(each.bounds.seconds),
                _holds(each),
                f"{each.hours(iterations):.3g}",
                f"{each.hours(iterations) * each.processors:.3g}",
                f"{each.money(iterations):.2f}",
            )
            for each in plans
        ],
    )


def _holds(each: Plan) -> str:
    found = vars(each.bounds)
    return max(found, key=lambda name: found[name])


def one_each_table(measured: Costs) -> str:
    """The largest table in shards of the usual size, and in one for each worker."""
    rows = []
    for workers in ONE_EACH:
        usual, large = setup_for(LARGEST, workers, measured), one_each(LARGEST, workers, measured)
        cells: list[str] = []
        for setup in (usual, large):
            found = simulate(measured.steps(LARGEST, setup.shards), setup)
            cells += [str(setup.shards), seconds(found.median), f"{share(found.counted, 'store'):.0%}"]
        rows.append((str(workers), *cells, f"{LARGEST.bytes / workers / 2**30:.1f} GiB"))
    header = ("workers", *("shards", "iteration", "from the store") * 2, "memory for the cells of a shard")
    return table(header, rows)


def checks_table(plans: Sequence[Plan]) -> str:
    """The arithmetic beside the simulation."""
    rows = []
    for each in plans:
        simulated = simulate(each.steps, replace(each.setup, order="shards")).median
        error = each.bounds.seconds / simulated - 1
        rows.append(
            (
                str(each.table),
                f"{each.setup.workers:,}",
                seconds(each.bounds.seconds),
                seconds(simulated),
                f"{error:+.0%}",
                seconds(simulate(each.steps, each.setup).median),
            )
        )
    return table(("table", "workers", "arithmetic", "simulation", "difference", "with shards kept"), rows)


def arithmetic(each: Plan, measured: Costs, iterations: int) -> str:
    """One plan, step by step."""
    of, setup, steps, kernels = each.table, each.setup, each.steps, measured.kernels
    rows = of.rows / setup.shards
    sweep = rows * (kernels.row + kernels.row_block * of.blocks + kernels.label)
    passes = rows * of.columns * kernels.cell
    shards_each = setup.shards / setup.workers
    lines = [
        f"{of} on {setup.workers} workers:",
        f"- {setup.shards} shards of {rows:,.0f} rows, {of.bytes / setup.shards / 2**20:,.0f} MiB;"
        f" {shards_each:g} a worker in an iteration.",
        f"- A sweep: {rows:,.0f} x ({seconds(kernels.row)} + {of.blocks} x {seconds(kernels.row_block)}"
        f" + {seconds(kernels.label)}) = {seconds(sweep)}.",
        f"- Two passes over the data: {rows:,.0f} x {of.columns} x {seconds(kernels.cell)} = {seconds(passes)}.",
        f"- With what a task costs besides, {seconds(measured.services.work)}: {seconds(steps.work)};"
        f" from the store first: {seconds(steps.store)} more.",
        f"- The workers' bound: {seconds(each.bounds.workers)}.",
        f"- The master's bound: {setup.shards} x ({seconds(steps.publish)} + {seconds(steps.take)})"
        f" + {seconds(steps.lead + steps.tail + steps.batch)} + {seconds(steps.step)} = {seconds(each.bounds.master)}.",
        f"- The store's bound, at {STORE_BYTES_A_SECOND / 1e9:g} GB a second: {seconds(each.bounds.store)}.",
        f"- The largest of them, {iterations} times: {each.hours(iterations):.2f} hours;"
        f" {each.processors} processors at {PRICE:g} $ an hour: {each.money(iterations):.2f} $.",
    ]
    return "\n".join([lines[0], "", *lines[1:]])


_SCALE = """# Scale, simulated

Written by `make simulation` (`python -m benchmarks.simulation`). Nobody here has a thousand workers, so an iteration
is simulated, event by event, from costs measured on real servers on this machine: RabbitMQ, Redis, PostgreSQL, master
and workers with stopwatches around some functions. The simulation is held against real runs below. What is assumed and
not measured: workers, master and servers have a processor each (but in the comparisons), the store's link carries
{link:g} GB a second for all workers together and is otherwise as fast as SeaweedFS on this machine, and messages
travel as fast as here.

## How an iteration is simulated

The master is one server: it publishes the shards one after another, then takes as many results at a time as wait, and
after the last one does the column step, commits and publishes again. A free worker takes the shard that waits longest,
from its memory, its disk or the store, sweeps it, sends the result, and is free again a while later. Caches hold what
is used last, 1 GiB in memory and 10 GiB on disk a worker, as set by default. They are full at the start, of shards at
random.
Both passes over the data are made, as while rows or columns still move. All workers get the same number of shards: at
least as many as `--shards auto` makes, and none larger than a worker keeps. Iterations: median of 10 after 3.

An iteration is *held up by* the part without which it would be shortest: all parts are left out in turn. *Reading* is
from the store and from a worker's own disk.

## Measured costs

Seconds on the clock are medians of the calls of a run. This machine is shared: a run waits a while for a quiet machine,
is tried twice, and counts where less was beside it.

{machine}

{costs}

## Against real runs

Master, workers and servers share the processors of this machine, less those that others used meanwhile (both
measured). Chains at rest; medians of the iterations after the tenth.

{validation}

{errors}

The comparison is not blind: that medians are taken was settled with it in view. Lower quartiles, which an earlier
version took while others kept this machine busy, made a quiet one's iterations 17 % too short in the median.

Four or eight workers whose memory holds some of the shards, and whose disk holds none.

{kept}

## Up to 1,000 workers

The master publishes shards in the order in which their workers became free (`disnplbm_master.publication`). So most
workers get those that they have. That helps most where each has one shard an iteration:
[sizing.md](sizing.md#one-shard-a-worker).

{tables}
"""

_SIZING = """# Sizing

Written by `make simulation`: the numbers are arithmetic with the costs of [scale.md](scale.md), which were measured
on this machine, and each is held against the simulation below. Replace what is assumed by your own:

- {price:g} $ for an hour of a processor (vCPU); no storage, no traffic.
- A link to the store of {link:g} GB a second, for all workers together.
- {iterations} iterations, one chain, both passes over the data in each of them: a chain at rest is faster.
- d = 1, no cell missing. [benchmarks.md](benchmarks.md) says what more components cost an evaluation (1.7, 4.2 and 16
  times as much at d = 2, 4, 8), and missing cells.

| what | how many |
|---|---|
| workers | one processor each; twice as many as long as that makes an iteration at least {worth:.0%} shorter |
| shards | alike for all workers, at least `--shards auto`, none above `DISNPLBM_CACHE_MEMORY_BYTES`: give `--shards` |
| memory of a worker | 323 MiB, the shards it keeps, and with each 24 bytes a row and column cluster, at most 64 MiB |
| disk of a worker | its copies: `DISNPLBM_CACHE_DISK_BYTES`, 10 GiB, or the whole table if that is less |
| object storage | the table three times (upload, dataset, shards), and 4 bytes a row in each kept iteration |
| other processors | {others}: one for the master, two for RabbitMQ, PostgreSQL and Redis |

## Tables

{plans}

More workers than that shorten an iteration little; fewer cost less money and more time.

## The arithmetic

The largest of three bounds, an iteration:

- *workers*: the first shard of each worker published, then shards / workers times (task + sweep + passes + reading),
  the last result, the column step;
- *master*: shards x (publication + result) and the column step;
- *store*: bytes that no worker holds / link, the last task, the column step. A worker has a shard in memory, or on
  disk, as often as it can hold part of the table there. That is on the safe side: as if it got whichever shard is next,
  while the master's order makes it likely to get those that it has.

{example}

## One shard a worker

A worker that has one shard an iteration is likely to get it again. Of several, only the first is as likely; which
worker is free for the others depends on who was done when. So for a table that is read anew in most iterations, give
`--shards` the number of workers, and `DISNPLBM_CACHE_MEMORY_BYTES` the size of such a shard: it is read piece by
piece to where it stays, and is not in memory twice. {largest}, simulated:

{one_each}

## Against the simulation

{checks}
"""
