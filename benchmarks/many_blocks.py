"""Two tables that fall into thousands of blocks: ``python -m benchmarks.many_blocks [--scale 1.0]``.

Sparse counts (10,000 x 20,000, 2.6 % of the cells not zero) taken as normal numbers, and normal numbers in 300 x 10
blocks (100,000 x 100). Prints what `disnplbm fit` takes: seconds on the clock, peak memory, clusters.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from disnplbm.data.synthetic import generate

ITERATIONS = 100


def sparse_counts(folder: Path, scale: float) -> None:
    """Write Poisson counts of 20 x 30 blocks whose rates are mostly near 0."""
    rng = np.random.default_rng(0)
    n, p = int(10_000 * scale), int(20_000 * scale)
    rate = rng.gamma(0.5, 0.06, (20, 30))
    counts = rng.poisson(rate[rng.integers(20, size=n)][:, rng.integers(30, size=p)])
    np.save(folder / "x.npy", counts.astype(np.float64))


def many_clusters(folder: Path, scale: float) -> None:
    """Write normal numbers of 300 x 10 blocks."""
    generate(folder, rows=int(100_000 * scale), columns=100, row_clusters=300, column_clusters=10)


def fitted(folder: Path) -> str:
    """What a fit of the table in a folder takes."""
    program = Path(sys.executable).with_name("disnplbm")
    words = ["fit", folder / "x.npy", "--output", folder / "run", "--iterations", ITERATIONS, "--threads", 2, "--json"]
    began = time.perf_counter()
    out = subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout
    record = json.loads(out)
    return (
        f"{time.perf_counter() - began:.0f} s, {record['peak_memory_mb']:,.0f} MB,"
        f" {record['row_clusters']} x {record['column_clusters']} clusters"
    )


def main() -> None:
    """Make both tables, fit them, and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="Lengths of the tables, in units of those above.")
    scale = parser.parse_args().scale
    for write in (sparse_counts, many_clusters):
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), scale)
            print(f"{write.__name__}: {fitted(Path(folder))}", flush=True)


if __name__ == "__main__":
    main()
