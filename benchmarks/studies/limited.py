"""A command that is stopped after some processor time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.child import REPOSITORY

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


class UnansweredError(Exception):
    """In words, why a command gave no answer."""


def run_limited(command: Sequence[str], limit: int, folder: Path, environment: Mapping[str, str] | None = None) -> str:
    """Run a command of this repository in a folder, on one thread, and return the last line that it prints.

    Parameters
    ----------
    limit : int
        Seconds of processor time, of the command and of each program that it starts.
    environment : mapping of str, optional
        Variables beside the present ones.

    Raises
    ------
    UnansweredError
        The command was stopped, or it failed.
    """
    with tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(
            command,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY)} | ONE_THREAD | (environment or {}),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        # Of this process, and of each that it starts.
        resource.prlimit(child.pid, resource.RLIMIT_CPU, (limit, limit + 5))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        lines = output.read().splitlines()
    # A program that it starts may be the one that is stopped.
    spent = usage.ru_utime + usage.ru_stime >= 0.9 * limit
    if child.returncode == -signal.SIGXCPU or (child.returncode != 0 and spent):
        raise UnansweredError(f"stopped after {limit} s of processor time")
    if child.returncode != 0:
        raise UnansweredError(f"failed: {lines[-1] if lines else f'exit code {child.returncode}'}")
    return lines[-1]
