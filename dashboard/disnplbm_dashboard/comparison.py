"""Runs side by side: how alike their partitions are, and what they were asked in different ways."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.matching import LabelList, find_order
from disnplbm.errors import InputError, RunError
from disnplbm.posterior.scores import contingency, partition_scores
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results
from disnplbm_dashboard.schemas.results import Agreement, ComparedRun, Comparison, Contingency, Parameter

_Labels = NDArray[np.int64]

_AXES = ("rows", "columns")

#: A comparison is of so many runs.
FEWEST, MOST = 2, 10


@dataclass(frozen=True, slots=True)
class _Finished:
    run: RunRecord
    record: dict[str, Any]
    rows: _Labels
    columns: _Labels


def compare(results: Results, runs: Sequence[RunRecord]) -> Comparison:
    """Compare finished runs.

    Raises
    ------
    InputError
        They are of tables of other shapes, or with other names.
    RunError
        The store cannot be read, or a file is damaged.
    """
    listed = [{axis: _listed(results, run, axis) for axis in _AXES} for run in runs]
    shapes = {(len(one["rows"].labels), len(one["columns"].labels)) for one in listed}
    if len(shapes) > 1:
        said = " and ".join(f"{n} x {p}" for n, p in sorted(shapes))
        raise InputError(f"these runs are of tables of different shapes ({said}): compare runs of one table")
    found = [
        _Finished(run, _record(results, run), *(_alike(listed[0][axis], one[axis], axis, run) for axis in _AXES))
        for run, one in zip(runs, listed, strict=True)
    ]
    first, second = found[:2]
    return Comparison(
        runs=[
            ComparedRun(
                id=one.run.id,
                name=one.run.name,
                row_clusters=one.record["row_clusters"],
                column_clusters=one.record["column_clusters"],
                log_joint=one.record["log_joint"],
            )
            for one in found
        ],
        rows=_agreement([one.rows for one in found]),
        columns=_agreement([one.columns for one in found]),
        parameters=_parameters([one.run for one in found]),
        contingency=Contingency(
            rows=contingency(first.rows, second.rows).astype(int).tolist(),
            columns=contingency(first.columns, second.columns).astype(int).tolist(),
        ),
    )


def labels(results: Results, run: RunRecord, axis: str) -> _Labels:
    """Labels of the rows or columns of a finished run, shape (n,) or (p,)."""
    return np.array(_listed(results, run, axis).labels, dtype=np.int64)


def _listed(results: Results, run: RunRecord, axis: str) -> LabelList[int]:
    text = io.StringIO(bytes(results.get(run, f"{axis}.csv")).decode(), newline="")
    table = csv.reader(text)
    header = next(table)
    at, id_at = header.index("label"), header.index("id")
    try:
        cells = [(row[id_at], int(row[at])) for row in table]
    except (ValueError, IndexError) as error:
        raise RunError(f"{axis}.csv of run {run.id} is damaged: delete the run and submit it again") from error
    return LabelList([label for _, label in cells], [name for name, _ in cells])


def _alike(first: LabelList[int], other: LabelList[int], axis: str, run: RunRecord) -> _Labels:
    """Labels of a run in the order of the first run's rows (columns): by their names, if both tables have some."""
    order = find_order(other.ids, first.ids, axis.removesuffix("s"), f"{axis} of run {run.id}", "the first run")
    return np.array(other.labels, dtype=np.int64)[order]


def _record(results: Results, run: RunRecord) -> dict[str, Any]:
    return dict(json.loads(bytes(results.get(run, "run.json"))))


def _agreement(partitions: Sequence[_Labels]) -> Agreement:
    count = len(partitions)
    ari, nmi = np.eye(count), np.eye(count)
    for i in range(count):
        for j in range(i):
            ari[i, j], nmi[i, j] = partition_scores(partitions[i], partitions[j])
            ari[j, i], nmi[j, i] = ari[i, j], nmi[i, j]
    return Agreement(ari=ari.tolist(), nmi=nmi.tolist())


def _parameters(runs: Sequence[RunRecord]) -> list[Parameter]:
    """Those in which the runs differ."""
    asked = [
        {"dataset": run.dataset_id, "shards": run.n_shards, "axis": run.axis_wanted, "transform": run.transform}
        | run.options
        for run in runs
    ]
    values = {name: [of_run.get(name) for of_run in asked] for name in asked[0]}
    return [Parameter(name=name, values=found) for name, found in values.items() if any(v != found[0] for v in found)]
