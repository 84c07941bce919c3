"""Khiops coclustering of rows, columns and values, which finds all numbers of clusters itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_FOLDER = Path(sys.executable).parent

_DICTIONARY = "Dictionary cells {\n  Categorical row;\n  Categorical column;\n  Numerical value;\n};\n"

_CHILD = """
import sys
from khiops import core
core.train_coclustering(sys.argv[1], "cells", sys.argv[2], ["row", "column", "value"], sys.argv[3],
    header_line=True, field_separator="\\t", max_cores=2)
"""


class TooLongError(Exception):
    """It was stopped at its time limit."""


def missing() -> str:
    """Why Khiops cannot run here; empty if it can."""
    if find_spec("khiops") is None:
        return "the package khiops is not installed (extra `bench`)"
    if not (_FOLDER / "khiops_coclustering").exists():
        return "khiops_coclustering (package khiops-core) is not beside this Python"
    return ""


def cocluster(values: NDArray[np.float64], limit: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column labels.

    Parameters
    ----------
    values : ndarray of shape (n, p)
    limit : float
        Seconds.

    Raises
    ------
    TooLongError
        It took longer.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder / "cells.txt", values)
        (folder / "cells.kdic").write_text(_DICTIONARY)
        report = folder / "report.khcj"
        _run([sys.executable, "-c", _CHILD, *map(str, (folder / "cells.kdic", folder / "cells.txt", report))], limit)
        return _labels(report, values.shape)


def _write(path: Path, values: NDArray[np.float64]) -> None:
    with path.open("w") as file:
        file.write("row\tcolumn\tvalue\n")
        for i, row in enumerate(values.tolist()):
            file.writelines(f"r{i}\tc{j}\t{value!r}\n" for j, value in enumerate(row))


def _run(command: list[str], limit: float) -> None:
    """Run a command and all it starts for no longer than the limit."""
    environment = os.environ | {"PATH": f"{_FOLDER}{os.pathsep}{os.environ['PATH']}"}
    child = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        _, errors = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        # The MPI launcher ends its own children when it is asked to stop, not when it is killed.
        os.killpg(child.pid, signal.SIGTERM)
        child.communicate()
        raise TooLongError from None
    if child.returncode != 0:
        raise RuntimeError(f"Khiops failed: {errors.strip()}")


def _labels(report: Path, shape: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Labels of rows and columns; an axis of one cluster is listed too, so whatever has no label is a fault."""
    record = json.loads(report.read_text())
    labels = {"row": np.full(shape[0], -1), "column": np.full(shape[1], -1)}
    for partition in record["coclusteringReport"]["dimensionPartitions"]:
        for cluster, group in enumerate(partition.get("valueGroups", [])):
            for value in group["values"]:
                if value[1:].isdigit():  # there is a catch-all value besides
                    labels[partition["name"]][int(value[1:])] = cluster
    for name, found in labels.items():
        if (found < 0).any():
            raise RuntimeError(f"Khiops: {int((found < 0).sum())} {name}s have no group in its report")
    return labels["row"], labels["column"]
