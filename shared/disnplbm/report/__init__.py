"""Static report of a run: down-sampled heatmaps of the matrix and one self-contained HTML page."""

from __future__ import annotations

from disnplbm.report.heatmap import Heatmap, HeatmapBuilder
from disnplbm.report.html import render_report

__all__ = ["Heatmap", "HeatmapBuilder", "render_report"]
