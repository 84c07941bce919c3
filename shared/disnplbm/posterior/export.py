"""Write a result as files that any other program reads."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.files import whole_file
from disnplbm.model.statistics import Floats
from disnplbm.posterior.normality import Normality
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary
from disnplbm.sampler.trace_row import TraceRow


def write_result(
    folder: Path,
    result: Result,
    row_names: Iterable[str],
    column_names: Iterable[str],
    normality: Normality,
    summary: Summary | None = None,
) -> None:
    """Write rows.csv, columns.csv, blocks.csv and trace.csv.

    Parameters
    ----------
    row_names, column_names : iterable of str
        Lengths n and p.
    normality : Normality
        Of the blocks: columns "skewness", "kurtosis" and "ppc" of blocks.csv.
    summary : Summary, optional
        Adds a column "confidence" to rows.csv and columns.csv, where there is a second answer its labels as
        "runner_up", and to blocks.csv the posterior mean and 95 % interval of each block's mean and standard deviation.

    Raises
    ------
    RunError
        A file cannot be written.
    """
    for name, names, labels, partition in (
        ("rows.csv", row_names, result.row_labels, None if summary is None else summary.rows),
        ("columns.csv", column_names, result.column_labels, None if summary is None else summary.columns),
    ):
        columns: dict[str, Iterable[Any]] = {"id": names, "label": labels.tolist()}
        if partition is not None:
            columns["confidence"] = (round(share, 4) for share in partition.confidence.tolist())
            if partition.runner_up is not None:
                columns["runner_up"] = partition.runner_up.labels.tolist()
        write_table(folder / name, tuple(columns), zip(*columns.values(), strict=True))
    write_table(folder / "blocks.csv", *_block_table(result, normality, summary))
    rows = (
        (t, *row._replace(seconds=round(row.seconds, 6)), chain)
        for chain, trace in enumerate(result.traces)
        for t, row in enumerate(trace, start=1)
    )
    write_table(folder / "trace.csv", ("iteration", *TraceRow._fields, "chain"), rows)


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a CSV file, whole or not at all."""
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def write_json(path: Path, record: dict[str, Any], indent: int | None = 2) -> None:
    """Write a JSON file, whole or not at all; without ``indent`` a long one takes far less memory to write."""
    with whole_file(path) as file:
        file.write(json.dumps(record, indent=indent, allow_nan=False) + "\n")


def _block_table(result: Result, normality: Normality, summary: Summary | None) -> tuple[list[str], Iterable[Any]]:
    """Header and lines of blocks.csv."""
    n_rows, n_columns, d = result.n_row_clusters, result.n_column_clusters, result.blocks.dimension
    k, c = (part.ravel() for part in np.indices((n_rows, n_columns)))
    columns: dict[str, list[Any]] = {
        "k": k.tolist(),
        "l": c.tolist(),
        "rows": np.bincount(result.row_labels, minlength=n_rows)[k].tolist(),
        "columns": np.bincount(result.column_labels, minlength=n_columns)[c].tolist(),
        "cells": [int(count) for count in result.blocks.count.ravel()],
    }
    for name, values, unknown in _block_figures(result, normality, summary):
        numbers = np.where(unknown, "", values.astype(object)).reshape(-1, d)
        for component in range(d):
            columns[name if d == 1 else f"{name}_{component}"] = numbers[:, component].tolist()
    return list(columns), zip(*columns.values(), strict=True)


def _block_figures(
    result: Result, normality: Normality, summary: Summary | None
) -> Iterator[tuple[str, Floats, NDArray[np.bool_]]]:
    """Name, numbers of shape (K, L, d), and whether they are left blank."""
    empty = result.blocks.count[..., None] == 0
    yield "mean", result.blocks.mean, empty
    yield "sd", result.block_sd, empty
    for name, found in (("skewness", normality.skewness), ("kurtosis", normality.kurtosis), ("ppc", normality.p)):
        yield name, found, np.isnan(found)
    if summary is not None:
        for name, interval in (("mean", summary.blocks.centre), ("sd", summary.blocks.spread)):
            for label, part in (("posterior", interval.mean), ("low", interval.low), ("high", interval.high)):
                yield f"{name}_{label}", part, np.zeros_like(part, dtype=np.bool_)
