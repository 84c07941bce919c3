"""Run a command in a process of its own and tell its peak memory: ``python -m benchmarks.child fit x.npy``."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
_MARK = "peak-memory-mib"


@dataclass(frozen=True)
class Finished:
    """What a finished command said and took."""

    output: str
    wall: float  # seconds, start of the interpreter included
    peak: float  # MiB resident

    def record(self) -> dict[str, Any]:
        """The JSON object it printed."""
        result: dict[str, Any] = json.loads(self.output)
        return result


def run(*arguments: str | Path, environment: dict[str, str] | None = None) -> Finished:
    """Run ``disnplbm ARGUMENTS``; RuntimeError with its message if it fails."""
    command = [sys.executable, "-m", "benchmarks.child", *map(str, arguments)]
    began = time.perf_counter()
    done = subprocess.run(
        command, cwd=REPOSITORY, env=os.environ | (environment or {}), capture_output=True, text=True, check=False
    )
    wall = time.perf_counter() - began
    if done.returncode != 0:
        raise RuntimeError(f"disnplbm {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    peak = next(line for line in done.stderr.splitlines() if line.startswith(_MARK)).split()[1]
    return Finished(done.stdout, wall, float(peak))


def peak_memory() -> float:
    """Peak resident memory of this process in MiB; getrusage would count the parent's memory at the fork."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def _main() -> None:
    from disnplbm.cli.main import cli

    try:
        cli.main(args=sys.argv[1:], prog_name="disnplbm", standalone_mode=False)
    finally:
        print(_MARK, peak_memory(), file=sys.stderr)


if __name__ == "__main__":
    _main()
