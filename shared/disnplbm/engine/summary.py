"""The record of a finished run: what run.json holds and ``--json`` prints."""

from __future__ import annotations

import platform
import resource
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numpy.typing import NDArray

import disnplbm
from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.cell_types import DENSE
from disnplbm.data.fitted_table import FittedTable
from disnplbm.data.numerals import PLAIN
from disnplbm.data.prepared import Prepared
from disnplbm.engine.findings import Findings
from disnplbm.engine.options import Options
from disnplbm.engine.telling import PROFILES
from disnplbm.families.base import BlockFit
from disnplbm.families.category_names import category_names
from disnplbm.kernels import baseline
from disnplbm.notes import Note, to_plain
from disnplbm.posterior.granularity import Granularity, granularity
from disnplbm.posterior.result import Result
from disnplbm.posterior.scores import block_ari, contingency, partition_scores
from disnplbm.posterior.summary import Summary
from disnplbm.posterior.verdict import Verdict
from disnplbm.report.levels import level_sentence
from disnplbm.report.notes import crowding_note, granularity_note
from disnplbm.report.wording import sentence, shown
from disnplbm.runs.request import Request, RunRequest
from disnplbm.sampler.growth import MOST_BLOCKS


def summarise(
    findings: Findings, table: FittedTable, request: RunRequest, options: Options, seconds_total: float
) -> dict[str, Any]:
    """Describe a finished run.

    Parameters
    ----------
    seconds_total : float
        Of reading, sharding, sampling and writing.
    """
    result, summary = findings.result, findings.summary
    record = _figures(result, table, request, options, seconds_total)
    record["parameters"] = options.to_dict() | {"shards": table.n_shards, "shard_axis": table.axis}
    record["data"] = {
        "path": request.asked.path,
        "sha256": table.sha256,
        "axis": table.axis,
        "transform": table.transform,
        "cells": table.cells,
        "missing_cells": table.missing,
        "reading": table.reading,
        "written": table.written,
    }
    if table.words and table.cells == "categorical":
        record["data"]["words"] = list(table.words)
    of_parts = [
        _of_part(part, blocks, fit) for part, blocks, fit in zip(table.parts, result.parts, findings.fits, strict=True)
    ]
    if len(of_parts) == 1:
        record["data"] |= {"categories": of_parts[0]["categories"]} if "categories" in of_parts[0] else {}
    else:
        record["parts"] = [{"name": name} | part for name, part in zip(table.part_names, of_parts, strict=True)]
    record["versions"] = versions()
    record |= _answer(summary, result)
    record["ppc"] = of_parts[0]["ppc"] if len(of_parts) == 1 else None
    if findings.level is not None:
        axes = findings.level.to_dict()
        record["level"] = {axis: found["clusters"] for axis, found in axes.items()}
        record["level"] |= {"sentence": level_sentence(axes), "axes": axes}
    if findings.curves is not None:
        record["level_curves"] = findings.curves.to_dict()
    scores, unknown = _scores(result, request.asked)
    record["granularity"] = [found.to_dict() for found in odd_partitions(result, options)]
    notes = [*request.warnings, *unknown, *notes_on(result, options, table.n_shards, table.cells)]
    record["warnings"], record["notes"] = notes, [to_plain(note) for note in notes]
    if scores:
        record["scores"] = scores
    record |= {PROFILES[axis]: told for axis, told in findings.profiles.items() if told}
    if findings.restarts is not None:
        record["restarts"] = findings.restarts
    return record


def _figures(
    result: Result, table: FittedTable, request: RunRequest, options: Options, seconds_total: float
) -> dict[str, Any]:
    """Shape, clusters, log joint and what the run took."""
    seconds, iterations = sum(sum(trace.seconds) for trace in result.traces), sum(map(len, result.traces))
    return {
        "name": request.asked.name,
        "created": request.created,
        "rows": table.n,
        "columns": table.p,
        "dimension": table.dimension,
        "row_clusters": result.n_row_clusters,
        "column_clusters": result.n_column_clusters,
        "blocks": result.n_row_clusters * result.n_column_clusters,
        "estimate": options.estimated,
        "log_joint": result.log_joint,
        "last_log_joint": [trace.log_joint[-1] for trace in result.traces],
        "iterations": len(result.trace),
        "chains": len(result.traces),
        "shards": table.n_shards,
        "seconds": round(seconds, 4),
        "seconds_total": round(seconds_total, 4),
        "seconds_per_iteration": round(seconds / iterations, 6),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "digest": result.digest(),
    }


def _of_part(part: Prepared, blocks: Any, fit: BlockFit | None) -> dict[str, Any]:
    """What there is to say of a part of the table, and of its blocks."""
    told = {
        "cells": part.cells,
        "columns": part.p,
        "column_clusters": int(blocks.shape[1]),
        "transform": part.transform,
        "missing_cells": part.missing,
        "ppc": None if fit is None else fit.to_dict(),
    }
    if part.cells == "categorical" and "levels" in part.facts:
        told["categories"] = category_names(part.facts)
    return told


def _answer(summary: Summary | None, result: Result) -> dict[str, Any]:
    """What the draws say, where the run kept some, and whether the chains agree."""
    if summary is None:
        return {"verdict": Verdict("no_draws", len(result.traces)).to_dict()}
    posterior, diagnosis = summary.to_dict(), summary.diagnosis.to_dict()
    del diagnosis["verdict"]
    return {
        "verdict": summary.diagnosis.verdict.to_dict(),
        "posterior": posterior | {"shown": shown(posterior, len(result.traces))},
        "diagnosis": diagnosis | {"sentence": sentence(summary.diagnosis, len(result.trace))},
    }


def notes_on(result: Result, options: Options, n_shards: int, cells: str) -> list[Note]:
    """What to know of a result's numbers of clusters, with what to do where the cells are of some type."""
    notes = [granularity_note(found, cells) for found in odd_partitions(result, options)]
    most = max(row.row_clusters * row.column_clusters for trace in result.traces for row in trace)
    # A sweep opens at most half of what is left up to the bound. It says something of real numbers alone.
    if n_shards > 1 and 2 * most > MOST_BLOCKS and cells == DENSE:
        notes.append(crowding_note(most, MOST_BLOCKS))
    return notes


def odd_partitions(result: Result, options: Options) -> list[Granularity]:
    """Partitions of the result that hardly tell groups: nearly as many clusters as items, or one."""
    odd = [granularity(result.row_labels, "rows", options.fix_row_clusters)]
    odd += [granularity(labels, "columns", options.fix_column_clusters) for labels in result.columns_of_parts]
    return [found for found in odd if found is not None]


def versions() -> dict[str, str]:
    """Versions that the bits of a result depend on."""
    return {
        "disnplbm": disnplbm.__version__,
        "algorithm": str(ALGORITHM_VERSION),
        "cpu_baseline": baseline(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
    }


def peak_memory_mb() -> float:
    """Largest resident memory of this process so far, in MiB."""
    with suppress(OSError):
        # On Linux: what getrusage says there may be the peak of the process that started this one.
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def of_known_class(
    classes: Sequence[str], labels: NDArray[np.integer[Any]], noun: str
) -> tuple[NDArray[np.str_], NDArray[np.integer[Any]], list[str]]:
    """Classes and labels of the items whose class is known, and a note where some are not.

    Parameters
    ----------
    classes : sequence of str
        Of each item; one that is marked as missing is not known.
    labels : ndarray of int
    noun : {"rows", "columns"}
    """
    known = np.array([not PLAIN.is_missing(label) for label in classes], dtype=np.bool_)
    unknown = int(np.count_nonzero(~known))
    notes = [f"{unknown} {noun} have no known class: they are left out of the scores"] if unknown else []
    return np.array([label.strip() for label in classes])[known], labels[known], notes


def plain_classes(classes: Any) -> list[str] | None:
    """Known classes as files have them, "" where one is marked as missing; None where none are known."""
    return None if classes is None else ["" if PLAIN.is_missing(each) else each.strip() for each in classes]


def _scores(result: Result, asked: Request) -> tuple[dict[str, float], list[str]]:
    """Scores against known classes, and notes on items whose class is not known."""
    scores: dict[str, float] = {}
    notes: list[str] = []
    tables = []
    known: Any
    for known, labels, prefix, noun in (
        (asked.row_classes, result.row_labels, "", "rows"),
        (asked.column_classes, result.column_labels, "column_", "columns"),
    ):
        if known is None:
            continue
        truth, found, unknown = of_known_class(known, labels, noun)
        notes += unknown
        if len(truth) == 0:
            continue
        scores[f"{prefix}ari"], scores[f"{prefix}nmi"] = partition_scores(truth, found)
        tables.append(contingency(truth, found))
    if len(tables) == 2:
        scores["block_ari"] = block_ari(*tables)
    return scores, notes
