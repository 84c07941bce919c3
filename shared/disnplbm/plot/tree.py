"""The tree of the clusters of an axis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from scipy.cluster.hierarchy import dendrogram

from disnplbm.errors import InputError
from disnplbm.plot.axes import find_axes, load_matplotlib
from disnplbm.plot.colours import category_colours
from disnplbm.plot.shown import Drawable, Shown
from disnplbm.posterior.trees.growing import Tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Above the level, and of what is set aside.
_GREY = "#888888"

#: Leaves up to which each has its label.
_MOST_LABELS = 60


def plot_tree(
    model: Drawable,
    axis: Literal["rows", "columns"] = "rows",
    n_clusters: int | str | None = "auto",
    *,
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw how clusters merge, two by two; each branch of the level has a colour of its own.

    Parameters
    ----------
    model : NPLBM, or path
        A fitted model, or the folder of a finished run.
    axis : {"rows", "columns"}, default="rows"
    n_clusters : int, "auto" or None, default="auto"
        The level: how many branches are coloured. "auto" is what the report shows first.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    **options
        For :func:`scipy.cluster.hierarchy.dendrogram`, such as ``orientation="left"``.

    Returns
    -------
    matplotlib.axes.Axes
        A leaf is labelled with its cluster, and how many members that has.

    Raises
    ------
    InputError
        A ValueError: matplotlib is not installed, there is no tree, or there are not so many branches.
    """
    if axis not in ("rows", "columns"):
        raise InputError(f"axis is {axis!r}; give 'rows' or 'columns'")
    load_matplotlib()
    shown = Shown.find(model)
    if shown.trees is None:
        raise InputError("there is no tree of the clusters: there are too many, or an earlier version wrote the run")
    tree: Tree = getattr(shown.trees, axis)
    if len(tree.sizes) < 2:
        raise InputError(f"there is one {axis[:-1]} cluster, and so no tree of them")
    branch = getattr(shown.cut(n_clusters if axis == "rows" else None, n_clusters if axis == "columns" else None), axis)
    colours = _colour_nodes(tree, branch.tolist())
    axes = find_axes(ax, (7.0, 4.0))
    labels = [f"{cluster} ({size})" for cluster, size in enumerate(tree.sizes.tolist())]
    few = len(labels) <= _MOST_LABELS
    drawn: dict[str, Any] = {"labels": labels, "no_labels": not few, "leaf_rotation": 90.0}
    drawn["link_color_func"] = colours.__getitem__
    dendrogram(tree.linkage, ax=axes, **(drawn | options))
    upright = options.get("orientation", "top") in ("top", "bottom")
    (axes.set_ylabel if upright else axes.set_xlabel)("loss of log joint")
    (axes.set_xlabel if upright else axes.set_ylabel)(f"{axis[:-1]} clusters{' (members)' if few else ''}")
    axes.spines[["top", "right"]].set_visible(False)
    return axes


def _colour_nodes(tree: Tree, branch: list[int]) -> list[str]:
    """Colour of each node: of its branch if all below it are in one, else grey."""
    to_hex = load_matplotlib("matplotlib.colors").to_hex
    found = [to_hex(colour) for colour in category_colours(max(branch) + 1)]
    of_nodes = list(branch)
    for left, right in tree.pairs.tolist():
        of_nodes.append(of_nodes[left] if of_nodes[left] == of_nodes[right] else -1)
    return [found[label] if label >= 0 else _GREY for label in of_nodes]
