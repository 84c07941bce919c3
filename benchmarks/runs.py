"""Whole runs of the command line: seconds, memory, first use."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks.child import REPOSITORY, Finished, run
from benchmarks.scale import Scale
from benchmarks.tables import Figure, seconds

#: Beyond the data, `fit` may take this much; ingest may take that much in all (MiB).
FIT_MEMORY_BAR, INGEST_MEMORY_BAR = 300.0, 500.0
FIRST_USE_BAR, HELP_BAR = 40.0, 0.5

_PAPER = ("--alpha", "5", "--beta", "2", "--threads", "2", "--json")


def figures(scale: Scale, folder: Path) -> list[Figure]:
    """All figures about whole runs; ``folder`` takes the data and the run folders."""
    first_use = _first_use(folder)
    return [
        *_fit(scale, folder, 100_000, 90, "auto", 5.0, "1,573 s on 24 cores"),
        *_fit(scale, folder, 500_000, 20, "64", 15.0, "1,862 s on 64 cores"),
        *_text(scale, folder),
        *first_use,
        _help(scale),
    ]


def _fit(scale: Scale, folder: Path, n: int, p: int, shards: str, bar: float, paper: str) -> list[Figure]:
    n = scale.rows(n)
    data = folder / f"{n}x{p}"
    run("generate", "--rows", str(n), "--columns", str(p), "--output", data)
    classes = ("--row-classes", data / "rows.csv", "--column-classes", data / "columns.csv")
    rounds = [_fitted(data, shards, classes) for _ in range(scale.runs)]
    records = [finished.record() for finished in rounds]
    first = records[0]
    chain, total = (statistics.median(record[key] for record in records) for key in ("seconds", "seconds_total"))
    wall = statistics.median(finished.wall for finished in rounds)
    name = f"`fit` {n:,} x {p}, 100 iterations, {first['shards']} shards, 2 threads"
    right = first["ari"] == first["column_ari"] == 1.0 and first["blocks"] == 30
    beyond = max(finished.peak for finished in rounds) - n * p * 8 / 2**20
    return [
        Figure(
            f"{name}: reading, chain, results (the paper: {paper})", seconds(total), f"under {bar:g} s", total < bar
        ),
        Figure(f"{name}: the iterations", seconds(chain)),
        Figure(f"{name}: the whole command", seconds(wall)),
        Figure(
            f"{name}: result",
            f"ARI {first['ari']:.2f}, column ARI {first['column_ari']:.2f}, {first['blocks']} blocks",
            "ARI 1, 30 blocks",
            right,
        ),
        Figure(
            f"{name}: peak memory beyond the data",
            f"{beyond:.0f} MiB",
            f"at most {FIT_MEMORY_BAR:g} MiB",
            beyond <= FIT_MEMORY_BAR,
        ),
    ]


def _fitted(data: Path, shards: str, classes: tuple[str | Path, ...]) -> Finished:
    return run("fit", data / "x.npy", "--output", data / "run", "--force", "--shards", shards, *classes, *_PAPER)


def _text(scale: Scale, folder: Path) -> list[Figure]:
    """Read a wide CSV and cut it into shards, at two sizes: memory must not grow with the file."""
    rows = []
    for height in (scale.rows(500), scale.rows(2_000)):
        path = folder / f"{height}.csv"
        _write_csv(path, height, 10_000)
        size = path.stat().st_size / 2**20
        command = [sys.executable, "-m", "benchmarks.ingest", str(path), str(folder / f"ingested-{height}")]
        done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=True)
        record = json.loads(done.stdout)
        path.unlink()
        name = f"ingest of a CSV, {height:,} x 10,000, {size:.0f} MiB"
        rows += [
            Figure(
                f"{name}: peak memory",
                f"{record['peak']:.0f} MiB",
                f"under {INGEST_MEMORY_BAR:g} MiB",
                record["peak"] < INGEST_MEMORY_BAR,
            ),
            Figure(f"{name}: reading", f"{size / record['read']:.0f} MiB/s"),
            Figure(f"{name}: reading and sharding", f"{size / record['all']:.0f} MiB/s"),
        ]
    return rows


def _write_csv(path: Path, rows: int, columns: int) -> None:
    """Random numbers with four decimals; a hundred rows, over and over."""
    values = np.random.default_rng(0).standard_normal((min(rows, 100), columns))
    lines = [",".join(f"{value:.4f}" for value in row) + "\n" for row in values.tolist()]
    with path.open("w") as file:
        file.write(",".join(f"c{column}" for column in range(columns)) + "\n")
        for row in range(rows):
            file.write(lines[row % len(lines)])


def _first_use(folder: Path) -> list[Figure]:
    data = folder / "first"
    run("generate", "--rows", "150", "--columns", "150", "--output", data)
    fit = ("fit", data / "x.npy", "--output", data / "run", "--force", "--json")
    cold = run(*fit, environment={"NUMBA_CACHE_DIR": str(folder / "empty-cache")})
    run(*fit, "--shards", "4")  # so that no run measured later has anything to compile
    warm = run(*fit)
    return [
        Figure(
            "first use: `fit` of 150 x 150 with an empty kernel cache, in all",
            seconds(cold.wall),
            f"under {FIRST_USE_BAR:g} s",
            cold.wall < FIRST_USE_BAR,
        ),
        Figure("the same with compiled kernels", seconds(warm.wall)),
    ]


def _help(scale: Scale) -> Figure:
    command = [str(Path(sys.executable).with_name("disnplbm")), "--help"]
    taken = []
    for _ in range(scale.rounds):
        began = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - began)
    median = statistics.median(taken)
    return Figure("`disnplbm --help`", seconds(median), f"under {HELP_BAR:g} s", median < HELP_BAR)
