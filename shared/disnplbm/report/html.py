"""The report page: one HTML file that needs nothing but itself."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from disnplbm.files import whole_file
from disnplbm.posterior.result import ESTIMATES
from disnplbm.report import numbers
from disnplbm.report.certainty import certainty
from disnplbm.report.charts import LineChart, line_chart
from disnplbm.report.figure import figure_data, figure_scales, has_missing
from disnplbm.report.folder import RunFolder, Trace, read_run_folder
from disnplbm.report.tables import block_tables, cluster_sizes, shade_styles
from disnplbm.report.wording import badge, no_draws

SCORES = {
    "ari": "Row ARI",
    "nmi": "Row NMI",
    "column_ari": "Column ARI",
    "column_nmi": "Column NMI",
    "block_ari": "Block ARI",
}
LATE_FROM = 20
"""With at least this many iterations the traces can be narrowed to their second half."""


def render_report(folder: Path) -> Path:
    """Write `report.html` into a run folder, from nothing but the folder's own files.

    Parameters
    ----------
    folder : Path
        Output folder of a finished run.

    Returns
    -------
    Path
        The page: self-contained, it makes no request.

    Raises
    ------
    InputError
        A file of the run is missing or does not fit the others.
    RunError
        The page cannot be written.
    """
    page = render_html(read_run_folder(folder))
    path = folder / "report.html"
    with whole_file(path) as file:
        file.write(page)
    return path


def render_html(folder: RunFolder) -> str:
    """The page as text."""
    environment = Environment(
        loader=PackageLoader("disnplbm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        count=numbers.count, significant=numbers.significant, duration=numbers.duration, text=_parameter
    )
    scales = figure_scales(folder.heatmap)
    blocks = block_tables(folder.blocks, folder.rows, folder.columns, scales["mean"])
    sure = certainty(folder)
    script = environment.get_template("report.js").render()
    return environment.get_template("report.html.j2").render(
        run=folder.run,
        facts=_facts(folder.run),
        certainty=sure,
        doubt=badge(folder.run["verdict"]),
        no_draws=no_draws(int(folder.run["chains"])),
        figure=figure_data(folder, scales),
        scales=scales,
        missing=has_missing(folder.heatmap),
        traces=_traces(folder.traces, folder.run),
        chains=len(folder.traces),
        sizes={"row": cluster_sizes(folder.rows), "column": cluster_sizes(folder.columns)},
        blocks=blocks,
        shades=Markup(shade_styles({table.kind for table in blocks.tables} | ({"sequential"} if sure else set()))),  # noqa: S704
        script=Markup(script),  # noqa: S704
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii"),
    )


def _facts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Headline numbers: scores against known classes first, where there are any."""
    scores = run.get("scores") or {}
    facts = [
        (title, numbers.fixed(float(scores[key]), 3)) for key, title in SCORES.items() if scores.get(key) is not None
    ]
    facts += [
        ("Log joint", numbers.fixed(float(run["log_joint"]), 1)),
        ("Iterations", numbers.count(int(run["iterations"]))),
        ("Shards", numbers.count(int(run["shards"]))),
        ("Time", numbers.duration(float(run["seconds_total"]))),
    ]
    return facts


def _traces(traces: Sequence[Trace], run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Charts of every traced quantity over all iterations and, if there are enough, over the second half.

    Captions are of what the report shows: the estimate's, not that of any chain's last state.
    """
    burn_in, shown = run["parameters"].get("burn_in"), ESTIMATES[run["estimate"]]
    marked = burn_in if isinstance(burn_in, int) else 0
    iteration = traces[0].iteration
    half = len(iteration) // 2
    seconds = float(np.mean([trace.seconds.mean() for trace in traces]))
    charts = []
    for key, title, caption, options in (
        ("log_joint", "Log joint", f"{shown} {numbers.fixed(float(run['log_joint']), 1)}", {}),
        ("row_clusters", "Row clusters K", f"{shown} {numbers.count(int(run['row_clusters']))}", {"whole": True}),
        (
            "column_clusters",
            "Column clusters L",
            f"{shown} {numbers.count(int(run['column_clusters']))}",
            {"whole": True},
        ),
        ("seconds", "Seconds per iteration", f"mean {numbers.duration(seconds)}", {"from_zero": True}),
    ):
        series = [getattr(trace, key) for trace in traces]
        spans: dict[str, LineChart] = {"all": line_chart(iteration, series, burn_in=marked, **options)}
        if len(iteration) >= LATE_FROM:
            late = [values[half:] for values in series]
            spans["late"] = line_chart(iteration[half:], late, burn_in=marked, **options)
        charts.append({"key": key, "title": title, "caption": caption, "spans": spans})
    return charts


def _parameter(value: object) -> str:
    """A parameter as text: nested values flattened, booleans as on and off."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if value is None:
        return "–"
    if isinstance(value, float):
        return numbers.fixed(value, 0) if value.is_integer() and abs(value) < 1e15 else numbers.significant(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_parameter(item)}" for key, item in value.items())
    if isinstance(value, list):
        shown = ", ".join(_parameter(item) for item in value[:8])
        return shown + (f" and {len(value) - 8} more" if len(value) > 8 else "")
    return str(value)
