"""A database as years of use leave it: thousands of runs of some datasets, with traces and events."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import insert

from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.engine.options import Options
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain, Dataset, Event, Iteration, Run
from disnplbm.runs.ids import new_id
from disnplbm.runs.records import Reported
from disnplbm.runs.states import State

RUNS, DATASETS = 20_000, 60

#: States, and how many of a thousand runs are in each.
_STATES = {State.SUCCEEDED: 890, State.FAILED: 50, State.CANCELLED: 55, State.PAUSED: 5}

#: Iterations that runs were asked for.
_ITERATIONS = (20, 50, 100)

#: Between two runs.
_APART = timedelta(minutes=25)

_ACTORS = ("ada", "grace", "karl")

#: Runs that are written in one transaction.
_BATCH = 1000


class Made(NamedTuple):
    """What there is now: ids of runs, the newest first; of those that are paused; of datasets; rows of traces."""

    runs: list[str]
    paused: list[str]
    datasets: list[str]
    iterations: int


def write(database: Database) -> Made:
    """Fill an empty database; its runs have no objects."""
    chance = random.Random(0)
    datasets = list(_datasets(chance))
    with database.session() as session:
        session.execute(insert(Dataset), datasets)
    runs, paused, written = [], [], 0
    for first in range(0, RUNS, _BATCH):
        rows: dict[type[Any], list[dict[str, Any]]] = {Run: [], Chain: [], Iteration: [], Event: []}
        for number in range(first, first + _BATCH):
            run = _run(chance, chance.choice(datasets), RUNS - number)
            runs.append(run["id"])
            if run["state"] == State.PAUSED:
                paused.append(run["id"])
            trace = list(_trace(chance, run))
            reported = trace[-1] if run["state"] == State.SUCCEEDED else {}
            rows[Run].append(run | {name: reported.get(name) for name in Reported._fields})
            rows[Iteration].extend(trace)
            rows[Chain].append(_chain(run, len(trace)))
            rows[Event].extend(_events(chance, run))
        with database.session() as session:
            for table, values in rows.items():
                session.execute(insert(table.__table__), values)
        written += len(rows[Iteration])
    return Made(runs[::-1], paused[::-1], [dataset["id"] for dataset in datasets], written)


def _datasets(chance: random.Random) -> Iterator[dict[str, Any]]:
    for number in range(DATASETS):
        dataset_id, n, p = new_id(), chance.randrange(200, 50_000), chance.randrange(10, 200)
        yield {
            "id": dataset_id,
            "name": f"cohort-{number:02d}.csv",
            "path": f"cohort-{number:02d}.csv",
            "state": "READY",
            "upload_key": f"uploads/{dataset_id}/cohort-{number:02d}.csv",
            "upload_bytes": 12 * n * p,
            "upload_sha256": chance.randbytes(32).hex(),
            "reading": {"id_column": None, "class_column": None, "header": "auto"},
            "prefix": f"datasets/{dataset_id}",
            "n": n,
            "p": p,
            "dimension": 1,
            "sha256": chance.randbytes(32).hex(),
            "missing": 0,
            "error": None,
            "created_at": datetime.now(UTC) - (RUNS + 1) * _APART,
        }


def _run(chance: random.Random, dataset: dict[str, Any], ago: int) -> dict[str, Any]:
    (state,) = chance.choices(list(_STATES), weights=list(_STATES.values()))
    iterations, created = chance.choice(_ITERATIONS), datetime.now(UTC) - ago * _APART
    burn_in = iterations // 2 if chance.random() < 0.25 else 0
    over = None if state == State.PAUSED else created + timedelta(seconds=chance.uniform(20, 900))
    return {
        "id": new_id(),
        "name": f"{dataset['name']} seed {chance.randrange(100)}",
        "dataset_id": dataset["id"],
        "state": state.value,
        "epoch": 0,
        "options": Options(iterations=iterations, burn_in=burn_in).to_dict(),
        "n_shards_wanted": "auto",
        "axis_wanted": "auto",
        "transform": "none",
        "shards_prefix": f"shards/{dataset['sha256'][:32]}-{dataset['id']}-none-rows-2",
        "n_shards": 2,
        "algorithm": ALGORITHM_VERSION,
        "iterations_total": iterations,
        "error": "a worker ran out of memory at shard 1: use more shards" if state == State.FAILED else None,
        "created_at": created,
        "started_at": created + timedelta(seconds=2),
        "finished_at": over,
    }


def _chain(run: dict[str, Any], done: int) -> dict[str, Any]:
    ended = run["state"] == State.SUCCEEDED
    return {
        "run_id": run["id"],
        "stream": 0,
        "chain": 0,
        "short": None,
        "iterations": run["iterations_total"],
        "iteration": done + 1,
        "state": None,
        "state_key": None,
        "published_at": None,
        "ended": ended,
    }


def _trace(chance: random.Random, run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    total = run["iterations_total"]
    done = total if run["state"] == State.SUCCEEDED else chance.randrange(1, total)
    level = chance.uniform(-1e7, -1e5)
    for iteration in range(1, done + 1):
        yield {
            "run_id": run["id"],
            "stream": 0,
            "iteration": iteration,
            "log_joint": level * (1.0 + 1.0 / iteration),
            "row_clusters": 3 + min(iteration, 20) + chance.randrange(3),
            "column_clusters": 2 + chance.randrange(3),
            "alpha": 1.0,
            "beta": 1.0,
            "seconds": chance.uniform(0.01, 0.2),
            "shards": [
                {
                    "shard": shard,
                    "worker": "embedded",
                    "waited": 0.0,
                    "seconds": chance.uniform(0.01, 0.1),
                    "source": "memory",
                    "redelivered": 0,
                }
                for shard in range(2)
            ],
        }


def _events(chance: random.Random, run: dict[str, Any]) -> Iterator[dict[str, Any]]:
    actor = chance.choice(_ACTORS)
    steps = [
        ("submitted", actor, None, State.PENDING.value, run["created_at"]),
        ("state", "engine", State.PENDING.value, State.RUNNING.value, run["started_at"]),
        ("state", actor, State.RUNNING.value, run["state"], run["finished_at"] or run["started_at"]),
    ]
    for kind, who, before, after, at in steps:
        yield {
            "at": at,
            "run_id": run["id"],
            "dataset_id": run["dataset_id"] if kind == "submitted" else None,
            "actor": who,
            "kind": kind,
            "from_state": before,
            "to_state": after,
            "reason": "",
            "data": {},
        }
