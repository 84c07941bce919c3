"""Costs of master, workers and servers, from the calls that real runs of one worker made.

Of each kind of call the median counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.cluster.servers import Servers
from benchmarks.simulation.costs import STATISTIC, Services
from benchmarks.simulation.observation import SKIPPED, Observed, Shape, observe, observe_answered

#: Next to nothing to sweep, in so many shards.
SHARDS = (1, 8, 16, 32)
TINY = {n: Shape(640, 20, 3, 2, n) for n in SHARDS}

#: Statistics nearly as large as messages take them.
WIDE = Shape(2000, 1000, 10, 3, 8)

#: Shards that are all answered at once, so that their results wait for the master.
ANSWERED = 256

ITERATIONS = 40

Call = dict[str, Any]


def services(servers: Servers) -> Services:
    """Costs from runs on real servers."""
    seen: dict[Shape, Observed] = {}
    for shape in (*TINY.values(), WIDE):
        run = seen[shape] = observe(servers, shape, 1, ITERATIONS)
        print(f"{shape}: {run.median:.3f} s, {run.others:.2f} processors busy elsewhere", flush=True)
    return derived({n: seen[TINY[n]] for n in SHARDS}, seen[WIDE], observe_answered(servers, ANSWERED))


def derived(runs: Mapping[int, Observed], wide: Observed, answered: Iterable[Call]) -> Services:
    """Costs from runs of next to nothing in so many shards, from large statistics, and from results in batches."""
    calls = {n: by_iteration(run.calls) for n, run in runs.items()}
    most = max(runs)
    publish, _ = _line({n: middle(publications(calls[n])) for n in runs})
    step_shard, step = _line({n: middle(steps(calls[n])) for n in runs})
    batches: dict[int, list[float]] = defaultdict(list)
    for results, seconds in takes(by_iteration(answered)):
        batches[results].append(seconds)
    take, batch = _line({results: middle(found) for results, found in batches.items()})
    one = alone(takes(calls[most]))
    work, turn = middle(works(calls[most])), middle(turns(calls[most]))
    kernel = middle(span(call) for part in calls[most].values() for call in part.get("kernel", []))
    processors, _ = _line({n: sum(run.processors.values()) for n, run in runs.items()})
    bytes_more = STATISTIC * (WIDE.columns * WIDE.row_clusters - TINY[most].columns * TINY[most].row_clusters)
    return Services(
        lead=middle(gap for part in calls.values() for gap in leads(part)),
        publish=publish,
        tail=middle(gap for part in calls.values() for gap in tails(part)),
        to_worker=max(middle(ways_to_worker(calls[1])), 0.0),
        to_master=max(middle(ways_to_master(calls[1])), 0.0),
        work=work,
        turn=turn,
        take=take,
        batch=batch,
        take_byte=max(alone(takes(by_iteration(wide.calls))) - one, 0.0) / bytes_more,
        step=step,
        step_shard=step_shard,
        behind=max(processors - publish - one - step_shard - work - kernel - turn, 0.0),
        # Of one shard, since nothing else goes on then that would make tasks unlike.
        spread=_spread([span(call) for part in calls[1].values() for call in part.get("task", [])]),
        turn_spread=_spread(turns(calls[most])),
    )


def by_iteration(calls: Iterable[Call]) -> dict[int, dict[str, list[Call]]]:
    """Calls after the first iterations, by iteration and kind, in the order in which they began."""
    found: dict[int, dict[str, list[Call]]] = defaultdict(lambda: defaultdict(list))
    tasks: dict[int, list[Call]] = defaultdict(list)
    ordered = sorted(calls, key=lambda call: call["began"])
    for call in ordered:
        if call["kind"] == "task":
            tasks[call["pid"]].append(call)
    for call in ordered:
        if call["kind"] == "kernel":
            # Of the task that it is in.
            for task in tasks[call["pid"]]:
                if _within(call, task):
                    found[task["iteration"]]["kernel"].append(call)
        elif call["kind"] != "step" or call["done"]:
            found[call["iteration"]][call["kind"]].append(call)
    return {iteration: kinds for iteration, kinds in sorted(found.items()) if iteration > SKIPPED}


def span(call: Call) -> float:
    """Seconds of a call."""
    return float(call["ended"] - call["began"])


def publications(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds of the publication of each iteration."""
    return [span(call) for kinds in calls.values() for call in kinds.get("publish", [])]


def steps(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from the start of each column step to the end of its commit."""
    return [
        kinds["advance"][0]["ended"] - kinds["step"][0]["began"]
        for kinds in calls.values()
        if kinds.get("advance") and kinds.get("step")
    ]


def takes(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[tuple[int, float]]:
    """Results taken together, and seconds of it without the column step that the last of an iteration brings about."""
    return [
        (call["shards"], span(call) - sum(span(step) for step in kinds.get("step", []) if _within(step, call)))
        for kinds in calls.values()
        for call in kinds.get("swept", [])
    ]


def alone(taken: Iterable[tuple[int, float]]) -> float:
    """Median seconds of a result that was taken alone."""
    return middle(seconds for results, seconds in taken if results == 1)


def leads(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from each commit to the publication that follows."""
    return [
        calls[t + 1]["publish"][0]["began"] - kinds["advance"][0]["ended"]
        for t, kinds in calls.items()
        if kinds.get("advance") and t + 1 in calls and calls[t + 1].get("publish")
    ]


def tails(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from the end of each publication to the end of the call that it was made in."""
    return [
        kinds["step"][0]["ended"] - calls[t + 1]["publish"][0]["ended"]
        for t, kinds in calls.items()
        if kinds.get("step") and t + 1 in calls and calls[t + 1].get("publish")
    ]


def ways_to_worker(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from the publication of a lone shard to the start of its task."""
    return [
        kinds["task"][0]["began"] - kinds["publish"][0]["ended"]
        for kinds in calls.values()
        if kinds.get("task") and kinds.get("publish")
    ]


def ways_to_master(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from the end of each task until the master begins to take its result, where it does nothing else."""
    return [
        kinds["swept"][0]["began"] - kinds["task"][0]["ended"]
        for kinds in calls.values()
        if kinds.get("task") and kinds.get("swept")
    ]


def works(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds of each task without its sweep."""
    return [
        span(task) - sum(span(kernel) for kernel in kinds.get("kernel", []) if _within(kernel, task))
        for kinds in calls.values()
        for task in kinds.get("task", [])
    ]


def turns(calls: Mapping[int, Mapping[str, list[Call]]]) -> list[float]:
    """Seconds from the end of each task to the start of the worker's next one, if that waited already."""
    found = []
    for kinds in calls.values():
        tasks, publish = kinds.get("task", []), kinds.get("publish", [])
        if publish and tasks:
            each = span(publish[0]) / len(tasks)
            for number, (before, after) in enumerate(pairwise(tasks), start=1):
                if publish[0]["began"] + (number + 2) * each <= before["ended"]:
                    found.append(after["began"] - before["ended"])
    return found


def middle(values: Iterable[float]) -> float:
    """Median; RuntimeError if there is none."""
    found = list(values)
    if not found:
        raise RuntimeError("no call of a kind was seen: was the run too short, or the master another's?")
    return float(np.median(found))


def _spread(values: Sequence[float]) -> float:
    """Standard deviation of the logarithms, from their quartiles: 1.349 of them lie between a normal one's."""
    quartiles = np.quantile(np.log(values), [0.25, 0.75])
    return float(quartiles[1] - quartiles[0]) / 1.349


def _within(inner: Call, outer: Call) -> bool:
    return bool(inner["pid"] == outer["pid"] and outer["began"] <= inner["began"] and inner["ended"] <= outer["ended"])


def _line(values: Mapping[int, float]) -> tuple[float, float]:
    """Slope, not negative, and intercept of a straight line; relative errors weigh alike."""
    sizes: Sequence[int] = list(values)
    heights = np.array([values[size] for size in sizes])
    parts = np.column_stack([np.array(sizes, dtype=float), np.ones(len(sizes))])
    found, *_ = np.linalg.lstsq(parts / heights[:, None], np.ones_like(heights), rcond=None)
    return max(float(found[0]), 0.0), max(float(found[1]), 0.0)
