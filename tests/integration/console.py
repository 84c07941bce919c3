"""Ways to call ``disnplbm``: in this process for what it says, as a child process for how it behaves."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.engine.checkpoint import load_checkpoint
from disnplbm.families.gaussian import Gaussian
from disnplbm.model.prior import NIWPrior

SCRIPT = Path(sys.executable).with_name("disnplbm")
PATIENCE = 60.0
"""Seconds that a child may take for anything before a test gives up."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: exit code, standard output, standard error."""

    code: int
    out: str
    err: str

    @property
    def record(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def call(*arguments: object) -> Outcome:
    """Call the command line in this process, as its ``main`` does."""
    module = importlib.import_module("disnplbm.cli.main")
    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["disnplbm", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = module.run()
    finally:
        sys.argv = before
    return Outcome(code, out.getvalue(), err.getvalue())


def fit(data: Path, output: Path, *options: object, iterations: int = 5) -> Outcome:
    """``disnplbm fit DATA --output OUTPUT --iterations N --json OPTIONS`` in this process."""
    return call("fit", data, "--output", output, "--iterations", iterations, "--json", *options)


def ok(outcome: Outcome) -> dict[str, Any]:
    """The record that a command which did what it was asked to prints."""
    assert outcome.code == 0, outcome
    return outcome.record


def report_of(folder: Path) -> dict[str, Any]:
    """The document in the report of a run folder: what its page shows."""
    text = (folder / "report.html").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text.split('id="document">')[1].split("</script>")[0])
    return found


def child(*arguments: object, cwd: Path | None = None, limit: Callable[[], None] | None = None) -> Outcome:
    """Run the installed console script to its end."""
    done = subprocess.run(
        command(*arguments), capture_output=True, text=True, cwd=cwd, preexec_fn=limit, timeout=PATIENCE, env=quiet()
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def finished(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a child."""
    out, err = process.communicate(timeout=PATIENCE)
    return Outcome(process.returncode, out, err)


def command(*arguments: object) -> list[str]:
    """The words of a command line."""
    return [str(SCRIPT), *map(str, arguments)]


def quiet() -> dict[str, str]:
    """This environment, without what makes programs believe in a terminal."""
    return {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "TTY_COMPATIBLE")}


def wait_until(ready: Callable[[], bool], process: subprocess.Popen[Any]) -> None:
    """Wait for an event in a child that must not end before it."""
    deadline = time.monotonic() + PATIENCE
    while not ready():
        assert process.poll() is None, f"the child ended early with {process.returncode}"
        assert time.monotonic() < deadline, "the child was not ready in time"
        time.sleep(0.005)


def assert_refused(outcome: Outcome, *words: str, code: int = 2) -> str:
    """One line on stderr that holds all of these words, nothing on stdout, no traceback; returns the line."""
    assert outcome.code == code, outcome
    assert outcome.out == ""
    (line,) = outcome.err.splitlines()
    assert line.startswith("disnplbm: ")
    for word in words:
        assert word in line, f"{word!r} is not in {line!r}"
    return line


def blocks(rows: int = 60, columns: int = 12, seed: int = 0) -> tuple[NDArray[np.float64], list[int], list[int]]:
    """A matrix of 3 x 2 plain blocks, and its row and column classes."""
    rng = np.random.default_rng(seed)
    row_classes, column_classes = np.arange(rows) % 3, np.arange(columns) % 2
    means = np.array([[0.0, 6.0], [6.0, 0.0], [12.0, 12.0]])
    x = means[np.ix_(row_classes, column_classes)] + rng.normal(size=(rows, columns))
    return x, row_classes.tolist(), column_classes.tolist()


def save_csv(path: Path, x: NDArray[np.float64], names: Sequence[str] | None = None) -> Path:
    """Write a matrix with all its digits, with column names c0, c1, ... and perhaps a first column ``id``."""
    lines = [",".join([*(["id"] if names else []), *(f"c{j}" for j in range(x.shape[1]))])]
    for i, row in enumerate(x.tolist()):
        lines.append(",".join([*([names[i]] if names else []), *map(repr, row)]))
    path.write_text("\n".join(lines) + "\n")
    return path


def save_labels(path: Path, labels: Sequence[object]) -> Path:
    """Write a label file."""
    path.write_text("label\n" + "".join(f"{label}\n" for label in labels))
    return path


def iterations_of(checkpoint: Path) -> int:
    """Iterations that a checkpoint of a table of numbers holds."""
    family = Gaussian(NIWPrior([0.0], 1.0, [[1.0]], 3.0), 1.0)
    return len(load_checkpoint(checkpoint, [family])[1])
