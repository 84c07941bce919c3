"""The kernels work compiled only; who switched the compiler off is told so in one line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .console import assert_refused, blocks, child, save_csv


def test_fit_without_the_compiler_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    path = save_csv(tmp_path / "x.csv", blocks()[0])
    assert_refused(child("fit", path, "--output", tmp_path / "run"), "NUMBA_DISABLE_JIT is set", "unset it")
    assert not (tmp_path / "run").exists()


def test_the_estimator_without_the_compiler_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from disnplbm import NPLBM"],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
    )
    assert done.stderr.splitlines()[-1] == (
        "disnplbm.errors.InputError: NUMBA_DISABLE_JIT is set, and disnplbm works with compiled kernels only: unset it"
    )
