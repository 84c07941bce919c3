"""Fit a data set under several settings and seeds, and say what came out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.studies.data import DataSet
from disnplbm import NPLBM
from disnplbm.posterior.scores import block_ari, contingency, partition_scores


@dataclass(frozen=True)
class Outcome:
    """One run."""

    row_clusters: int
    column_clusters: int
    ari: float
    nmi: float
    column_ari: float
    block_ari: float
    log_joint: float


def run(data: DataSet, seed: int, **parameters: Any) -> Outcome:
    """Fit once, with parameters of NPLBM."""
    model = NPLBM(random_state=seed, column_transform=data.transform, **parameters).fit(data.values)
    ari, nmi = partition_scores(data.rows, model.row_labels_)
    column_ari = both = float("nan")
    if data.columns is not None:
        column_ari, _ = partition_scores(data.columns, model.column_labels_)
        both = block_ari(contingency(data.rows, model.row_labels_), contingency(data.columns, model.column_labels_))
    return Outcome(model.n_row_clusters_, model.n_column_clusters_, ari, nmi, column_ari, both, model.log_joint_)


def runs(data: DataSet, seeds: Iterable[int], **parameters: Any) -> list[Outcome]:
    """Fit once for every seed."""
    return [run(data, seed, **parameters) for seed in seeds]


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Mean and standard deviation."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"


def several(values: Sequence[int]) -> str:
    """The distinct whole numbers, as a range."""
    return str(values[0]) if len(set(values)) == 1 else f"{min(values)} to {max(values)}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
