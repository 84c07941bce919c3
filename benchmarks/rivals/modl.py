"""The coclustering of Khiops (MODL), of two variables: the row and the column of each thing counted."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.rivals.answering import Question, answer
from khiops import core

DICTIONARY = "Dictionary cells {\n  Categorical row;\n  Categorical column;\n  Numerical count;\n};\n"


def find(question: Question) -> dict[str, Any]:
    """Row clusters of the coclustering that describes the table best; it takes no seed."""
    # The program itself is beside this Python.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    stored = question.counts.tocoo()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = (f"r{i}\tc{j}\t{count:.0f}\n" for i, j, count in zip(stored.row, stored.col, stored.data, strict=True))
        with (folder / "cells.txt").open("w") as file:
            file.write("row\tcolumn\tcount\n")
            file.writelines(lines)
        (folder / "cells.kdic").write_text(DICTIONARY)
        core.train_coclustering(
            str(folder / "cells.kdic"), "cells", str(folder / "cells.txt"), ["row", "column"],
            str(folder / "report.khcj"), frequency_variable="count", header_line=True, field_separator="\t",
            max_cores=1,
        )  # fmt: skip
        report = json.loads((folder / "report.khcj").read_text())
    labels = np.full(stored.shape[0], -1)
    for partition in report["coclusteringReport"]["dimensionPartitions"]:
        if partition["name"] == "row":
            for cluster, group in enumerate(partition["valueGroups"]):
                for value in group["values"]:
                    if value[1:].isdigit():  # there is a catch-all value besides
                        labels[int(value[1:])] = cluster
    if (labels < 0).any():
        raise RuntimeError(f"Khiops: {int((labels < 0).sum())} rows have no group in its report")
    return {"": labels}


if __name__ == "__main__":
    answer(find)
