"""Measure what a worker does around a sweep: ``python -m benchmarks.turn [--before FOLDER]``, on real servers.

One worker, RabbitMQ and Redis, and a chord of tasks that wait already, published as a master does. Each has next to
nothing to sweep. ``--before`` names a checkout of another version, whose worker takes turns with this one's in the same
run. So does the least that a task can take (:mod:`benchmarks.turn.floor`).
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import structlog
from kombu import Connection, Consumer

from benchmarks.cluster.processor import processor_seconds
from benchmarks.cluster.servers import Servers
from benchmarks.machine import description
from benchmarks.simulation.timed import FOLDER
from benchmarks.tables import seconds, table
from benchmarks.turn.floor import floor
from benchmarks.turn.tasks import make_tasks
from disnplbm.messaging import queues
from disnplbm.messaging.app import make_app
from disnplbm.settings import Settings
from disnplbm_master.publication import Publisher
from services.cluster import Cluster, Member

_ROOT = Path(__file__).resolve().parents[2]

#: Tasks of a turn, and those at the start that do not count.
TASKS, SKIPPED = 300, 60

#: How often each version is measured, taking turns.
TURNS = 3

#: What is measured of a task, in the order in which it is told.
PARTS = {
    "floor": "the floor",
    "all": "from one task to the next, without sweep",
    "work": "a task, without its sweep",
    "stale": "of it: whether somebody waits for it",
    "labels": "of it: labels read",
    "message": "of it: packed, labels written",
    "publish": "of it: statistics sent and confirmed",
    "turn": "from the end of a task to the start of the next",
    "count": "of it: counted in Redis",
    "processor of the worker": "processor, the worker's two processes",
    "processor of the servers": "processor, RabbitMQ and Redis",
}


class TimedWorker(Member):
    """A worker with stopwatches, of a version in some folder."""

    def __init__(self, root: Path, environment: dict[str, str]) -> None:
        parts = ("shared", "services/worker", "services/master", "dashboard")
        path = os.pathsep.join([*(str(root / part) for part in parts), str(_ROOT)])
        super().__init__("worker", environment | {"PYTHONPATH": path})

    def command(self) -> list[str]:
        return [sys.executable, "-m", "benchmarks.turn.timed"]


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.turn", description=__doc__)
    parser.add_argument("--before", type=Path, help="A checkout of the version to compare with.")
    parser.add_argument("--turns", type=int, default=TURNS)
    asked = parser.parse_args()
    roots = {"now": _ROOT} if asked.before is None else {"before": asked.before.resolve(), "now": _ROOT}
    # What is swept here, to make the tasks, is not told.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    print(description(), flush=True)
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    with Servers.started() as servers:
        for _ in range(asked.turns):
            for name, root in roots.items():
                with servers.cluster() as cluster:
                    found[name].append(measure(servers, cluster, root))
                print(name, seconds(found[name][-1]["all"]), flush=True)
    print(report(found))


def measure(servers: Servers, cluster: Cluster, root: Path) -> dict[str, float]:
    """Seconds of each part of a task."""
    tasks = make_tasks(cluster.store, TASKS)
    settings = Settings(broker_url=cluster.rabbitmq.url, redis_url=cluster.redis_server.url)
    with make_app("turn", settings) as app, tempfile.TemporaryDirectory(prefix="disnplbm-times-") as times:
        app.conf.task_queues = list(queues.ALL)
        with Connection(settings.broker_url) as connection, connection.channel() as channel:
            for queue in queues.ALL:
                queue.bind(channel).declare()
            with TimedWorker(root, cluster.environment | {FOLDER: times}) as worker:
                worker.start()
                arrived: list[float] = []
                Publisher(app, lambda: True).publish_iteration(tasks)
                named = {"worker": worker.pid, "broker": servers.rabbitmq.pid, "redis": servers.redis.pid}
                with Consumer(channel, [queues.RESULTS], on_message=lambda m: (arrived.append(0.0), m.ack())):
                    while len(arrived) < SKIPPED:
                        connection.drain_events(timeout=120)
                    before, first = processor_seconds(named), len(arrived)
                    while len(arrived) < TASKS:
                        connection.drain_events(timeout=120)
                    after = processor_seconds(named)
            least = floor(app, connection, tasks)
        calls = [json.loads(line) for file in Path(times).glob("*.jsonl") for line in file.open()]
    spent = {name: (after[name] - before[name]) / (TASKS - first) for name in named}
    return parts(calls) | {
        "floor": least,
        "processor of the worker": spent["worker"],
        "processor of the servers": spent["broker"] + spent["redis"],
    }


def parts(calls: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Medians of what the stopwatches wrote; RuntimeError if a part was not seen."""
    of_kind: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for call in sorted(calls, key=lambda call: call["began"]):
        of_kind[call["kind"]].append(call)
    tasks = of_kind.pop("task")[SKIPPED:]
    spans = {kind: [call["ended"] - call["began"] for call in found[SKIPPED:]] for kind, found in of_kind.items()}
    whole = [task["ended"] - task["began"] for task in tasks]
    # In order: a task has one sweep. The worker may end before it has written down the last one.
    spans["work"] = [task - kernel for task, kernel in zip(whole, spans.pop("kernel"), strict=False)]
    spans["turn"] = [after["began"] - before["ended"] for before, after in pairwise(tasks)]
    spans["all"] = [work + turn for work, turn in zip(spans["work"], spans["turn"], strict=False)]
    return {kind: statistics.median(found) for kind, found in spans.items() if found}


def report(found: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """A row for each part; the last column is the median of the pairs' ratios."""
    rows = []
    for kind, what in PARTS.items():
        medians = {name: [turn.get(kind, 0.0) for turn in turns] for name, turns in found.items()}
        row = [what, *(seconds(statistics.median(values)) for values in medians.values())]
        if len(medians) > 1:
            pairs = zip(medians["before"], medians["now"], strict=True)
            row.append(f"{statistics.median(now / before if before else 0.0 for before, now in pairs):.2f} x")
        rows.append(tuple(row))
    header = ("a task", *found, "ratio") if len(found) > 1 else ("a task", *found)
    return table(header, rows)


if __name__ == "__main__":
    main()
