"""A fitted model in a notebook: what it found, below its parameters, and its pictures."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from disnplbm.estimator.levels import LevelsMixin
from disnplbm.estimator.parameters import in_parameters, parameter
from disnplbm.extras import load
from disnplbm.notes import plural, say
from disnplbm.posterior.verdict import Verdict
from disnplbm.report.wording import badge, no_draws, sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE = "display:flex;gap:1em;align-items:flex-start;margin-top:.5em;font-family:sans-serif;font-size:13px"
_IMAGE = "image-rendering:pixelated;width:240px;height:160px;border:1px solid #888"


class NotebookMixin(LevelsMixin):
    """Shows a fitted model."""

    n_row_clusters_: int
    n_column_clusters_: int
    diagnosis_: Any

    def plot_heatmap(self, rows: int | str | None = "auto", columns: int | str | None = "auto", **options: Any) -> Axes:
        """Draw the table with its clusters together: :func:`disnplbm.plot.plot_heatmap`, which says what else it takes.

        Parameters
        ----------
        rows, columns : int, "auto" or None, default="auto"
            How many clusters: "auto" is what the report shows first, and None is as many as the fit has.
        **options
            ``ax``, ``sort``, ``pixel``, ``spread``, ``names``, ``colorbar``.

        Returns
        -------
        matplotlib.axes.Axes
            Needs the extra ``plot``.
        """
        axes: Axes = self._draw("plot_heatmap", rows, columns, **options)
        return axes

    def plot_trace(self, measure: str = "log_joint", *, ax: Axes | None = None) -> Axes:
        """Draw a measure of every iteration, a line for each chain: :func:`disnplbm.plot.plot_trace`.

        Parameters
        ----------
        measure : {"log_joint", "row_clusters", "column_clusters", "seconds"}, default="log_joint"
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
            Needs the extra ``plot``.
        """
        axes: Axes = self._draw("plot_trace", measure, ax=ax)
        return axes

    def plot_levels(self, axis: str = "rows", figure: str | None = None, *, ax: Axes | None = None) -> Axes:
        """Draw what there is to choose a level by: :func:`disnplbm.plot.plot_levels`.

        Parameters
        ----------
        axis : {"rows", "columns"}, default="rows"
        figure : {"agreement", "ratio", "confidence", "lost"}, optional
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
            Needs the extra ``plot``.
        """
        axes: Axes = self._draw("plot_levels", axis, figure, ax=ax)
        return axes

    def plot_tree(self, axis: str = "rows", n_clusters: int | str | None = "auto", **options: Any) -> Axes:
        """Draw how clusters merge: :func:`disnplbm.plot.plot_tree`.

        Parameters
        ----------
        axis : {"rows", "columns"}, default="rows"
        n_clusters : int, "auto" or None, default="auto"
            How many branches are coloured.
        **options
            ``ax``, and what :func:`scipy.cluster.hierarchy.dendrogram` takes.

        Returns
        -------
        matplotlib.axes.Axes
            Needs the extra ``plot``.
        """
        axes: Axes = self._draw("plot_tree", axis, n_clusters, **options)
        return axes

    def _draw(self, name: str, *given: Any, **options: Any) -> Any:
        with in_parameters():
            return getattr(load("disnplbm.plot", "a picture", "'disnplbm[plot]'"), name)(self, *given, **options)

    @property
    def _repr_html_(self) -> Callable[[], str]:
        """What scikit-learn shows of an estimator, and of a fitted one what it found."""
        shown: Callable[[], str] = super()._repr_html_  # type: ignore[misc]
        return lambda: shown() + self._found_html()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        """The same, as notebooks ask for it."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += self._found_html()
        return bundle

    def _found_html(self) -> str:
        """What was found, as HTML of some kilobytes: a picture, and a few lines; nothing where nothing is fitted."""
        if not hasattr(self, "_fitted"):
            return ""
        from disnplbm.plot.shown import Shown
        from disnplbm.plot.thumbnail import thumbnail

        found = self._fitted.findings
        rows, columns = len(self.row_labels_), len(self.column_labels_)
        clusters = (
            f"{plural(self.n_row_clusters_, 'row cluster')} × {plural(self.n_column_clusters_, 'column cluster')}"
        )
        # A picture is of one part.
        picture = ""
        if len(self._fitted.table.parts) == 1:
            image = base64.b64encode(thumbnail(Shown.find(self))).decode("ascii")
            alternative = html.escape(f"Heatmap of the table: {clusters}", quote=True)
            picture = f'<img alt="{alternative}" style="{_IMAGE}" src="data:image/png;base64,{image}">'
        lines = [f"{plural(rows, 'row')} × {plural(columns, 'column')} in {clusters}", self._settled()]
        if found.level is not None:
            of_rows, of_columns = found.level
            first = f"{of_rows.suggestion.clusters:,} × {of_columns.suggestion.clusters:,}"
            lines.append(f"Shown first in the report: {first} clusters")
        lines.append(f"Log joint {found.result.log_joint:,.1f}; digest {found.result.digest()[:12]}")
        heading, *rest = (html.escape(line) for line in lines)
        return (
            f'<div class="disnplbm-found" style="{_STYLE}">{picture}'
            f"<div><strong>{heading}</strong>{''.join(f'<div>{line}</div>' for line in rest)}</div></div>"
        )

    def _settled(self) -> str:
        """Whether the chains agree, in a sentence."""
        result = self._fitted.findings.result
        if self.diagnosis_ is None:
            return say(no_draws(len(result.traces)), parameter)
        verdict: Verdict = self.diagnosis_.verdict
        told = badge(verdict.to_dict())
        return sentence(self.diagnosis_, len(result.trace)) if told is None else f"{told[0].upper()}{told[1:]}"
