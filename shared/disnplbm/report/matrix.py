"""The two pictures of the matrix, as the page carries them: what each pixel covers, and its value."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from disnplbm.report.bands import Bands
from disnplbm.report.exposure import Expecting, find_expectation
from disnplbm.report.folder import Blocks, Labels, RunFolder
from disnplbm.report.heatmap import Heatmap, View
from disnplbm.report.pixels import coded_image, encoded_image, rounded
from disnplbm.report.tables import shown_components

CATEGORICAL = "categorical"
"""A type of cells that is shown in a way of its own."""

MAX_BLOCKS = 10_000
"""With more blocks than this the page does not carry what they say for the read-out."""

MAX_NAMES = 200_000
"""With more rows, or columns, than this the page does not carry the names of all of them."""

VISIBLE_SHARE = 0.25
"""Share of the variance between blocks from which single cells show the blocks well enough to start with."""


def matrix(folder: RunFolder) -> dict[str, Any]:
    """Both pictures, what a pixel shows to start with, and what the read-out says of blocks."""
    heatmap = folder.heatmap
    facts = None if folder.trees is None else folder.trees.meta.facts
    expecting = find_expectation(folder.cells, str(folder.run["parameters"].get("exposure")), facts)
    return {
        "original": _view(folder, heatmap.original, expecting, clustered=False),
        "reordered": _view(folder, heatmap.reordered, expecting, clustered=True),
        "pixel": first_pixel(folder.cells, heatmap, folder.blocks, compared=expecting is not None),
        "blocks": _read_out(folder.blocks) if folder.blocks.cells.size <= MAX_BLOCKS else None,
    }


def items(bands: Bands, labels: Labels, *, clustered: bool) -> dict[str, Any]:
    """What the pixels of an axis cover, with the names of the first and of the last item of each."""
    return {
        "count": len(bands.order),
        "start": bands.start.tolist(),
        "stop": bands.stop.tolist(),
        "first": labels.names(bands.order[bands.start]),
        "last": labels.names(bands.order[bands.stop - 1]),
        "clusters": bands.clusters.tolist() if clustered else None,
        "labels": bands.shown.tolist() if clustered else None,
        "borders": bands.borders.tolist() if clustered else [0, bands.pixels],
    }


def shown_names(folder: RunFolder, axis: Literal["rows", "columns"]) -> list[str] | None:
    """Names of all rows, or columns, in the order of the reordered picture; None where they are too many to carry."""
    labels: Labels = getattr(folder, axis)
    bands: Bands = getattr(folder.heatmap.reordered, axis)
    return labels.names(bands.order) if len(bands.order) <= MAX_NAMES else None


def _view(folder: RunFolder, view: View, expecting: Expecting | None, *, clustered: bool) -> dict[str, Any]:
    shown = {
        "rows": items(view.rows, folder.rows, clustered=clustered),
        "columns": items(view.columns, folder.columns, clustered=clustered),
    }
    if expecting is not None:
        for axis, exposure in zip(("rows", "columns"), expecting(view), strict=True):
            shown[axis]["exposure"] = rounded(exposure)
    if folder.cells == CATEGORICAL:
        # A mean of categories says nothing.
        return shown | {"images": {"cells": coded_image(view.mean if view.cells is None else view.cells)}}
    images = {"mean": view.mean, "cells": view.cells}
    return shown | {"images": {kind: encoded_image(image) for kind, image in images.items() if image is not None}}


def first_pixel(cells: str, heatmap: Heatmap, blocks: Blocks, *, compared: bool) -> str:
    """Choose what a pixel shows to start with: what shows the blocks best.

    Of real numbers single cells, the faithful picture, unless the blocks drown in their own spread: then means do.

    Parameters
    ----------
    cells : str
        Type of the cells.
    compared : bool
        Whether cells are counts that are compared with what is expected.

    Returns
    -------
    {"cells", "mean", "ratio"}
    """
    if cells == CATEGORICAL:
        return "cells"
    if compared:
        return "ratio"
    figures = blocks.figures
    if heatmap.reordered.cells is None or not {"mean", "sd"} <= set(figures):
        return "mean"
    weights = blocks.cells.ravel().astype(np.float64)
    mean, sd = (np.nan_to_num(figures[name][0]).ravel() for name in ("mean", "sd"))
    within = float(weights @ sd**2)
    between = float(weights @ (mean - weights @ mean / max(1.0, weights.sum())) ** 2)
    return "cells" if between >= VISIBLE_SHARE * (between + within) else "mean"


def _read_out(blocks: Blocks) -> dict[str, Any]:
    """What each block says, or the posterior means of it with intervals; of vectors the first number."""
    if blocks.is_shares:
        return {"shares": [rounded(blocks.shown["share"][c]) for c in shown_components(blocks)], "intervals": None}
    intervals = None
    if blocks.posterior is not None:
        intervals = {
            name: [rounded(getattr(interval, part)[0]) for part in ("low", "high")]
            for name, interval in blocks.posterior.items()
        }
    return {name: rounded(figure[0]) for name, figure in blocks.shown.items()} | {"intervals": intervals}
