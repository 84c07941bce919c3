"""What the first fit of all takes: the kernels are compiled once for cells of many numbers, however many."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FIT = """
import sys, time, numpy as np
from disnplbm import NPLBM
d, start = int(sys.argv[1]), time.process_time()
NPLBM(1).fit(np.random.default_rng(0).normal(size=(6, 3, d)))
print(time.process_time() - start)
"""


def seconds(d: int, cache: Path) -> float:
    """Processor time of a fit of 6 x 3 cells of d numbers in a process of its own, with the kernels of a folder."""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIT, str(d)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return float(found.stdout)


@pytest.mark.long
def test_report_19_many_numbers_a_cell_compile_no_longer_than_few(tmp_path: Path) -> None:
    """Compiled for each d on its own, d = 20 took four times as long as d = 12, and d = 32 minutes."""
    few, many = seconds(9, tmp_path / "few"), seconds(32, tmp_path / "many")
    assert many < 2 * few
    # What was compiled for one d is there for the others.
    for d in (20, 24):
        assert seconds(d, tmp_path / "many") < few / 4
