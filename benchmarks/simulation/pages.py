"""docs/scale.md, docs/sizing.md and the curves, from what was measured and what is simulated."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.charts import log_log_chart
from benchmarks.simulation import costs, validation
from benchmarks.simulation.costs import HOW, Costs, Kernels, Services, Table, setup_of
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

#: Iteration of one worker as docs/cluster-benchmarks.md had it before the master's messages became cheaper, by shards.
COMMITTED = {1: 0.0427, 8: 0.128, 16: 0.207}

#: Where eight workers had 16 shards from, there: part in memory, ten iterations each.
CACHES = (0.48, 0.87, 0.96, 1.00)

#: What the change of the master's messages has changed.
CHANGED = ("lead", "tail", "take", "take_byte", "step", "step_shard")

_BEFORE, _CHEAPER, _NOW = "before", "cheaper messages", "and shards kept: now"


@dataclass(frozen=True)
class Point:
    """A table on so many workers: seconds of an iteration, and what holds it up.

    Parameters
    ----------
    setup : Setup
    before, cheaper, now : float
        In the version before, in one whose messages are cheaper, and in one that is likely to give a worker the shards
        that it has as well.
    holds : str
        What holds up an iteration now.
    store_before, store : float
        Part of the shards that comes from the store.
    """

    setup: Setup
    before: float
    cheaper: float
    now: float
    holds: str
    store_before: float
    store: float


def point(of: Table, workers: int, now: Costs, before: Costs) -> Point:
    """Simulate a table on so many workers."""
    setup = setup_for(of, workers, now)
    by_number = replace(setup, order="shards")
    steps, then = now.steps(of, setup.shards), before.steps(of, setup.shards)
    cheaper, outcome = simulate(steps, by_number), simulate(steps, setup)
    return Point(
        setup,
        simulate(then, by_number).median,
        cheaper.median,
        outcome.median,
        bottleneck(steps, setup, iterations=3, skipped=3),
        share(cheaper.counted, "store"),
        share(outcome.counted, "store"),
    )


def written() -> dict[str, str]:
    """All files, by their path below docs."""
    record = costs.load()
    now, before = costs.from_json(record["now"]), before_of(record)
    files, sections = {}, []
    for name, of in SIMULATED.items():
        print(of, flush=True)
        points = [point(of, workers, now, before) for workers in WORKERS]
        files[f"scale/{name}.svg"] = log_log_chart(
            f"An iteration of {of}",
            "workers",
            WORKERS,
            {
                _BEFORE: [each.before for each in points],
                _CHEAPER: [each.cheaper for each in points],
                _NOW: [each.now for each in points],
            },
        )
        sections.append(f"### {of}\n\n![iteration against workers](scale/{name}.svg)\n\n{points_table(points)}")
    files["scale.md"] = _SCALE.format(
        machine=record["machine"],
        costs=costs_table(now, costs.from_json(record["before"])),
        validation=validation_table(record, now),
        errors=errors(record, now),
        committed=committed_table(before, now),
        caches=caches_table(now),
        kept=kept_table(record, now),
        tables="\n\n".join(sections),
        link=STORE_BYTES_A_SECOND / 1e9,
    )
    files["sizing.md"] = sizing_page(now)
    return files


def before_of(record: Mapping[str, Any]) -> Costs:
    """The version before: what has not changed since costs what it costs now, lest noise pass for a difference."""
    now, before = costs.from_json(record["now"]), costs.from_json(record["before"])
    return replace(now, services=replace(now.services, **{name: getattr(before.services, name) for name in CHANGED}))


def points_table(points: Sequence[Point]) -> str:
    """A row for each number of workers."""
    header = ("workers", "shards", "before", "cheaper messages", "and shards kept: now", "held up by", "from the store")
    return table(
        header,
        [
            (
                f"{each.setup.workers:,}",
                f"{each.setup.shards:,}",
                seconds(each.before),
                seconds(each.cheaper),
                seconds(each.now),
                each.holds,
                f"{each.store_before:.0%}, now {each.store:.0%}" if each.store_before else "0%",
            )
            for each in points
        ],
    )


def costs_table(now: Costs, before: Costs) -> str:
    """All measured costs, and how they are measured."""
    rows = [(name, _cost(name, getattr(now.kernels, name)), "", HOW[name]) for name in costs.names(Kernels)]
    rows += [
        (name, _cost(name, getattr(now.services, name)), _cost(name, getattr(before.services, name)), HOW[name])
        for name in costs.names(Services)
    ]
    return table(("cost", "now", "before", "measured as"), rows)


def _cost(name: str, value: float) -> str:
    return f"{value:.2f}" if name.endswith("spread") else "0" if value == 0 else seconds(value)


def validation_table(record: Mapping[str, Any], now: Costs) -> str:
    """Real runs beside their simulation."""
    rows = []
    for run in validation.from_json(record["runs"]):
        predicted = run.predicted(now, record["cores"])
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


def errors(record: Mapping[str, Any], now: Costs) -> str:
    """The errors in one line."""
    found = [run.error(now, record["cores"]) for run in validation.from_json(record["runs"])]
    median = statistics.median(map(abs, found))
    left = [record["cores"] - run["others"] for run in record["runs"]]
    return (
        f"The error is {median:.0%} in the median, without its sign; it lies between {min(found):+.0%} and"
        f" {max(found):+.0%}.\nOf {record['cores']} processors {min(left):.2f} to {max(left):.2f} were left."
    )


def committed_table(before: Costs, now: Costs) -> str:
    """One worker with next to nothing to sweep, on two processors: as committed, and as simulated."""
    tiny = Table(640, 20, 3, 2)
    rows = []
    for shards, real in COMMITTED.items():
        setup = setup_of(tiny, 1, shards, cores=2.0, order="shards")
        simulated = [simulate(each.steps(tiny, shards, at_rest=True), setup).median for each in (before, now)]
        rows.append((str(shards), seconds(real), *map(seconds, simulated)))
    return table(("shards", "before, as committed", "before, simulated", "now, simulated"), rows)


def kept_table(record: Mapping[str, Any], now: Costs) -> str:
    """Part of the shards that workers had in memory, in both orders, real and simulated."""
    runs: dict[tuple[int, int, int], dict[str, str]] = {}
    for run in validation.kept_from_json(record["kept"]):
        both = f"{run.memory:.0%} ({run.predicted(now, record['cores']):.0%})"
        runs.setdefault((run.workers, run.shards, run.held), {})[run.order] = both
    header = ("workers", "shards", "memory holds", "by number (simulated)", "as workers became free (simulated)")
    return table(header, [(*map(str, of), found["shards"], found["workers"]) for of, found in runs.items()])


def caches_table(now: Costs) -> str:
    """Where eight workers have 16 shards from, real and simulated."""
    of = Table(100_000, 90)
    setup = setup_of(of, 8, 16, cores=2.0, order="shards", full=False)
    found = simulate(now.steps(of, 16, at_rest=True), setup, iterations=40, skipped=0).sources
    rows = []
    for stretch, real in enumerate(CACHES):
        part = found[10 * stretch : 10 * stretch + 10]
        rows.append((f"{10 * stretch + 1} to {10 * stretch + 10}", f"{real:.0%}", f"{share(part, 'memory'):.0%}"))
    return table(("iterations", "from memory, as committed", "simulated"), rows)


def sizing_page(now: Costs) -> str:
    """docs/sizing.md."""
    iterations = Options().iterations
    plans = [plan(of, now) for of in SIZED]
    example = plan_of(Table(10**9, 20), 128, now)
    return _SIZING.format(
        plans=plans_table(plans, iterations),
        checks=checks_table([*plans, example]),
        iterations=iterations,
        price=PRICE,
        others=OTHER_PROCESSORS,
        link=STORE_BYTES_A_SECOND / 1e9,
        worth=1 - WORTH,
        example=arithmetic(example, now, iterations),
        largest=str(LARGEST),
        one_each=one_each_table(now),
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


def one_each_table(now: Costs) -> str:
    """The largest table in shards of the usual size, and in one for each worker."""
    rows = []
    for workers in ONE_EACH:
        usual, large = setup_for(LARGEST, workers, now), one_each(LARGEST, workers, now)
        cells: list[str] = []
        for setup in (usual, large):
            found = simulate(now.steps(LARGEST, setup.shards), setup)
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


def arithmetic(each: Plan, now: Costs, iterations: int) -> str:
    """One plan, step by step."""
    of, setup, steps, kernels = each.table, each.setup, each.steps, now.kernels
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
        f"- With what a task costs besides, {seconds(now.services.work)}: {seconds(steps.work)}; from the store first:"
        f" {seconds(steps.store)} more.",
        f"- The workers' bound: {seconds(each.bounds.workers)}.",
        f"- The master's bound: {setup.shards} x ({seconds(steps.publish)} + {seconds(steps.take)})"
        f" + {seconds(steps.lead + steps.tail)} + {seconds(steps.step)} = {seconds(each.bounds.master)}.",
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

The master is one server: it publishes the shards one after another, then takes results one by one, and after the last
one does the column step, commits and publishes again. A free worker takes the shard that waits longest, from its
memory, its disk or the store, sweeps it, sends the result, and is free again a while later. Caches hold what is used
last, 1 GiB in memory and 10 GiB on disk a worker, as set by default, and are full at the start of shards at random.
Both passes over the data are made, as while rows or columns still move. All workers get the same number of shards: at
least those of `--shards auto`, and none larger than a worker keeps. Iterations: median of 10 after 3.

An iteration is *held up by* the part without which it would be shortest: all parts are left out in turn. *Reading* is
from the store and from a worker's own disk.

## Measured costs

Seconds on the clock are medians of the calls of a run. This machine is shared: a run waits a while for a quiet machine,
is tried twice, and counts where less was beside it. *Before* is the version before the master's messages became cheaper
(ledger in one statement, entries kept with the join, no BEGIN and COMMIT around what only reads), measured in turns
with it. Publication and the workers' part are the same code in both: how far they differ says how noisy these figures
are. Below, *before* differs from *now* in what has changed only: lead, tail, take, step.

{machine}

{costs}

## Against real runs

Master, workers and servers share the processors of this machine, less those that others used meanwhile (both
measured). Chains at rest; medians of the iterations after the tenth.

{validation}

{errors}

The comparison is not blind: that medians are taken was settled with it in view. Lower quartiles, which an earlier
version took while others kept this machine busy, made a quiet one's iterations 17 % too short in the median.

One worker, next to nothing to sweep, two processors; *as committed*: docs/cluster-benchmarks.md before the change.

{committed}

Eight workers, 16 shards, caches empty at the start.

{caches}

Four or eight workers whose memory holds some shards, and whose disk none; the master publishes by number, as it once
did, or in the order in which their workers became free, as it does now.

{kept}

## Before and after

Seconds of an iteration against workers. *Before*: messages cost more, and shards were published by number. *Cheaper
messages*: the first bottleneck of small tables, the master's part for each shard, mended as far as that went. *Shards
kept*: the first bottleneck of large ones, reading, mended: shards are published in the order in which their workers
became free (`disnplbm_master.publication`), so that most workers get those that they have. That helps most where each
has one shard an iteration: [sizing.md](sizing.md#one-shard-a-worker).

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
