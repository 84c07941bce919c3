"""Runs on real servers, and what was seen of them: iterations, what each process did when, processors used."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from benchmarks.cluster.processor import busy_seconds, processor_seconds
from benchmarks.cluster.servers import Cluster, Servers
from benchmarks.master.answered import answered, submit_answered
from benchmarks.simulation.timed import FOLDER
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from services.cluster import Member

_ROOT = Path(__file__).resolve().parents[2]

#: Iterations at the start that do not count: caches fill, rows find their clusters.
SKIPPED = 10

#: Processors that may be busy with something else while a run is timed; a run with more is tried again.
QUIET, TRIES = 0.25, 2

#: Longest wait for so little, in seconds.
PATIENCE = 20.0


@dataclass(frozen=True)
class Shape:
    """A synthetic table, with what a run of it is cut into."""

    rows: int
    columns: int
    row_clusters: int
    column_clusters: int
    shards: int


@dataclass(frozen=True)
class Observed:
    """What was seen of a run, after its first iterations.

    Parameters
    ----------
    seconds : list of float
        Of each iteration.
    processors : dict of str to float
        Processor seconds an iteration, by process.
    others : float
        Processors that were busy with something else meanwhile.
    calls : list of dict
        What the stopwatches of :mod:`benchmarks.simulation.timed` wrote.
    sources : list of Counter
        Where the workers had the shards from, in each of all iterations.
    """

    seconds: list[float]
    processors: dict[str, float]
    others: float
    calls: list[dict[str, Any]] = field(repr=False)
    sources: list[Counter[str]] = field(repr=False)

    @property
    def median(self) -> float:
        """Seconds of an iteration."""
        return statistics.median(self.seconds)


class TimedMember(Member):
    """A master or a worker with stopwatches."""

    def __init__(self, role: str, environment: dict[str, str]) -> None:
        super().__init__(role, environment | {"PYTHONPATH": str(_ROOT)})

    def command(self) -> list[str]:
        return [sys.executable, "-m", "benchmarks.simulation.timed", self.name]


def observe(
    servers: Servers,
    shape: Shape,
    workers: int,
    iterations: int,
    *,
    environment: Mapping[str, str] = MappingProxyType({}),
) -> Observed:
    """Run a table for some iterations, when nothing else goes on, or as little as can be had.

    Parameters
    ----------
    servers : Servers
    shape : Shape
    workers, iterations : int
    environment : mapping of str to str
        More settings, of all of them.
    """
    best: Observed | None = None
    for _ in range(TRIES):
        await_quiet()
        seen = _observe(servers, shape, workers, iterations, environment)
        if best is None or seen.others < best.others:
            best = seen
        if best.others <= QUIET:
            break
    assert best is not None
    return best


def observe_answered(servers: Servers, n_shards: int) -> list[dict[str, Any]]:
    """What a master does whose shards are all answered at once: what its stopwatches wrote."""
    await_quiet()
    with servers.cluster() as cluster, tempfile.TemporaryDirectory(prefix="disnplbm-times-") as times:
        with TimedMember("master", {**cluster.environment, FOLDER: times}) as master:
            master.start()
            with answered(cluster, n_shards):
                run = submit_answered(servers, cluster, n_shards, SKIPPED + 20)
                _await(cluster, run, SKIPPED + 20)
        return _read_calls(times)


def _read_calls(folder: str) -> list[dict[str, Any]]:
    """What the stopwatches wrote."""
    return [json.loads(line) for file in Path(folder).glob("*.jsonl") for line in file.open()]


def await_quiet() -> None:
    """Wait, though not for ever, until this machine has been quiet for two seconds."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        before, began = busy_seconds(), time.monotonic()
        time.sleep(2.0)
        if (busy_seconds() - before) / (time.monotonic() - began) <= QUIET:
            return


def _observe(servers: Servers, shape: Shape, workers: int, iterations: int, settings: Mapping[str, str]) -> Observed:
    folder = servers.folder / f"{shape.rows}-{shape.columns}-{shape.row_clusters}-{shape.column_clusters}"
    if not folder.exists():
        generate(
            folder,
            rows=shape.rows,
            columns=shape.columns,
            row_clusters=shape.row_clusters,
            column_clusters=shape.column_clusters,
            seed=0,
        )
    with servers.cluster() as cluster, tempfile.TemporaryDirectory(prefix="disnplbm-times-") as times:
        environment = {**cluster.environment, **settings, FOLDER: times}
        members: list[TimedMember] = []
        try:
            for number in range(workers + 1):
                role = "worker" if number else "master"
                more = {"DISNPLBM_CACHE_FOLDER": f"{cluster.scratch}/cache-{number}"} if number else {}
                members.append(TimedMember(role, environment | more))
                members[-1].start()
            run = cluster.submit(folder / "x.npy", Options(iterations=iterations), n_shards=shape.shards, axis="rows")
            roots = servers.pids(members[0], members[1:])
            began = _await(cluster, run, SKIPPED)
            before = _processors(roots)
            ended = _await(cluster, run, iterations - 2)
            after = _processors(roots)
            _await(cluster, run, iterations)
            trace = cluster.service.trace(run)[:iterations]
            calls = _read_calls(times)
        finally:
            for member in members:
                member.close()
    used = {name: after[name] - before[name] for name in roots}
    others = (after["all"] - before["all"] - sum(used.values())) / (after["clock"] - before["clock"])
    return Observed(
        [row.row.seconds for row in trace[SKIPPED:]],
        {name: value / (ended - began) for name, value in used.items()},
        max(others, 0.0),
        calls,
        [Counter(shard["source"] for shard in row.shards) for row in trace],
    )


def _await(cluster: Cluster, run: str, iteration: int) -> int:
    """Wait for an iteration, without asking often; how many are done."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        done = cluster.service.progress(run).done
        if done >= iteration:
            return done
        if cluster.service.run(run).state in ("FAILED", "CANCELLED"):
            raise RuntimeError(cluster.logs())
        time.sleep(0.2)
    raise RuntimeError(f"run {run} is at iteration {cluster.service.progress(run).done} after 600 s")


def _processors(roots: Mapping[str, int]) -> dict[str, float]:
    """Processor seconds used so far, by process and by the whole machine, and the time."""
    return processor_seconds(roots) | {"all": busy_seconds(), "clock": time.monotonic()}
