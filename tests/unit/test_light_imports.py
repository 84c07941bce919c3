"""What records and lists runs starts without compiled kernels."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "module", ["disnplbm.runs.service", "disnplbm.runs.chains", "disnplbm_dashboard.lists.listing"]
)
def test_runs_are_recorded_and_listed_without_numba(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'numba', 'llvmlite', 'sklearn'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
