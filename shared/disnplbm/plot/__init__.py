"""Pictures of a fitted model, or of a run folder, with matplotlib: they look as the report does."""

from disnplbm.plot.heatmap import plot_heatmap
from disnplbm.plot.levels import plot_levels
from disnplbm.plot.trace import plot_trace
from disnplbm.plot.tree import plot_tree

__all__ = ["plot_heatmap", "plot_levels", "plot_trace", "plot_tree"]
