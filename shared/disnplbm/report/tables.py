"""The tables of the report: sizes of the clusters, and what the blocks say."""

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
    """Blocks of the largest clusters, as matrices for each component; the counts say what is left out."""
    shown_rows = _largest(rows.sizes, MAX_ROW_CLUSTERS)
    shown_columns = _largest(columns.sizes, MAX_COLUMN_CLUSTERS)
    shown, components = np.ix_(shown_rows, shown_columns), shown_components(blocks)
    document = {
        "rows": _headings(rows.sizes, shown_rows),
        "columns": _headings(columns.sizes, shown_columns),
        "row_clusters": int(np.count_nonzero(rows.sizes)),
        "column_clusters": int(np.count_nonzero(columns.sizes)),
        "components": blocks.components,
        "tables": [_table(blocks, component, shown) for component in components],
    }
    return document | {"categories": components} if blocks.is_shares else document


def shown_components(blocks: Blocks) -> list[int]:
    """The first numbers of a cell; of categories those that most cells have."""
    if not blocks.is_shares:
        return list(range(min(blocks.components, MAX_COMPONENTS)))
    cells = np.nansum(blocks.figures["share"] * blocks.cells, axis=(1, 2))
    return _largest(cells, MAX_COMPONENTS)


def _table(blocks: Blocks, component: int, shown: Any) -> dict[str, Any]:
    """Matrices of one component at the shown clusters, as ``np.ix_`` gives them."""
    table: dict[str, Any] = {
        "cells": blocks.cells[shown].tolist(),
        **{name: rounded(figure[component][shown]) for name, figure in blocks.figures.items()},
    }
    if (fit := blocks.fit) is not None:
        for name, values in fit.columns.items():
            table["p" if name == "ppc" else name] = rounded(values[..., component][shown])
        table["odd"] = fit.plain[..., component][shown].tolist()
    table["posterior"] = blocks.posterior and {
        name: {part: rounded(getattr(interval, part)[component][shown]) for part in ("mean", "low", "high")}
        for name, interval in blocks.posterior.items()
    }
    return table


def _headings(sizes: NDArray[np.int64], shown: list[int]) -> list[dict[str, int]]:
    return [{"label": label, "size": int(sizes[label])} for label in shown]


def _largest(sizes: NDArray[Any], limit: int) -> list[int]:
    """Places of the `limit` largest sizes above 0, in ascending order."""
    by_size = np.argsort(-sizes, kind="stable")[:limit]
    return sorted(int(label) for label in by_size if sizes[label] > 0)
