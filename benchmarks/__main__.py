"""Measure this machine and write docs/benchmarks.md with its curves: ``python -m benchmarks [--quick]``."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks import curves, kernels, peers, runs, samplers
from benchmarks.machine import description
from benchmarks.native import FLAGS
from benchmarks.scale import Scale
from benchmarks.tables import figure_table

_REPOSITORY = Path(__file__).resolve().parents[1]

_TEXT = """# Benchmarks

Written by `make bench` in {minutes:.0f} minutes.{quick} Figures of kernels are processor seconds of one thread, ratios
are medians of ratios of runs that took turns; figures of whole runs are seconds on the clock, medians of {runs} runs.
A machine that does other work meanwhile shows it in the latter.

{machine}

## Bars

{bars}

The bare loop takes its logarithms from a buffer in the first-level cache and writes them to another one: the fastest
that so many logarithms can be. The loop in C is `benchmarks/native_sweep.c`, gcc {flags}; it gives the same weights
and the same draws, checked before it is timed. A chain at rest is one at the true blocks of the paper's data.

## Cost curves

One size varied at a time; processor time, one thread. *Sweep kernel*: one sweep of all rows at rest. *Iteration at
rest*: sweep, join, pair moves and column step, with the rows' statistics kept from the iteration before. *Iteration
with passes*: the same with both passes over the data, as while rows and columns still move. Slope: of the straight
line through the logarithms; 1 is linear.

{curves}

## What a user would pick instead

{peers}
"""


def main() -> None:
    """Run everything and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version, to check the benchmarks themselves")
    parser.add_argument("--output", type=Path, default=_REPOSITORY / "docs", metavar="DIR", help="default: docs")
    arguments = parser.parse_args()
    scale = Scale(arguments.quick)
    began = time.perf_counter()
    machine = description()
    with tempfile.TemporaryDirectory(prefix="disnplbm-bench-") as name:
        folder = Path(name)
        print("kernels ...", flush=True)
        figures = kernels.figures(scale, folder)
        print("samplers ...", flush=True)
        figures += samplers.figures(scale)
        print("whole runs ...", flush=True)
        figures += runs.figures(scale, folder)
    print("curves ...", flush=True)
    shown = curves.section(scale, arguments.output / "benchmarks")
    print("other methods ...", flush=True)
    compared = peers.section(scale)
    page = arguments.output / "benchmarks.md"
    page.write_text(
        _TEXT.format(
            minutes=(time.perf_counter() - began) / 60,
            quick=" **A quick run on small data: its figures say little.**" if scale.quick else "",
            runs=scale.runs,
            machine=machine,
            bars=figure_table(figures),
            flags=" ".join(FLAGS[:3]),
            curves=shown,
            peers=compared,
        ),
        encoding="utf-8",
    )
    missed = [figure for figure in figures if figure.met is False]
    print(f"{page}: {len(figures)} figures, {len(missed)} bars missed")
    for figure in missed:
        print(f"  {figure.what}: {figure.measured}, {figure.bar}")


if __name__ == "__main__":
    main()
