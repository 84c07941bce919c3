"""Peak memory of ``NPLBM.fit`` beside X: ``python -m benchmarks.estimator_memory [ROWS COLUMNS]``."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

from benchmarks.child import peak_memory


def _measure(rows: int, columns: int, transform: str) -> None:
    from disnplbm import NPLBM

    NPLBM(2, column_transform=transform).fit(np.random.default_rng(0).gamma(2.0, size=(50, 20)))
    x = np.random.default_rng(0).gamma(2.0, size=(rows, columns))
    before, began = peak_memory(), time.perf_counter()
    digest = NPLBM(3, 4, column_transform=transform).fit(x).digest_
    took, copies = time.perf_counter() - began, (peak_memory() - before) * 2**20 / x.nbytes
    print(f"{transform}: {peak_memory():.0f} MiB, {copies:.2f} copies of X beside it; {took:.1f} s; {digest[:12]}")


if __name__ == "__main__":
    if len(sys.argv) > 3:
        _measure(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    else:
        for each in ("none", "log1p", "log1p,standardize"):
            shape = sys.argv[1:3] or ["200000", "100"]
            subprocess.run([sys.executable, "-m", "benchmarks.estimator_memory", *shape, each], check=True)
