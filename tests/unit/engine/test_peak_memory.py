"""The memory that a run reports is its own."""

from __future__ import annotations

import subprocess
import sys

_CHILD = "from disnplbm.engine.summary import peak_memory_mb; print(peak_memory_mb())"

_PARENT = f"""
import subprocess, sys
held = b"x" * (1000 * 2**20)
print(subprocess.run([sys.executable, "-c", {_CHILD!r}], capture_output=True, text=True, check=True).stdout)
"""


def test_a_process_does_not_report_the_peak_of_the_one_that_started_it() -> None:
    done = subprocess.run([sys.executable, "-c", _PARENT], capture_output=True, text=True, check=True)
    assert 20 < float(done.stdout) < 900
