"""What a process need not load, it does not load."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest


@pytest.mark.parametrize(
    "module", ["disnplbm.runs.service", "disnplbm.runs.chains", "disnplbm_dashboard.lists.listing"]
)
def test_runs_are_recorded_and_listed_without_numba(module: str) -> None:
    code = f"import sys, {module}; print(sorted({{'numba', 'llvmlite', 'sklearn'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_fit_with_its_report_starts_without_pandas(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(20, 4)))
    words = ["fit", str(tmp_path / "x.npy"), "--output", str(tmp_path / "run"), "--iterations", "3", "--json"]
    fit = f"import sys; sys.argv[1:] = {words!r}; from disnplbm.cli.main import run; run()"
    code = f"{fit}; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (tmp_path / "run" / "report.html").is_file()
    assert done.stdout.splitlines()[-1] == "False"
