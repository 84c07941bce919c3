"""The two pictures of the matrix, as the page carries them: what each pixel covers, and its value."""

from __future__ import annotations

from typing import Any

import numpy as np

from disnplbm.report.bands import Bands
from disnplbm.report.folder import Blocks, Labels, RunFolder
from disnplbm.report.heatmap import View
from disnplbm.report.pixels import encoded_image, rounded

MAX_BLOCKS = 10_000
"""With more blocks than this the page does not carry their means for the read-out."""

VISIBLE_SHARE = 0.25
"""Share of the variance between blocks from which single cells show the blocks well enough to start with."""


def matrix(folder: RunFolder) -> dict[str, Any]:
    """Both pictures, what a pixel shows to start with, and what the read-out says of blocks."""
    heatmap = folder.heatmap
    return {
        "original": _view(folder, heatmap.original, clustered=False),
        "reordered": _view(folder, heatmap.reordered, clustered=True),
        "pixel": _first_pixel(folder),
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
        "borders": bands.borders.tolist() if clustered else [0, bands.pixels],
    }


def _view(folder: RunFolder, view: View, *, clustered: bool) -> dict[str, Any]:
    images = {"mean": view.mean, "cells": view.cells}
    return {
        "rows": items(view.rows, folder.rows, clustered=clustered),
        "columns": items(view.columns, folder.columns, clustered=clustered),
        "images": {kind: encoded_image(image) for kind, image in images.items() if image is not None},
    }


def _first_pixel(folder: RunFolder) -> str:
    """Single cells, the faithful picture, unless the blocks drown in their own spread: then means show them."""
    if folder.heatmap.reordered.cells is None:
        return "mean"
    weights = folder.blocks.cells.ravel().astype(np.float64)
    mean, sd = np.nan_to_num(folder.blocks.mean[0]).ravel(), np.nan_to_num(folder.blocks.sd[0]).ravel()
    within = float(weights @ sd**2)
    between = float(weights @ (mean - weights @ mean / max(1.0, weights.sum())) ** 2)
    return "cells" if between >= VISIBLE_SHARE * (between + within) else "mean"


def _read_out(blocks: Blocks) -> dict[str, Any]:
    """Mean and standard deviation of each block, or their posterior means with intervals."""
    if blocks.posterior is None:
        return {"mean": rounded(blocks.mean[0]), "sd": rounded(blocks.sd[0]), "intervals": None}
    intervals = {
        name: [rounded(getattr(interval, part)[0]) for part in ("low", "high")]
        for name, interval in zip(("mean", "sd"), blocks.posterior, strict=True)
    }
    mean, sd = (rounded(interval.mean[0]) for interval in blocks.posterior)
    return {"mean": mean, "sd": sd, "intervals": intervals}
