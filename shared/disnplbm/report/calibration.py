"""The page of a calibration: fit against number of blocks, with the elbow ringed, as one HTML file without script."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined

from disnplbm.model.statistics import Floats
from disnplbm.posterior.elbow import STANDARD_ERRORS, Elbow
from disnplbm.report import numbers
from disnplbm.report.charts import Tick, nice_ticks, tick_labels

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 70, 30, 24, 52


@dataclass(frozen=True)
class Mark:
    """One power, in pixels of the drawing; ``low`` and ``high`` are the ends of its error bar."""

    x: float
    y: float
    low: float
    high: float
    label: str
    chosen: bool


@dataclass(frozen=True)
class Curve:
    """Everything the template needs to draw the curve."""

    path: str
    marks: list[Mark]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def fit_curve(powers: Floats, fit: Floats, fit_error: Floats, blocks: Floats, chosen: int) -> Curve:
    """Curve of fit against number of blocks, joined in the order of the powers.

    Parameters
    ----------
    powers, fit, fit_error : ndarray of shape (m,)
    blocks : ndarray of shape (m,)
        Positive; on a logarithmic axis.
    chosen : int
        The one to ring.
    """
    margin = STANDARD_ERRORS * fit_error
    low, high = float((fit - margin).min()), float((fit + margin).max())
    room = 0.06 * (high - low) or abs(low) * 0.05 or 1.0
    low, high = low - room, high + room
    # A factor of 1.15 beyond the outermost, so that a curve of one number of blocks has a place too.
    first, last = math.log(float(blocks.min()) / 1.15), math.log(float(blocks.max()) * 1.15)

    def to_x(value: float) -> float:
        return LEFT + (math.log(value) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def to_y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    marks = [
        Mark(to_x(b), to_y(f), to_y(f - e), to_y(f + e), f"{power:g}", index == chosen)
        for index, (power, b, f, e) in enumerate(
            zip(powers.tolist(), blocks.tolist(), fit.tolist(), margin.tolist(), strict=True)
        )
    ]
    x_values = _log_ticks(math.exp(first), math.exp(last))
    y_values = nice_ticks(low, high, 5)
    return Curve(
        path="M" + "L".join(f"{mark.x:.1f} {mark.y:.1f}" for mark in marks),
        marks=marks,
        x_ticks=[Tick(to_x(value), f"{value:,g}") for value in x_values],
        y_ticks=[Tick(to_y(v), text) for v, text in zip(y_values, tick_labels(y_values), strict=True)],
    )


def render_calibration(
    name: str,
    powers: Floats,
    fit: Floats,
    fit_error: Floats,
    row_clusters: Floats,
    column_clusters: Floats,
    elbow: Elbow,
) -> str:
    """The page as text.

    Parameters
    ----------
    name : str
        Of the data.
    powers, fit, fit_error, row_clusters, column_clusters : ndarray of shape (m,)
        As for :func:`disnplbm.posterior.elbow.choose_power`.
    elbow : Elbow
    """
    environment = Environment(
        loader=PackageLoader("disnplbm.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rows = [
        (f"{p:g}", numbers.fixed(f, 4), numbers.significant(e, 2), *(numbers.fixed(n, 1) for n in (k, c, k * c)))
        for p, f, e, k, c in zip(
            *(a.tolist() for a in (powers, fit, fit_error, row_clusters, column_clusters)), strict=True
        )
    ]
    return environment.get_template("calibration.html.j2").render(
        name=name,
        curve=fit_curve(powers, fit, fit_error, row_clusters * column_clusters, elbow.index),
        elbow=elbow,
        rows=rows,
    )


def _log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten in [low, high]; from three decades on, the powers of ten alone."""
    factors = (1, 2, 5) if high < 1000 * low else (1,)
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [tick for decade in decades for factor in factors if low <= (tick := factor * 10.0**decade) <= high]
