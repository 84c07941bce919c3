"""Line charts of a run's trace as inline SVG: drawn here, coloured by the page's style sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.numbers import MINUS

WIDTH, HEIGHT = 560, 210
LEFT, RIGHT, TOP, BOTTOM = 66, 12, 16, 30
MAX_POINTS = 700
"""Longer series keep the lowest and the highest value of each stretch, so that no spike is lost."""


@dataclass(frozen=True)
class Tick:
    """A labelled place on an axis, in pixels of the drawing."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """One series: its path, its last point, and all points as (x, y, iteration, value)."""

    path: str
    end: tuple[float, float]
    points: list[list[float]]


@dataclass(frozen=True)
class LineChart:
    """Everything the template needs to draw one chart."""

    lines: list[Line]
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    burn_in: float | None
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def nice_ticks(low: float, high: float, about: int, *, whole: bool = False) -> list[float]:
    """Round values in [low, high], about `about` of them; whole numbers only if `whole`."""
    raw = (high - low) / max(1, about)
    if not raw > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * 0.999)
    if whole:
        step = max(1.0, float(math.ceil(step)))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def tick_labels(values: list[float]) -> list[str]:
    """Short labels that tell the ticks apart: `−1.25 M`, `20 k`, `0.05`."""
    largest = max((abs(value) for value in values), default=0.0)
    divisor, unit = next(((d, u) for d, u in ((1e9, " G"), (1e6, " M"), (1e4, " k")) if largest >= d), (1.0, ""))
    divisor = 1e3 if unit == " k" else divisor
    if 0 < largest < 1e-4 or largest >= 1e13:
        return [f"{value:.3g}".replace("-", MINUS) for value in values]
    step = min((abs(b - a) for a, b in pairwise(values)), default=largest) / divisor
    decimals = next((d for d in range(7) if abs(round(step, d) - step) < 1e-6 * step), 6) if step else 0
    return [f"{value / divisor:,.{decimals}f}{unit}".replace("-", MINUS) for value in values]


def line_chart(
    iterations: NDArray[np.int64],
    series: Sequence[NDArray[np.float64]],
    *,
    whole: bool = False,
    from_zero: bool = False,
    burn_in: int = 0,
) -> LineChart:
    """Chart of one quantity against the iteration, with a line for each chain.

    Parameters
    ----------
    iterations : ndarray, shape (t,)
    series : sequence of ndarray, shape (t,)
        At least one, of at least one point.
    whole : bool
        The quantity is a count: drawn in steps, with ticks at whole numbers.
    from_zero : bool
        The axis starts at zero.
    burn_in : int
        Iterations before this one are marked as left out of the summary; 0 marks nothing.
    """
    low, high = min(float(values.min()) for values in series), max(float(values.max()) for values in series)
    if from_zero:
        low = 0.0
    if not low < high:
        margin = 1.0 if whole else abs(low) * 0.05 or 1.0
        low, high = low - margin, high + margin
    elif whole:
        low, high = low - 0.5, high + 0.5
    else:
        low, high = (low if from_zero else low - 0.04 * (high - low)), high + 0.06 * (high - low)
    first, last = int(iterations[0]), max(int(iterations[-1]), int(iterations[0]) + 1)

    def to_x(value: float) -> float:
        return LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def to_y(value: float) -> float:
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def line(values: NDArray[np.float64]) -> Line:
        x, y = _thin(iterations, values)
        at = [(to_x(float(a)), to_y(float(b))) for a, b in zip(x, y, strict=True)]
        path = f"M{at[0][0]:.1f} {at[0][1]:.1f}"
        for px, py in at[1:]:
            path += f"H{px:.1f}V{py:.1f}" if whole else f"L{px:.1f} {py:.1f}"
        points = [[round(px, 1), round(py, 1), int(a), float(b)] for (px, py), a, b in zip(at, x, y, strict=True)]
        return Line(path, at[-1], points)

    x_values = [tick for tick in nice_ticks(first, last, 5, whole=True) if tick <= int(iterations[-1])]
    y_values = nice_ticks(low, high, 4, whole=whole)
    return LineChart(
        lines=[line(values) for values in series],
        x_ticks=[Tick(to_x(v), t) for v, t in zip(x_values, tick_labels(x_values), strict=True)],
        y_ticks=[Tick(to_y(v), t) for v, t in zip(y_values, tick_labels(y_values), strict=True)],
        burn_in=to_x(min(burn_in, last)) if first < burn_in <= last else None,
    )


def _thin(x: NDArray[np.int64], y: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """At most MAX_POINTS points: first and last, and the extremes of each stretch in between."""
    if len(x) <= MAX_POINTS:
        return x, y
    edges = np.linspace(0, len(x), MAX_POINTS // 2, dtype=np.int64)
    keep = {0, len(x) - 1}
    for a, b in pairwise(edges.tolist()):
        keep |= {a + int(np.argmin(y[a:b])), a + int(np.argmax(y[a:b]))}
    chosen = np.array(sorted(keep))
    return x[chosen], y[chosen]
