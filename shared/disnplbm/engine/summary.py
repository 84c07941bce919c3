"""The record of a finished run: what run.json holds and ``--json`` prints."""

from __future__ import annotations

import platform
import resource
import sys
from typing import Any

import llvmlite
import numba
import numpy as np

import disnplbm
from disnplbm.data.shards import Manifest
from disnplbm.engine.options import Options
from disnplbm.kernels import ALGORITHM_VERSION, baseline
from disnplbm.posterior.result import Result
from disnplbm.posterior.scores import block_ari, contingency, partition_scores


def summarise(
    result: Result, manifest: Manifest, request: dict[str, Any], options: Options, seconds_total: float
) -> dict[str, Any]:
    """Describe a finished run.

    Parameters
    ----------
    result : Result
    manifest : Manifest
    request : dict
        What the run was asked for: name, path, created, row_classes, column_classes, warnings.
    options : Options
    seconds_total : float
        Of reading, sharding, sampling and writing.
    """
    seconds = sum(result.trace.seconds)
    record: dict[str, Any] = {
        "name": request["name"],
        "created": request["created"],
        "rows": manifest.n,
        "columns": manifest.p,
        "dimension": manifest.dimension,
        "row_clusters": result.n_row_clusters,
        "column_clusters": result.n_column_clusters,
        "blocks": result.n_row_clusters * result.n_column_clusters,
        "log_joint": result.trace.log_joint[-1],
        "iterations": len(result.trace),
        "shards": manifest.n_shards,
        "seconds": round(seconds, 4),
        "seconds_total": round(seconds_total, 4),
        "seconds_per_iteration": round(seconds / len(result.trace), 6),
        "peak_memory_mb": round(peak_memory_mb(), 1),
        "digest": result.digest(),
        "estimate": "last",
        "parameters": options.to_dict() | {"shards": manifest.n_shards, "shard_axis": manifest.axis},
        "data": {
            "path": request["path"],
            "sha256": manifest.dataset_sha256,
            "axis": manifest.axis,
            "transform": manifest.transform,
            "missing_cells": manifest.missing,
        },
        "versions": versions(),
        "warnings": request["warnings"],
    }
    scores = _scores(result, request["row_classes"], request["column_classes"])
    return record | {"scores": scores} if scores else record


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
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def _scores(result: Result, rows: list[str] | None, columns: list[str] | None) -> dict[str, float]:
    scores: dict[str, float] = {}
    if rows is not None:
        scores["ari"], scores["nmi"] = partition_scores(rows, result.row_labels)
    if columns is not None:
        scores["column_ari"], scores["column_nmi"] = partition_scores(columns, result.column_labels)
    if rows is not None and columns is not None:
        scores["block_ari"] = block_ari(
            contingency(rows, result.row_labels), contingency(columns, result.column_labels)
        )
    return scores
