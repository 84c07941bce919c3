"""How far forecasts of time are from the truth: ``python -m benchmarks.forecast [--output FILE]``.

For each table: what `disnplbm check` forecasts, and the processor seconds of `disnplbm fit` with one thread and the
recommended transform, without a burn-in and with one. On an idle machine they are about the seconds on the clock; on a
busy one they still tell what the work takes. The least of some runs counts, so that compiling is left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import description
from benchmarks.studies.data import DataSet, expression_like, paper, votes, wine
from benchmarks.studies.runs import markdown

RUNS = 2

TEXT = """# Forecasts of time

Written by `python -m benchmarks.forecast`. Forecast of `disnplbm check` and processor seconds of `disnplbm fit` with
one thread and the recommended transform: 100 iterations, without draws and with `--burn-in 100`, start and report
included, compiling left out; the least of {runs} runs. Ratio: forecast over truth.

{machine}

{table}
"""


def tables() -> Iterator[DataSet]:
    """Tables of the kinds that people bring."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    yield wine()
    yield expression_like(72, 1868, 2)
    yield votes()
    yield DataSet("digits", digits.data, digits.target, None, "none")
    yield paper(20_000, 90)
    yield paper(100_000, 90)


def command(*words: object) -> tuple[dict[str, Any], float]:
    """What a command prints, and its processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [Path(sys.executable).with_name("disnplbm"), *map(str, words)]
    out = subprocess.run(program, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows(data: DataSet, folder: Path) -> Iterator[tuple[str, ...]]:
    """One line without draws, and one with them."""
    path = folder / "x.npy"
    np.save(path, data.values)
    report, _ = command("check", path, "--json")
    time, transform = report["time"], report["advice"]["transform"]
    for burn_in, name in ((0, "seconds"), (100, "seconds_with_draws")):
        fit = ("fit", path, "--output", folder / "run", "--force", "--threads", 1, "--json")
        options = ("--transform", transform, *(("--burn-in", burn_in) if burn_in else ()))
        fits = [command(*fit, *options) for _ in range(RUNS)]
        record, seconds = fits[-1][0], min(each for _, each in fits)
        yield (
            data.name,
            transform,
            str(burn_in),
            f"{time['row_clusters']} x {time['column_clusters']}",
            f"{record['row_clusters']} x {record['column_clusters']}",
            f"{time[name]:.1f}",
            f"{seconds:.1f}",
            f"{time[name] / seconds:.2f}",
        )


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    target = Path(__file__).resolve().parents[1] / "docs" / "forecasts.md"
    parser.add_argument("--output", type=Path, default=target, metavar="FILE", help="default: docs/forecasts.md")
    output = parser.parse_args().output
    header = ("table", "transform", "burn-in", "K x L foreseen", "found", "forecast (s)", "truth (s)", "ratio")
    lines = list[tuple[str, ...]]()
    with tempfile.TemporaryDirectory(prefix="disnplbm-forecast-") as folder:
        for data in tables():
            for line in rows(data, Path(folder)):
                print(*line, flush=True)
                lines.append(line)
    output.write_text(TEXT.format(runs=RUNS, machine=description(), table=markdown(header, lines)))


if __name__ == "__main__":
    main()
