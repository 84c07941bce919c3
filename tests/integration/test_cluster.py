"""A run on the cluster is the run of ``fit``, to the last bit, whoever sweeps which shard when."""

from __future__ import annotations

import csv
import io
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from disnplbm.engine.options import Options
from disnplbm.messaging.inspection import inspect_queues
from disnplbm.runs.records import Reported
from services.tables import TABLES, fitted

if TYPE_CHECKING:
    from services.cluster import Cluster

#: Everything that a run can ask for besides: burn-in, draws, chains, restarts, learned concentrations.
RICH: dict[str, Any] = {"iterations": 12, "burn_in": 4, "draws": 4, "chains": 2, "alpha": "learn", "restarts": 2}

CASES = [
    ("wine", "collapsed", 2, {"iterations": 25}),
    ("wine", "split-merge", 3, RICH),
    ("missing", "collapsed", 4, RICH),
    ("missing", "split-merge", 4, {"iterations": 16}),
    ("triples", "collapsed", 1, {"iterations": 10}),
    ("triples", "split-merge", 3, {"iterations": 12, "burn_in": 4, "draws": 3}),
    ("triples", "auto", 2, {"iterations": 12}),
    # The same shards under another covariance.
    ("triples", "auto", 2, {"iterations": 12, "covariance": "diagonal"}),
    ("triples", "collapsed", 3, RICH | {"covariance": "diagonal"}),
    ("paper", "collapsed", 4, {"iterations": 12}),
    ("paper", "split-merge", 8, {"iterations": 12, "burn_in": 6, "draws": 3}),
    ("words", "auto", 4, {"iterations": 16, "burn_in": 8, "draws": 3}),
    ("words", "auto", "auto", RICH | {"cells": "counts", "exposure": "none"}),
    ("words", "auto", 3, {"iterations": 12, "exposure": "given"}),
    ("votes", "auto", 2, {"iterations": 14}),
    ("votes", "collapsed", 1, {"iterations": 8, "cells": "binary"}),
    ("votes", "collapsed", 2, {"iterations": 6, "start": "crossed", "crossings": 1}),
    ("levels", "collapsed", "auto", {"iterations": 8, "anneal": 5}),
    ("levels", "split-merge", 3, RICH),
]

#: What goes with "given": a factor for each row of the words, in order, and one for each column, by its name.
FACTORS: dict[str, Any] = {
    "row_factors": np.linspace(0.5, 2.0, 3000).tolist(),
    "column_factors": {"ids": [str(j) for j in range(400)][::-1], "labels": np.linspace(1.0, 3.0, 400).tolist()},
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: make(tmp_path_factory.mktemp(name)) for name, make in TABLES.items()}


def test_same_bytes_as_fit(cluster: Cluster, tables: dict[str, Path], tmp_path: Path) -> None:
    """All tables and samplers at once, on two workers: shards of all runs come in any order."""
    cluster.start_master()
    cluster.start_worker()
    cluster.start_worker()
    runs = {}
    for number, (table, sampler, shards, rich) in enumerate(CASES):
        options = Options(**{"sampler": sampler, "seed": number, **rich})
        runs[number] = cluster.submit(tables[table], options, n_shards=shards, **_beside(options))
    for number, (table, sampler, shards, rich) in enumerate(CASES):
        options = Options(**{"sampler": sampler, "seed": number, **rich})
        request = {"n_shards": shards, **_beside(options)}
        expected = fitted(tables[table], tmp_path / f"fit-{number}", options, **request)
        found = cluster.outcome(runs[number])
        assert found["digest"] == expected["digest"], (table, sampler)
        for key in ("row_clusters", "column_clusters", "log_joint", "posterior", "restarts", "parameters", "ppc"):
            assert found.get(key) == expected.get(key), (table, sampler, key)
        for key in Reported._fields:
            assert getattr(cluster.service.run(runs[number]), key) == expected[key], (table, sampler, key)
        _same_files(cluster, runs[number], tmp_path / f"fit-{number}")


def test_workers_come_and_go(cluster: Cluster, tables: dict[str, Path], tmp_path: Path) -> None:
    """One worker, then four, then another one: any of them does any shard at any iteration."""
    options = Options(iterations=40, seed=1, sampler="split-merge", burn_in=20, draws=5)
    cluster.start_master()
    first = cluster.start_worker()
    run = cluster.submit(tables["missing"], options, n_shards=6)
    cluster.wait(run, iteration=5)
    others = [cluster.start_worker() for _ in range(3)]
    cluster.wait(run, iteration=12)
    first.stop()
    for other in others[:2]:
        other.kill()
    cluster.start_worker()
    found = cluster.outcome(run)
    assert found["digest"] == fitted(tables["missing"], tmp_path / "fit", options, n_shards=6)["digest"]


@pytest.mark.long
def test_twenty_runs_share_two_workers(cluster: Cluster, tables: dict[str, Path], tmp_path: Path) -> None:
    """All are under way at once, none waits for another's end, and each ends as it would alone."""
    asked = [
        (("wine", "missing", "triples")[number % 3], 1 + number % 4, Options(iterations=6, seed=number))
        for number in range(20)
    ]
    runs = [cluster.submit(tables[table], options, n_shards=shards) for table, shards, options in asked]
    cluster.start_master()
    cluster.start_worker()
    cluster.start_worker()
    for number, (run, (table, shards, options)) in enumerate(zip(runs, asked, strict=True)):
        expected = fitted(tables[table], tmp_path / f"fit-{number}", options, n_shards=shards)
        assert cluster.outcome(run)["digest"] == expected["digest"], (number, table, shards)
    # Callbacks that come too late may still be on their way.
    deadline = time.monotonic() + 30
    while {state.waiting for state in inspect_queues(cluster.rabbitmq.url, 3)} != {0}:
        assert time.monotonic() < deadline, inspect_queues(cluster.rabbitmq.url, 3)
        time.sleep(0.1)


def _beside(options: Options) -> dict[str, Any]:
    """What is asked for beside the options."""
    return FACTORS if options.exposure == "given" else {}


def _same_files(cluster: Cluster, run: str, folder: Path) -> None:
    """The files of a run folder, but for times and versions of the moment."""
    names = {key.rpartition("/")[2] for key in cluster.store.list(f"runs/{run}/results")}
    assert names == {path.name for path in folder.iterdir() if path.is_file()}
    for name in ("rows.csv", "columns.csv", "blocks.csv"):
        assert bytes(cluster.store.get(f"runs/{run}/results/{name}")) == (folder / name).read_bytes(), name
    theirs, ours = (
        [{name: value for name, value in row.items() if name != "seconds"} for row in csv.DictReader(io.StringIO(text))]
        for text in (
            bytes(cluster.store.get(f"runs/{run}/results/trace.csv")).decode(),
            (folder / "trace.csv").read_text(),
        )
    )
    assert theirs == ours
    if (folder / "draws.npz").exists():
        with (
            np.load(io.BytesIO(bytes(cluster.store.get(f"runs/{run}/results/draws.npz")))) as found,
            np.load(folder / "draws.npz") as expected,
        ):
            assert found.files == expected.files
            assert all(found[name].tobytes() == expected[name].tobytes() for name in found.files)
