"""Write a result as files that any other program reads."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from disnplbm.files import whole_file
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
    folder : Path
    result : Result
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
        for chain, trace in enumerate((result.trace, *result.more_traces))
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


def _block_table(result: Result, normality: Normality, summary: Summary | None) -> tuple[list[str], list[list[Any]]]:
    d = result.blocks.dimension
    suffixes = [""] if d == 1 else [f"_{c}" for c in range(d)]
    header = ["k", "l", "rows", "columns", "cells"]
    header += [f"mean{suffix}" for suffix in suffixes] + [f"sd{suffix}" for suffix in suffixes]
    rows_of = _sizes(result.row_labels.tolist(), result.n_row_clusters)
    columns_of = _sizes(result.column_labels.tolist(), result.n_column_clusters)
    spread = result.block_sd
    table: list[list[Any]] = []
    for k in range(result.n_row_clusters):
        for c in range(result.n_column_clusters):
            cells = int(result.blocks.count[k, c])
            values = [*result.blocks.mean[k, c].tolist(), *spread[k, c].tolist()] if cells else [""] * (2 * d)
            table.append([k, c, rows_of[k], columns_of[c], cells, *values])
    for name, found in (("skewness", normality.skewness), ("kurtosis", normality.kurtosis), ("ppc", normality.p)):
        header += [f"{name}{suffix}" for suffix in suffixes]
        for line, numbers in zip(table, found.reshape(len(table), d).tolist(), strict=True):
            line.extend("" if math.isnan(number) else number for number in numbers)
    if summary is not None:
        for name, interval in (("mean", summary.blocks.centre), ("sd", summary.blocks.spread)):
            for part in ("mean", "low", "high"):
                label = "posterior" if part == "mean" else part
                header += [f"{name}_{label}{suffix}" for suffix in suffixes]
                values_of = getattr(interval, part).reshape(len(table), d)
                for line, values in zip(table, values_of.tolist(), strict=True):
                    line.extend(values)
    return header, table


def _sizes(labels: list[int], number: int) -> list[int]:
    sizes = [0] * number
    for label in labels:
        sizes[label] += 1
    return sizes
