"""Write a result as files that any other program reads."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.families.base import BlockFit, Family
from disnplbm.files import whole_file
from disnplbm.model.statistics import Floats
from disnplbm.parts import slices_of
from disnplbm.posterior.block_summary import BlockSummary
from disnplbm.posterior.consensus import Consensus
from disnplbm.posterior.draws import DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary
from disnplbm.posterior.trees.certainty import Certainty
from disnplbm.posterior.trees.first import FirstLevel
from disnplbm.sampler.trace_row import TraceRow


def write_result(
    folder: Path,
    result: Result,
    row_names: Iterable[str],
    column_names: Iterable[str],
    meta: DrawsMeta,
    fits: Sequence[BlockFit | None],
    summary: Summary | None = None,
    level: FirstLevel | None = None,
    classes: tuple[Sequence[str] | None, Sequence[str] | None] = (None, None),
) -> None:
    """Write rows.csv, columns.csv, blocks.csv and trace.csv.

    Parameters
    ----------
    row_names, column_names : iterable of str
        Lengths n and p.
    meta : DrawsMeta
        The family of each part says which figures a block has, and its facts what categories are called.
    fits : sequence of BlockFit or None
        How the blocks of each part fit the model, which adds columns to blocks.csv.
    summary : Summary, optional
        Adds a column "confidence" to rows.csv and columns.csv, where there is a second answer its labels as
        "runner_up", and to blocks.csv the posterior mean and 95 % interval of figures of each block.
    level : FirstLevel, optional
        That is shown first, which adds a column "level" to rows.csv and columns.csv; where draws were cut at it,
        "level_confidence", and where they have a second answer, its labels as "level_runner_up".
    classes : pair of sequence of str, optional
        Known class of each row and of each column, "" where it is not known, which adds a column "known_class".

    Raises
    ------
    RunError
        A file cannot be written.
    """
    of_rows, of_columns = level or (None, None)
    sure_rows, sure_columns = (None, None) if summary is None else (summary.rows, summary.columns)
    for name, names, labels, partition, first, known in (
        ("rows.csv", row_names, result.row_labels, sure_rows, of_rows, classes[0]),
        ("columns.csv", column_names, result.column_labels, sure_columns, of_columns, classes[1]),
    ):
        columns: dict[str, Iterable[Any]] = {"id": names, "label": labels.tolist()}
        if name == "columns.csv" and len(meta.parts) > 1:
            columns["part"] = np.repeat(np.arange(len(meta.parts)), meta.lengths).tolist()
        if partition is not None:
            columns |= columns_of(partition)
        if first is not None:
            columns["level"] = first.branches[labels].tolist()
            if first.certainty is not None:
                columns |= {f"level_{name}": values for name, values in columns_of(first.certainty).items()}
        if known is not None:
            columns["known_class"] = known
        write_table(folder / name, tuple(columns), zip(*columns.values(), strict=True))
    write_table(folder / "blocks.csv", *blocks_of_result(result, meta, fits, summary))
    rows = (
        (t, *row._replace(seconds=round(row.seconds, 6)), number)
        for number, trace in enumerate(result.traces)
        for t, row in enumerate(trace, start=1)
    )
    write_table(folder / "trace.csv", ("iteration", *TraceRow._fields, "chain"), rows)


def blocks_of_result(
    result: Result, meta: DrawsMeta, fits: Sequence[BlockFit | None], summary: Summary | None
) -> tuple[list[str], Iterable[Any]]:
    """Header and lines of blocks.csv for a result; what is not known is "" there.

    Parameters
    ----------
    meta, fits, summary
        As :func:`write_result` takes them.
    """
    sizes = np.bincount(result.row_labels), np.bincount(result.column_labels)
    summaries = [None] * len(fits) if summary is None else summary.parts
    known = [list(_known_of_blocks(*each)) for each in zip(fits, summaries, strict=True)]
    return block_table(result.parts, *sizes, meta, known)


def columns_of(sure: Consensus | Certainty) -> dict[str, Iterable[Any]]:
    """How sure each item is, as columns of a table: "confidence" and, where there is a second answer, "runner_up"."""
    columns: dict[str, Iterable[Any]] = {"confidence": [round(share, 4) for share in sure.confidence.tolist()]}
    if sure.runner_up is not None:
        columns["runner_up"] = sure.runner_up.labels.tolist()
    return columns


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


def block_table(
    parts: Sequence[Any],
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    meta: DrawsMeta,
    more: Sequence[Sequence[tuple[str, Floats]]] | None = None,
) -> tuple[list[str], Iterable[Any]]:
    """Header and lines of blocks.csv, part after part; what says nothing of a part is left blank there.

    Parameters
    ----------
    parts : sequence of Statistics of shape (K, L)
        Blocks of each part, in the units of the table.
    rows, columns : ndarray of int, shapes (K,) and (L,)
        Members of each cluster; the columns' of all parts.
    meta : DrawsMeta
    more : sequence, optional
        Of each part, further names, and numbers of shape (K, L, d).
    """
    places = slices_of([blocks.shape[1] for blocks in parts])
    known = [()] * len(parts) if more is None else more
    tables = []
    for number, (of_part, blocks, here, further) in enumerate(zip(meta.parts, parts, places, known, strict=True)):
        words = of_part.facts.get("words", ())
        table = _table_of_part(blocks, rows, columns[here], of_part.family, further, words)
        place = {"l": [cluster + here.start for cluster in table.pop("l")]}
        if len(parts) > 1:
            place["part"] = [number] * len(place["l"])
        tables.append({"k": table.pop("k")} | place | table)
    # The names of all parts, each once, in their order.
    header = list(dict.fromkeys(chain.from_iterable(tables)))
    lines = (zip(*(table.get(title, [""] * len(table["k"])) for title in header), strict=True) for table in tables)
    return header, chain.from_iterable(lines)


def _table_of_part(
    blocks: Any,
    rows: NDArray[np.integer[Any]],
    columns: NDArray[np.integer[Any]],
    family: Family,
    more: Iterable[tuple[str, Floats]],
    words: Sequence[str],
) -> dict[str, list[Any]]:
    """Columns of blocks.csv for the blocks of a part.

    Parameters
    ----------
    words : sequence of str
        What the components are called; of two, the second one alone is told. By default they are numbered.
    """
    k, c = (part.ravel() for part in np.indices((len(rows), len(columns))))
    cells = family.count_cells(blocks)
    table: dict[str, list[Any]] = {
        "k": k.tolist(),
        "l": c.tolist(),
        "rows": rows[k].tolist(),
        "columns": columns[c].tolist(),
        "cells": [int(count) for count in (np.outer(rows, columns) if cells is None else cells).ravel()],
    }
    figures = list(chain(family.figures(blocks).items(), more))
    titles = _titles([(name, values.shape[2]) for name, values in figures], words)
    for (_, values), own in zip(figures, titles, strict=True):
        # What is not known is left blank.
        numbers = np.where(np.isnan(values), "", values.astype(object)).reshape(-1, len(own))
        for component, title in enumerate(own):
            table[title] = numbers[:, component].tolist()
    return table


def _titles(figures: Sequence[tuple[str, int]], words: Sequence[str]) -> list[list[str]]:
    """Column names of figures with so many components each: by words, or numbered where words make two names alike.

    >>> _titles([("mean", 1), ("sd", 2)], ()), _titles([("share", 1)], ["no", "yes"])
    ([['mean'], ['sd_0', 'sd_1']], [['share_yes']])
    """
    told = words[1:] if len(words) == 2 else words
    named = [[f"{name}_{word}" for word in told] for name, _ in figures]
    alike = [title for own in named for title in own]
    if told and all(d == len(told) for _, d in figures) and len(set(alike)) == len(alike):
        return named
    return [[name if d == 1 else f"{name}_{component}" for component in range(d)] for name, d in figures]


def _known_of_blocks(fit: BlockFit | None, summary: BlockSummary | None) -> Iterator[tuple[str, Floats]]:
    """Name, and numbers of shape (K, L, d), of what is known besides the figures of the blocks."""
    if fit is not None:
        yield from fit.columns.items()
    if summary is not None:
        for name, interval in summary.figures.items():
            for label, part in (("posterior", interval.mean), ("low", interval.low), ("high", interval.high)):
                yield f"{name}_{label}", part
