"""The tables of the report: sizes of the clusters, means and spreads of the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.folder import Blocks, Labels
from disnplbm.report.pixels import rounded

MAX_ROW_CLUSTERS, MAX_COLUMN_CLUSTERS, MAX_COMPONENTS = 60, 40, 8
MAX_SIZES = 500
MEMBERS = 8


def cluster_sizes(axis: Labels) -> list[dict[str, Any]]:
    """Clusters in the order of their labels; beyond MAX_SIZES clusters the smallest are left out.

    Each has its label, its size, the names of its first members if they have any, and the mean confidence of all of
    them if there are draws.
    """
    sizes = axis.sizes
    order = np.argsort(axis.labels, kind="stable").astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    sure = None if axis.confidence is None else np.bincount(axis.labels, axis.confidence) / np.maximum(1, sizes)
    return [
        {
            "label": label,
            "size": int(sizes[label]),
            "members": axis.names(order[starts[label] :][: min(int(sizes[label]), MEMBERS)]) if axis.named else [],
            "confidence": None if sure is None else float(sure[label]),
        }
        for label in _largest(sizes, MAX_SIZES)
    ]


def block_tables(blocks: Blocks, rows: Labels, columns: Labels) -> dict[str, Any]:
    """Blocks of the largest clusters and of the first components, as matrices; the counts say what is left out."""
    shown_rows = _largest(rows.sizes, MAX_ROW_CLUSTERS)
    shown_columns = _largest(columns.sizes, MAX_COLUMN_CLUSTERS)
    shown = np.ix_(shown_rows, shown_columns)
    return {
        "rows": _headings(rows.sizes, shown_rows),
        "columns": _headings(columns.sizes, shown_columns),
        "row_clusters": int(np.count_nonzero(rows.sizes)),
        "column_clusters": int(np.count_nonzero(columns.sizes)),
        "components": len(blocks.mean),
        "tables": [_table(blocks, component, shown) for component in range(min(len(blocks.mean), MAX_COMPONENTS))],
    }


def _table(blocks: Blocks, component: int, shown: Any) -> dict[str, Any]:
    """Matrices of one component at the shown clusters, as ``np.ix_`` gives them."""
    normality = blocks.normality
    table: dict[str, Any] = {
        "cells": blocks.cells[shown].tolist(),
        "mean": rounded(blocks.mean[component][shown]),
        "sd": rounded(blocks.sd[component][shown]),
        **{name: rounded(getattr(normality, name)[..., component][shown]) for name in ("skewness", "kurtosis", "p")},
        "odd": normality.plain[..., component][shown].tolist(),
        "posterior": None,
    }
    if blocks.posterior is not None:
        table["posterior"] = {
            name: {part: rounded(getattr(interval, part)[component][shown]) for part in ("mean", "low", "high")}
            for name, interval in zip(("mean", "sd"), blocks.posterior, strict=True)
        }
    return table


def _headings(sizes: NDArray[np.int64], shown: list[int]) -> list[dict[str, int]]:
    return [{"label": label, "size": int(sizes[label])} for label in shown]


def _largest(sizes: NDArray[np.int64], limit: int) -> list[int]:
    """Labels of the `limit` largest clusters that are not empty, in the order of the labels."""
    by_size = np.argsort(-sizes, kind="stable")[:limit]
    return sorted(int(label) for label in by_size if sizes[label] > 0)
