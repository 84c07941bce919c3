"""The question and the answer of a rival: a file with a table, and a JSON object with labels of its rows."""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.child import peak_memory
from benchmarks.clock import Clock


class Question(NamedTuple):
    """A table of counts, and how many classes its rows have."""

    counts: csr_matrix
    n_classes: int
    seed: int


def answer(method: Callable[[Question], Mapping[str, Any]]) -> None:
    """Run a method on the file and the seed of the command line, and print what it finds and takes.

    This process, or programs that it starts, take the time and the memory.
    """
    with np.load(sys.argv[1]) as stored:
        parts = stored["data"].astype(np.float64), stored["indices"], stored["indptr"]
        counts, classes = csr_matrix(parts, shape=tuple(stored["shape"])), stored["classes"]
    clock = Clock()
    found = method(Question(counts, int(classes.max()) + 1, int(sys.argv[2])))
    taken = clock.taken()
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
    labels = {name: np.asarray(each).tolist() for name, each in found.items()}
    print(json.dumps({"labels": labels, "taken": taken, "peak": max(peak_memory(), of_children)}))
