"""Programs of others on a table of counts, each in a Python that has it, with a limit of processor time.

They are not among the requirements of this project. ``pip install scikit-network sparsebm khiops khiops-core`` into a
Python of its own, named by the variable ``RIVALS_PYTHON``; graph-tool is a package of Debian, ``python3-graph-tool``,
of the system's Python. A rival that is not installed is a line that says so.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.child import REPOSITORY
from benchmarks.studies.count_methods import Found, Labels, found_of
from benchmarks.studies.count_tables import CountTable

#: Pythons that may have a rival, in the order of preference.
PYTHONS = (os.environ.get("RIVALS_PYTHON", sys.executable), sys.executable, "/usr/bin/python3")


@dataclass(frozen=True)
class Rival:
    """A program that finds row clusters.

    Parameters
    ----------
    module : str
        In :mod:`benchmarks.rivals`.
    package : str
        What it imports.
    told : dict of str
        Whether each part of its answer is told the number of classes.
    limit : int
        Seconds of processor time on one table.
    """

    module: str
    package: str
    told: dict[str, str]
    limit: int


RIVALS = {
    "Louvain (scikit-network)": Rival("louvain", "sknetwork", {"": "no"}, 100),
    "nested SBM (graph-tool)": Rival("nested_sbm", "graph_tool", {"": "no", "nearest level": "the level alone"}, 120),
    "Bernoulli LBM (sparsebm)": Rival("bernoulli_lbm", "sparsebm", {"": "yes"}, 60),
    "Khiops coclustering": Rival("modl", "khiops", {"": "no"}, 30),
}


def python_of(package: str) -> str | None:
    """A Python that has a package, or None."""
    for python in PYTHONS:
        look = "import importlib.util as u, sys; sys.exit(u.find_spec(sys.argv[1]) is None)"
        try:
            if subprocess.run([python, "-c", look, package], check=False).returncode == 0:
                return python
        except OSError:
            continue
    return None


def run_rival(path: Path, rival: Rival, table: CountTable, seed: int) -> Found | str:
    """What a rival finds in the table that a file holds, or in words why it finds nothing."""
    python = python_of(rival.package)
    if python is None:
        return f"not installed (`{rival.package}`)"
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        child = subprocess.Popen(
            [python, "-W", "ignore", "-m", f"benchmarks.rivals.{rival.module}", str(path.resolve()), str(seed)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(REPOSITORY), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1"},
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=partial(_limit, rival.limit),
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        lines = output.read().splitlines()
    # A program that it starts may be the one that is stopped.
    spent = usage.ru_utime + usage.ru_stime >= 0.9 * rival.limit
    if child.returncode == -signal.SIGXCPU or (child.returncode != 0 and spent):
        return f"stopped after {rival.limit} s of processor time"
    if child.returncode != 0:
        return f"failed: {lines[-1] if lines else f'exit code {child.returncode}'}"
    answer = json.loads(lines[-1])
    labels: dict[str, Labels] = {name: np.array(each) for name, each in answer["labels"].items()}
    return found_of(table, labels, answer["seconds"], answer["peak"])


def _limit(seconds: int) -> None:
    """Stop this process, and each that it starts, after so much processor time."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
