"""The two heatmaps as data for the page: colour levels, what each pixel covers, scales and colours."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.bands import Bands
from disnplbm.report.colours import colour_table
from disnplbm.report.folder import Blocks, Labels, RunFolder
from disnplbm.report.heatmap import Heatmap, View
from disnplbm.report.scale import LEVELS, Scale, fit_scale
from disnplbm.report.similarity import picture

MAX_BLOCKS = 10_000
"""With more blocks than this the page does not carry their means for the read-out."""

SHARES = Scale(np.linspace(0.0, 1.0, LEVELS), 0.0, 1.0, "sequential", ranked=False)
"""Of probabilities."""

VISIBLE_SHARE = 0.25
"""Share of the variance between blocks from which single cells show the blocks well enough to start with."""


def figure_scales(heatmap: Heatmap) -> dict[str, Scale]:
    """Colour scale per kind of pixel, `mean` and, where they differ, `cells`, fitted to the reordered picture."""
    images = {"mean": heatmap.reordered.mean, "cells": heatmap.reordered.cells}
    return {kind: fit_scale(image) for kind, image in images.items() if image is not None}


def figure_data(folder: RunFolder, scales: dict[str, Scale]) -> dict[str, Any]:
    """JSON-able content of the figure."""
    heatmap = folder.heatmap
    kinds = sorted({scale.kind for scale in scales.values()})
    if folder.similarities is not None:
        kinds = sorted({*kinds, SHARES.kind})
    return {
        "views": {
            "original": _view(folder, heatmap.original, scales, clustered=False),
            "reordered": _view(folder, heatmap.reordered, scales, clustered=True),
            **_similarities(folder),
        },
        "pixel": _first_pixel(folder),
        "scales": {name: _scale(scale) for name, scale in scales.items()},
        "colours": {
            kind: {theme: _base64(colour_table(kind, theme, LEVELS)) for theme in ("light", "dark")} for kind in kinds
        },
        "blocks": _blocks(folder.blocks) if folder.blocks.cells.size <= MAX_BLOCKS else None,
        "share": _scale(SHARES),
    }


def _similarities(folder: RunFolder) -> dict[str, Any]:
    """Co-clustering matrices of both axes, where they are kept."""
    views: dict[str, Any] = {}
    if folder.similarities is None:
        return views
    for noun, found, labels in (
        ("row", folder.similarities.rows, folder.rows),
        ("column", folder.similarities.columns, folder.columns),
    ):
        drawn = picture(found, folder.similarities.draws, labels.labels)
        if drawn is not None:
            items = _axis(drawn.bands, labels, clustered=True)
            views[f"{noun}-similarity"] = {"noun": noun, "items": items, "levels": {"share": _base64(drawn.levels)}}
    return views


def _blocks(blocks: Blocks) -> dict[str, Any]:
    """What the read-out says of each block: mean and standard deviation, or their posterior with intervals."""
    if blocks.posterior is None:
        return {"mean": _rounded(blocks.mean[0]), "sd": _rounded(blocks.sd[0]), "intervals": None}
    intervals = {
        name: [_rounded(getattr(interval, part)[0]) for part in ("low", "high")]
        for name, interval in zip(("mean", "sd"), blocks.posterior, strict=True)
    }
    mean, sd = (_rounded(interval.mean[0]) for interval in blocks.posterior)
    return {"mean": mean, "sd": sd, "intervals": intervals}


def has_missing(heatmap: Heatmap) -> bool:
    """Whether any pixel shows a missing cell."""
    images = [image for view in (heatmap.original, heatmap.reordered) for image in (view.mean, view.cells)]
    return any(bool(np.isnan(image).any()) for image in images if image is not None)


def _first_pixel(folder: RunFolder) -> str:
    """Single cells, the faithful picture, unless the blocks drown in their own spread: then means show them."""
    if folder.heatmap.reordered.cells is None:
        return "mean"
    weights = folder.blocks.cells.ravel().astype(np.float64)
    mean, sd = np.nan_to_num(folder.blocks.mean[0]).ravel(), np.nan_to_num(folder.blocks.sd[0]).ravel()
    within = float(weights @ sd**2)
    between = float(weights @ (mean - weights @ mean / max(1.0, weights.sum())) ** 2)
    return "cells" if between >= VISIBLE_SHARE * (between + within) else "mean"


def _view(folder: RunFolder, view: View, scales: dict[str, Scale], *, clustered: bool) -> dict[str, Any]:
    images = {"mean": view.mean, "cells": view.cells}
    return {
        "rows": _axis(view.rows, folder.rows, clustered=clustered),
        "columns": _axis(view.columns, folder.columns, clustered=clustered),
        "levels": {kind: _base64(scales[kind].levels(image)) for kind, image in images.items() if image is not None},
    }


def _axis(bands: Bands, labels: Labels, *, clustered: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "count": len(bands.order),
        "start": bands.start.tolist(),
        "stop": bands.stop.tolist(),
        "first": labels.names(bands.order[bands.start]),
        "last": labels.names(bands.order[bands.stop - 1]),
    }
    if clustered:
        axis["clusters"] = bands.clusters.tolist()
        axis["borders"] = bands.borders.tolist()
    return axis


def _scale(scale: Scale) -> dict[str, Any]:
    return {
        "values": _rounded(scale.values),
        "low": scale.low,
        "high": scale.high,
        "kind": scale.kind,
        "ranked": scale.ranked,
    }


def _rounded(values: NDArray[np.float64]) -> list[Any]:
    """Nested lists with six significant digits and None for NaN: what the read-out shows, in a third of the bytes."""
    flat = [float(f"{value:.6g}") if np.isfinite(value) else None for value in values.ravel().tolist()]
    if values.ndim == 1:
        return flat
    return [flat[start : start + values.shape[1]] for start in range(0, len(flat), values.shape[1])]


def _base64(array: NDArray[np.uint8]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")
