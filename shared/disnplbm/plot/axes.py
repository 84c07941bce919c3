"""matplotlib, and the axes to draw on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from disnplbm.extras import load

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def load_matplotlib(module: str = "matplotlib.pyplot") -> Any:
    """Import a part of matplotlib; InputError if it is not installed."""
    return load(module, "a picture", "'disnplbm[plot]'")


def find_axes(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The axes that are given, or the axes of a new figure of a size in inches."""
    if ax is not None:
        return ax
    found: Axes = load_matplotlib().subplots(figsize=size, layout="constrained")[1]
    return found
