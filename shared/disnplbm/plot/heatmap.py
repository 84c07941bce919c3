"""The heatmap of a table, with rows and columns sorted by cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.notes import plural
from disnplbm.plot.axes import find_axes, load_matplotlib
from disnplbm.plot.colours import MISSING, category_colours, colour_table
from disnplbm.plot.picture import Pixel, picture_of
from disnplbm.plot.scale import Scale, Spread
from disnplbm.plot.shown import Drawable, Shown
from disnplbm.report.bands import Bands

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points that a cluster takes up at least to have a border and a label, and an item to have its name.
_FOR_BORDER, _FOR_LABEL, _FOR_NAME = 4.5, 9.0, 7.5

#: Places among the colours that the legend has numbers at.
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)

_FEW_CATEGORIES = 24


def plot_heatmap(
    model: Drawable,
    rows: int | str | None = "auto",
    columns: int | str | None = "auto",
    *,
    ax: Axes | None = None,
    sort: bool = True,
    pixel: Pixel | None = None,
    spread: Spread | None = None,
    names: bool = True,
    colorbar: bool = True,
) -> Axes:
    """Draw the table with its clusters together, in the colours of the report.

    Parameters
    ----------
    model : NPLBM, or path
        A fitted model, or the folder of a finished run.
    rows, columns : int, "auto" or None, default="auto"
        How many clusters: "auto" is what the report shows first, and None is as many as the fit has. The order stays:
        where clusters are merged, their borders go.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    sort : bool, default=True
        Whether rows and columns are sorted by cluster. With False they are as in the table.
    pixel : {"cells", "mean", "ratio"}, optional
        What a pixel shows where it covers several cells: one of them, their mean, or of counts the multiple of what
        their margins let expect. By default what shows the blocks best, as in the report.
    spread : {"value", "rank"}, optional
        Colours of numbers by value or by rank. By default by rank where a few values are far away.
    names : bool, default=True
        Whether rows and columns that have room for it get their names. Clusters get their numbers else.
    colorbar : bool, default=True
        Whether there is a legend of the colours.

    Returns
    -------
    matplotlib.axes.Axes
        With the picture; a unit of its axes is a pixel of the report.

    Raises
    ------
    InputError
        A ValueError: matplotlib is not installed, or there are not so many branches.

    Examples
    --------
    >>> ax = plot_heatmap(model, rows=5)  # doctest: +SKIP
    >>> ax.figure.savefig("heatmap.svg")  # doctest: +SKIP
    """
    shown = Shown.find(model)
    view = shown.heatmap.reordered if sort else shown.heatmap.original
    branches = shown.cut(rows, columns)
    values, scale = picture_of(shown, view, pixel, spread)
    axes = find_axes(ax, (7.0, 5.0))
    image = axes.imshow(
        np.ma.masked_invalid(values), cmap=_colour_map(scale), norm=_norm(scale), aspect="auto", interpolation="nearest"
    )
    axes.get_figure(root=True).draw_without_rendering()  # type: ignore[union-attr]
    for axis, bands, branch in (
        (axes.yaxis, view.rows, branches.rows),
        (axes.xaxis, view.columns, branches.columns),
    ):
        noun = "row" if axis is axes.yaxis else "column"
        found = shown.names[f"{noun}s"] if names else None
        ends, labels = _joined(bands, branch) if sort else (np.array([0, bands.pixels]), [])
        apart = _points(axes, noun) / bands.pixels
        if found is not None and bands.exact and apart >= _FOR_NAME:
            axis.set_ticks(range(bands.pixels), [found[i] for i in bands.order])
            axis.set_tick_params(labelrotation=0 if noun == "row" else 90)
        else:
            _label_clusters(axis, ends, labels, apart)
        number = len({label for label in labels if label >= 0})
        told = f" in {plural(number, 'cluster')}" if sort else ""
        axis.set_label_text(f"{plural(len(bands.order), noun)}{told}")
        _draw_borders(axes, noun, ends, apart)
    axes.tick_params(axis="both", length=0)
    if colorbar:
        _add_legend(axes, image, scale)
    return axes


def _joined(bands: Bands, branch: NDArray[np.int32]) -> tuple[NDArray[np.int64], list[int]]:
    """First pixel of each branch, then the number of pixels; and the labels of the branches."""
    labels = branch[bands.shown].tolist()
    first = [place for place, label in enumerate(labels) if place == 0 or label != labels[place - 1]]
    return np.append(bands.borders[first], bands.pixels), [labels[place] for place in first]


def _points(axes: Axes, noun: str) -> float:
    """Length of a side of the picture, in points."""
    box = axes.get_window_extent()
    pixels = box.height if noun == "row" else box.width
    return float(pixels * 72.0 / axes.get_figure(root=True).dpi)  # type: ignore[union-attr]


def _label_clusters(axis: Any, ends: NDArray[np.int64], labels: Sequence[int], apart: float) -> None:
    wide = [place for place in range(len(labels)) if (ends[place + 1] - ends[place]) * apart >= _FOR_LABEL]
    middles = [(ends[place] + ends[place + 1] - 1) / 2 for place in wide]
    axis.set_ticks(middles, [str(labels[place]) if labels[place] >= 0 else "aside" for place in wide])


def _draw_borders(axes: Axes, noun: str, ends: NDArray[np.int64], apart: float) -> None:
    """A line between clusters that are both wide enough not to be hidden by it."""
    draw = axes.axhline if noun == "row" else axes.axvline
    widths = np.diff(ends) * apart
    for place in range(1, len(widths)):
        if min(widths[place - 1], widths[place]) >= _FOR_BORDER:
            draw(float(ends[place]) - 0.5, color="black", linewidth=0.8)


def _colour_map(scale: Scale) -> Any:
    colors = load_matplotlib("matplotlib.colors")
    table = category_colours(len(scale.names)) if scale.kind == "categories" else colour_table(scale.kind)
    return colors.ListedColormap(table, name=f"disnplbm {scale.kind}").with_extremes(bad=MISSING)


def _norm(scale: Scale) -> Any:
    """The scale as matplotlib has it."""
    colors = load_matplotlib("matplotlib.colors")

    class Norm(colors.Normalize):  # type: ignore[misc, name-defined]
        def __call__(self, value: Any, clip: bool | None = None) -> Any:  # noqa: ARG002
            return np.ma.array(scale.place(np.ma.getdata(value)), mask=np.ma.getmask(value))

        def inverse(self, value: Any) -> Any:
            return scale.value_at(value)

    return Norm(float(scale.values[0]), float(scale.values[-1]))


def _add_legend(axes: Axes, image: Any, scale: Scale) -> None:
    bar = axes.get_figure(root=True).colorbar(image, ax=axes, label=scale.unit, pad=0.02)  # type: ignore[union-attr]
    if scale.kind == "categories":
        few = range(len(scale.names)) if len(scale.names) <= _FEW_CATEGORIES else range(0)
        bar.set_ticks(list(few), labels=[scale.names[place] for place in few])
        return
    values = np.unique(scale.value_at(_TICKS))
    bar.set_ticks(values.tolist(), labels=_written(values))
    bar.ax.minorticks_off()


def _written(values: NDArray[np.float64]) -> list[str]:
    """Numbers with as few digits as tell them apart."""
    for digits in range(2, 8):
        texts = [f"{value:.{digits}g}" for value in values]
        if len(set(texts)) == len(texts):
            break
    return texts
