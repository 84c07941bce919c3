"""Costs of what one thread computes or reads, measured in this process."""

from __future__ import annotations

import hashlib
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.problems import ALPHA, BETA, synthetic
from benchmarks.simulation.costs import Kernels
from benchmarks.simulation.observation import await_quiet
from benchmarks.timing import interleaved
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import load_shard, prepare
from disnplbm.data.source import open_source
from disnplbm.data.synthetic import generate
from disnplbm.engine.local import LocalEngine
from disnplbm.engine.options import Options
from disnplbm.engine.problem import build_problem, problem_of_manifest
from disnplbm.objects.addressed import get_addressed, put_addressed
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.sampler.chain import join_of, master_step, shard_step
from disnplbm.sampler.packing import pack_labels, unpack_labels
from services.seaweedfs import SeaweedFS

#: Columns, row clusters, column clusters.
SHAPES = ((20, 5, 3), (20, 10, 3), (20, 30, 5), (20, 100, 10), (90, 5, 3), (90, 10, 3), (90, 30, 5), (90, 100, 10))

_ROWS, _ROUNDS = 40_000, 7


def measured() -> Kernels:
    """All of them."""
    shapes = [_shape(*shape) for shape in SHAPES]
    blocks = np.array([k * groups for _, k, groups in SHAPES], dtype=float)
    columns = np.array([p for p, _, _ in SHAPES], dtype=float)
    rest, moving, master = (np.array([times[i] for times in shapes]) for i in range(3))
    row, row_block = _fit(np.column_stack([np.ones_like(blocks), blocks]), rest / _ROWS)
    _, column_block = _fit(np.column_stack([np.ones_like(blocks), columns * blocks]), master)
    disk, store = reading()
    return Kernels(
        row=row,
        row_block=row_block,
        cell=float(np.median((moving - rest) / _ROWS / columns)),
        column_block=column_block,
        label=_label(),
        disk_byte=disk,
        store_byte=store,
    )


def _fit(parts: NDArray[np.float64], times: NDArray[np.float64]) -> list[float]:
    """Coefficients of the parts, relative errors weighing alike."""
    found, *_ = np.linalg.lstsq(parts / times[:, None], np.ones_like(times), rcond=None)
    return [max(float(value), 0.0) for value in found]


def _shape(columns: int, k: int, groups: int) -> tuple[float, float, float]:
    """Processor seconds of a sweep at rest, of one that makes both passes over the data, and of the master's part."""
    table = synthetic(_ROWS, columns, 1, k, groups)
    mean, covariance = table.moments()
    # Two shards, as one alone would try to split and merge clusters by itself; one of them is timed.
    options = Options(alpha=ALPHA, beta=BETA, iterations=2)
    halves = (np.ascontiguousarray(np.concatenate([table.values[s::2]] * 2)) for s in range(2))
    problem = build_problem(halves, 2, options, "rows", mean, covariance, 2 * table.values.size, complete=True)
    rows = np.empty(2 * _ROWS, dtype=np.int32)
    for s in range(2):
        rows[s::2] = np.concatenate([table.rows[s::2]] * 2)
    with LocalEngine(problem.shards, problem.parameters, problem.families, 1) as engine:
        state = engine.start(problem.start("given", rows, table.columns))
        for _ in range(3):
            state = engine.step(state)
    chain, shard = state.chain, problem.shards[0]
    parts = [
        shard_step(shard, labels, names, chain.broadcast, problem.parameters)
        for shard, labels, names in zip(problem.shards, state.labels, chain.to_global, strict=True)
    ]

    def rest() -> None:
        shard_step(shard, state.labels[0], chain.to_global[0], chain.broadcast, problem.parameters)

    def moving() -> None:
        shard.drop_cache()
        rest()

    def master() -> None:
        join = join_of(chain, problem.parameters)
        for part in parts:
            join.add(part)
        master_step(join.finish(), chain, problem.parameters, complete=problem.complete)

    moved = interleaved({"moving": moving, "master": master}, _ROUNDS)
    at_rest = interleaved({"rest": rest}, _ROUNDS)
    return at_rest.median("rest"), moved.median("moving"), moved.median("master")


def _label() -> float:
    """Seconds a row."""
    rows = 250_000
    labels = np.random.default_rng(0).integers(0, 10, rows).astype(np.int32)
    with tempfile.TemporaryDirectory() as name:
        store = open_store(name)
        key = put_addressed(store, "labels", pack_labels(labels))

        def task() -> None:
            unpack_labels(get_addressed(store, key))
            packed = pack_labels(labels)
            hashlib.sha256(packed)
            put_addressed(store, "labels", packed)

        return interleaved({"labels": task}, _ROUNDS).median("labels") / rows


def reading() -> tuple[float, float]:
    """Seconds a byte from a folder and from SeaweedFS, on the clock: reading is waiting, too."""
    with tempfile.TemporaryDirectory() as name, SeaweedFS() as server:
        folder = Path(name)
        generate(folder / "table", rows=200_000, columns=20, row_clusters=10, column_clusters=3, seed=0)
        server.start()
        stores = open_store(folder / "store"), _remote(server)
        disk, remote = (_seconds_a_byte(store, folder) for store in stores)
        return disk, remote


def _remote(server: SeaweedFS) -> ObjectStore:
    os.environ.update(server.environment)
    return open_store(f"{server.url}/simulation")


def _seconds_a_byte(store: ObjectStore, folder: Path) -> float:
    dataset = ingest(open_source(folder / "table" / "x.npy"), store, "dataset")
    manifest = prepare(dataset, store, "shards", n_shards=4, axis="rows", transform="none")
    problem = problem_of_manifest(manifest, Options(iterations=2))

    def task() -> None:
        problem.shard([load_shard(store, manifest, 0)], 0)

    return _clocked(task) / manifest.shards[0].bytes


def _clocked(task: Callable[[], None]) -> float:
    """Median seconds on the clock of some calls."""
    await_quiet()
    times = []
    for _ in range(2 * _ROUNDS):
        began = time.perf_counter()
        task()
        times.append(time.perf_counter() - began)
    return statistics.median(times)
