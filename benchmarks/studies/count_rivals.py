"""Programs of others on a table of counts, each in a Python that has it.

They are not among the requirements of this project. ``pip install scikit-network sparsebm khiops khiops-core`` into a
Python of its own, named by the variable ``RIVALS_PYTHON``; graph-tool is a package of Debian, ``python3-graph-tool``,
of the system's Python. A rival that is not installed is a line that says so.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.clock import Taken
from benchmarks.studies.count_methods import LIMIT, Found, Labels, found_of
from benchmarks.studies.count_tables import CountTable
from benchmarks.studies.limited import UnansweredError, run_limited

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
    """

    module: str
    package: str
    told: dict[str, str]


RIVALS = {
    "Louvain (scikit-network)": Rival("louvain", "sknetwork", {"": "no"}),
    "nested SBM (graph-tool)": Rival("nested_sbm", "graph_tool", {"": "no", "nearest level": "the level alone"}),
    "Bernoulli LBM (sparsebm)": Rival("bernoulli_lbm", "sparsebm", {"": "yes"}),
    "Khiops coclustering": Rival("modl", "khiops", {"": "no"}),
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


def run_rival(path: Path, rival: Rival, table: CountTable, seed: int, limit: int = LIMIT) -> Found:
    """What a rival finds in the table that a file holds; UnansweredError says why it finds nothing."""
    python = python_of(rival.package)
    if python is None:
        raise UnansweredError(f"not installed (`{rival.package}`)")
    command = [python, "-W", "ignore", "-m", f"benchmarks.rivals.{rival.module}", str(path.resolve()), str(seed)]
    with tempfile.TemporaryDirectory() as folder:
        line = run_limited(command, limit, Path(folder), {"PYTHONDONTWRITEBYTECODE": "1"})
    answer = json.loads(line)
    labels: dict[str, Labels] = {name: np.array(each) for name, each in answer["labels"].items()}
    return found_of(table, labels, Taken(*answer["taken"]), answer["peak"])
