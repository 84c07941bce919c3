"""What there is to choose a level by: the figures of every number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from disnplbm.errors import InputError
from disnplbm.plot.axes import find_axes
from disnplbm.plot.shown import Drawable, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Figure = Literal["agreement", "ratio", "confidence", "lost"]

_TITLES = {
    "agreement": "agreement of the chains (ARI)",
    "ratio": "cost of the next merge / of the merge before",
    "confidence": "mean confidence of a label",
    "lost": "log joint lost",
}


def plot_levels(
    model: Drawable,
    axis: Literal["rows", "columns"] = "rows",
    figure: Figure | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw a figure of every level over the number of clusters. The level that the report shows first has a line.

    Parameters
    ----------
    model : NPLBM, or path
        A fitted model, or the folder of a finished run.
    axis : {"rows", "columns"}, default="rows"
    figure : {"agreement", "ratio", "confidence", "lost"}, optional
        How far several chains agree at the level; how many times as much the next merge costs as the merge before, of
        one chain; how sure its labels are, where the fit kept draws; or what all merges up to it cost. By default the
        first of these that is known.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        A ValueError: matplotlib is not installed, there are no levels, or such a figure is not known of them.
    """
    if axis not in ("rows", "columns"):
        raise InputError(f"axis is {axis!r}; give 'rows' or 'columns'")
    if figure is not None and figure not in get_args(Figure):
        raise InputError(f"figure={figure!r} is unknown; choose {', '.join(map(repr, get_args(Figure)))}")
    curves = Shown.find(model).curves.get(axis)
    known = [name for name in get_args(Figure) if curves is not None and curves[name]]
    if curves is None or not known:
        raise InputError(
            f"the {axis} have no levels to choose from: an earlier version wrote the run, or they have one"
        )
    shown = known[0] if figure is None else figure
    if shown not in known:
        raise InputError(f"figure={shown!r} is not known of this fit; choose {', '.join(map(repr, known))}")
    axes = find_axes(ax, (6.0, 3.0))
    values = curves[shown]
    axes.plot(curves["levels"][: len(values)], values, marker="o", markersize=3.0, linewidth=1.0)
    if curves["reason"] != "fine":
        axes.axvline(curves["clusters"], color="0.5", linewidth=1.0, zorder=0)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.set_xlabel(f"{axis[:-1]} clusters")
    axes.set_ylabel(_TITLES[shown])
    if shown in ("agreement", "confidence"):
        axes.set_ylim(min(0.0, *values), 1.02)
    axes.spines[["top", "right"]].set_visible(False)
    return axes
