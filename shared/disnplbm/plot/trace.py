"""The trace of a fit: what its chains came to, iteration by iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from disnplbm.errors import InputError
from disnplbm.plot.axes import find_axes
from disnplbm.plot.shown import Drawable, Shown
from disnplbm.report.traces import MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {
    "log_joint": "log joint",
    "row_clusters": "row clusters",
    "column_clusters": "column clusters",
    "seconds": "seconds of an iteration",
}


def plot_trace(
    model: Drawable,
    measure: Literal["log_joint", "row_clusters", "column_clusters", "seconds"] = "log_joint",
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a measure of every iteration, a line for each chain. The burn-in is grey.

    Parameters
    ----------
    model : NPLBM, or path
        A fitted model, or the folder of a finished run.
    measure : {"log_joint", "row_clusters", "column_clusters", "seconds"}, default="log_joint"
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        A ValueError: matplotlib is not installed, or there is no such measure.
    """
    if measure not in MEASURES:
        raise InputError(f"measure={measure!r} is unknown; choose {', '.join(map(repr, MEASURES))}")
    shown = Shown.find(model)
    axes = find_axes(ax, (6.0, 3.0))
    for number, trace in enumerate(shown.traces):
        values = trace[measure]
        axes.plot(np.arange(1, len(values) + 1), values, linewidth=1.0, label=f"chain {number}")
    if shown.burn_in:
        axes.axvspan(0.5, shown.burn_in + 0.5, color="0.85", zorder=0, linewidth=0)
    axes.set_xlabel("iteration")
    axes.set_ylabel(_TITLES[measure])
    axes.margins(x=0.01)
    if len(shown.traces) > 1:
        axes.legend(frameon=False, fontsize="small")
    return axes
