"""A table larger than memory on one machine: ``python -m benchmarks.larger_than_memory [--rows N] [--memory SHARE]``.

Fits normal numbers in 10 x 3 blocks twice: with all memory that is free, and with ``--memory`` a share of the table.
Prints the peak of each process as the system counted it, the seconds of the iterations, and their ratio; exits with 1
where the labels differ, the peak is above the limit, or the iterations take more than three times as long.

``--cgroup`` also has systemd hold the second fit to the limit (``systemd-run --scope -p MemoryMax=...``), so that the
system cannot keep pages of the files in memory beyond it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disnplbm.engine.residence import least_memory

#: How many times as long the iterations may take.
SLOWER = 3.0

PROGRAM = Path(sys.executable).with_name("disnplbm")


@dataclass(frozen=True)
class Fit:
    """What a fit took and found."""

    record: dict[str, Any]
    peak: int  # bytes resident
    wall: float

    def line(self, name: str) -> str:
        """In words."""
        found = f"{self.record['row_clusters']} x {self.record['column_clusters']} clusters"
        return (
            f"{name}: {self.wall:,.1f} s, {self.record['seconds']:,.1f} s of them for {self.record['iterations']}"
            f" iterations, peak {self.peak / 2**20:,.0f} MiB, {found}, digest {self.record['digest'][:12]}"
        )


def fit(table: Path, output: Path, iterations: int, *more: str, before: tuple[str, ...] = ()) -> Fit:
    """Fit a table in a process of its own; RuntimeError if it fails."""
    words = [*before, PROGRAM, "fit", table, "--output", output, "--iterations", iterations, "--force", "--json", *more]
    began = time.perf_counter()
    with (output.with_suffix(".json")).open("w+") as out:
        process = subprocess.Popen([str(word) for word in words], stdout=out)
        # The system's own count, of this child alone.
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        if status != 0:
            raise RuntimeError(f"disnplbm fit {table} {' '.join(more)} ended with {os.waitstatus_to_exitcode(status)}")
        out.seek(0)
        record = json.load(out)
    return Fit(record, used.ru_maxrss * 2**10, wall)


def main() -> None:
    """Make the table, fit it twice, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--columns", type=int, default=90)
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--memory", type=float, default=0.5, help="Share of the table's bytes that the fit may take.")
    parser.add_argument("--cgroup", action="store_true", help="Have systemd hold the fit to the limit, too.")
    parser.add_argument("--folder", type=Path, help="Where the table and the runs go; a temporary one by default.")
    parser.add_argument("--only-limited", action="store_true", help="Leave out the fit with all memory.")
    asked = parser.parse_args()
    table_bytes = 8 * asked.rows * asked.columns
    least = least_memory(asked.rows, asked.columns) / table_bytes
    if asked.memory < least:
        parser.error(f"a chain needs {least:.3f} of this table's memory: raise --memory, or --rows")
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        sys.exit(_compare(Path(name), asked))


def _compare(folder: Path, asked: argparse.Namespace) -> int:
    table = folder / "table"
    shape = ("--rows", str(asked.rows), "--columns", str(asked.columns))
    subprocess.run([PROGRAM, "generate", *shape, "--output", table], check=True)
    limit = int(asked.memory * (table / "x.npy").stat().st_size)
    scope = ("systemd-run", "--scope", "--quiet", "-p", f"MemoryMax={limit}", "-p", "MemorySwapMax=0")
    print(f"{asked.rows:,} x {asked.columns}, limit {limit / 2**20:,.0f} MiB", flush=True)
    whole = None
    if not asked.only_limited:
        whole = fit(table / "x.npy", folder / "whole", asked.iterations)
        print(whole.line("in memory"), flush=True)
    before = scope if asked.cgroup else ()
    limited = fit(table / "x.npy", folder / "limited", asked.iterations, "--memory", str(limit), before=before)
    print(limited.line("limited"), flush=True)
    faults = []
    if limited.peak > limit:
        faults.append("the peak is above the limit")
    if whole is not None:
        ratio = limited.record["seconds"] / whole.record["seconds"]
        print(f"the iterations take {ratio:.2f} times as long (bar {SLOWER:g})")
        if ratio > SLOWER:
            faults.append("the iterations take too long")
        if limited.record["digest"] != whole.record["digest"]:
            faults.append("the labels differ")
    for fault in faults:
        print(fault)
    return int(bool(faults))


if __name__ == "__main__":
    main()
