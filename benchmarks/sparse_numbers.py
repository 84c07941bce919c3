"""Real numbers without their zeros, and dense: ``python -m benchmarks.sparse_numbers [--rows N] [--columns P]``.

Makes counts in 10 x 8 blocks, of which 2.8 % are not 0, and fits their logarithms for 20 iterations in a process of its
own, once without the zeros and once dense, on as many shards.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from benchmarks.child import peak_memory

STORED = 0.028
BLOCKS = 10, 8


def counts(rows: int, columns: int, seed: int = 0) -> sp.csr_array:
    """Counts whose share that is not 0 differs from block to block."""
    rng = np.random.default_rng(seed)
    z, w = (rng.integers(number, size=length) for number, length in zip(BLOCKS, (rows, columns), strict=True))
    shares = rng.gamma(0.6, size=BLOCKS)
    shares = np.minimum(shares * STORED / shares[z].mean(axis=0)[w].mean(), 0.9)
    members = [np.flatnonzero(w == group) for group in range(BLOCKS[1])]
    indices = [
        np.sort(np.concatenate([own[rng.random(len(own)) < share] for own, share in zip(members, row, strict=True)]))
        for row in shares[z]
    ]
    indptr = np.cumsum([0, *map(len, indices)])
    stored = np.concatenate(indices)
    return sp.csr_array((rng.geometric(0.4, len(stored)).astype(np.int32), stored, indptr), (rows, columns))


def _measure(table: str, form: str, shards: str, sampler: str) -> None:
    """Fit, and print what it took."""
    from disnplbm.cli.main import cli
    from disnplbm.data import sparse_numbers

    if form == "dense":
        sparse_numbers.LEAST_CELLS = sys.maxsize
    began, spent = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        how = ["--cells", "gaussian", "--transform", "log1p", "--iterations", "20", "--sampler", sampler]
        cli.main(["fit", table, "--output", f"{folder}/run", "--shards", shards, *how], standalone_mode=False)
    took, of_processor = time.perf_counter() - began, time.process_time() - spent
    print(f"{form}, {sampler}: {took:.0f} s, {of_processor:.0f} s of processor time, {peak_memory():,.0f} MiB at most")


def main() -> None:
    """Make the table, and fit it both ways."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--columns", type=int, default=20_000)
    parser.add_argument("--shards", default="12")
    parser.add_argument("--sampler", default="collapsed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.npz"
        sp.save_npz(path, counts(options.rows, options.columns))
        for form in ("sparse", "dense"):
            command = [sys.executable, "-m", "benchmarks.sparse_numbers", "--measure", str(path), form]
            subprocess.run([*command, options.shards, options.sampler], check=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        _measure(*sys.argv[2:])
    else:
        main()
