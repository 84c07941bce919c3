"""Everything that the page of a run shows, as one document; the page finds the words, the formats and the colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from disnplbm.described import applying
from disnplbm.notes import to_plain
from disnplbm.posterior.result import ESTIMATES
from disnplbm.report.certainty import certainty, estimate
from disnplbm.report.classes import shown_classes
from disnplbm.report.folder import RunFolder
from disnplbm.report.matrix import matrix, shown_names
from disnplbm.report.tables import block_tables, cluster_sizes
from disnplbm.report.traces import trace_lines
from disnplbm.report.trees import levels
from disnplbm.report.wording import no_draws

_FIGURES = (
    "name", "rows", "columns", "dimension", "row_clusters", "column_clusters", "log_joint", "iterations", "shards",
    "seconds", "seconds_total", "seconds_per_iteration", "peak_memory_mb", "digest", "created", "chains", "verdict",
    "parameters", "data", "versions", "ppc",
)  # fmt: skip
"""What the page has from run.json as it stands there."""


def run_document(folder: RunFolder) -> dict[str, Any]:
    """The document of a run, of values that JSON has."""
    run = folder.run
    burn_in = run["parameters"].get("burn_in")
    # A run from before notes were data has their texts alone.
    more = {"scores": run.get("scores") or {}, "notes": run.get("notes", run["warnings"])}
    # What says nothing of such a run is no parameter of it.
    parameters = applying(run["parameters"] | {"cells": folder.cells}, int(run["dimension"]))
    # The words are the names of its categories, which it has too.
    data = {name: value for name, value in run["data"].items() if name != "words"}
    document = {
        "kind": "run",
        "run": {name: run[name] for name in _FIGURES} | more | {"parameters": parameters, "data": data},
        "estimate": estimate(run) if folder.similarities is not None else to_plain(no_draws(int(run["chains"]))),
        "shown": ESTIMATES[run["estimate"]],
        "matrix": matrix(folder),
        "traces": {
            "lines": trace_lines(folder.traces),
            "burn_in": burn_in if isinstance(burn_in, int) else 0,
            "seconds": float(np.mean([trace.seconds.mean() for trace in folder.traces])),
        },
        "certainty": certainty(folder),
        "levels": None if folder.trees is None else levels(folder.trees, run),
        "profiles": {"rows": run.get("profiles", []), "columns": run.get("column_profiles", [])},
        "blocks": block_tables(folder.blocks, folder.rows, folder.columns),
        "classes": {"rows": shown_classes(folder, "rows"), "columns": shown_classes(folder, "columns")},
        "names": {"rows": shown_names(folder, "rows"), "columns": shown_names(folder, "columns")},
        "sizes": {"rows": cluster_sizes(folder.rows), "columns": cluster_sizes(folder.columns)},
    }
    return {name: _plain(value) for name, value in document.items()}


def document_of_parts(folders: Sequence[RunFolder]) -> dict[str, Any]:
    """The document of a run: of a table of several parts, one for each of them."""
    documents = [run_document(folder) for folder in folders]
    if len(documents) == 1:
        return documents[0]
    parts = [{"title": folder.title, "found": found} for folder, found in zip(folders, documents, strict=True)]
    return {"kind": "parts", "parts": parts}


def _plain(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
