"""Histograms of ranks with the band of uniform ones, as a self-contained SVG for light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom

#: Share of the counts of uniform ranks, bin by bin, that the band holds.
BAND = 0.99

WIDTH, HEIGHT = 150, 84
GAP, TITLE, FOOT = 14, 24, 18

_STYLE = """
svg { font: 11px system-ui, sans-serif; fill: #333; background: #fff }
.title { font-size: 13px; font-weight: 600 }
.bar { fill: #1f6feb } .wrong .bar { fill: #b35900 } .outside { stroke: #333; stroke-width: 1.2 }
.band { fill: #d8d8d8 } .even { stroke: #888 } .axis { stroke: #888 }
@media (prefers-color-scheme: dark) {
  svg { fill: #ddd; background: #0d1117 }
  .bar { fill: #79b8ff } .wrong .bar { fill: #ffab70 } .outside { stroke: #ddd }
  .band { fill: #3d444d } .even { stroke: #8b949e } .axis { stroke: #8b949e }
}
"""


@dataclass(frozen=True, eq=False)
class Row:
    """One row of histograms.

    Parameters
    ----------
    name : str
    counts : ndarray of int, shape (statistics, bins)
    wrong : bool
        Whether the ranks are not meant to be uniform; drawn in another colour.
    """

    name: str
    counts: NDArray[np.int64]
    wrong: bool


def picture(statistics: Sequence[str], rows: Sequence[Row], draws: int) -> str:
    """Draw one histogram for every row and statistic.

    A bar that ends outside the band has an outline.

    Parameters
    ----------
    statistics : sequence of str
    rows : sequence of Row
    draws : int
        The ranks go from 0 to this.
    """
    width = GAP + len(statistics) * (WIDTH + GAP)
    height = TITLE + len(rows) * (TITLE + HEIGHT + FOOT)
    title = f"Histograms of ranks 0 to {draws}, with the band that holds {BAND:.0%} of the counts of uniform ranks"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="{escape(title)}"><style>{_STYLE}</style>'
    ]
    for column, statistic in enumerate(statistics):
        x = GAP + column * (WIDTH + GAP)
        parts.append(f'<text x="{x + WIDTH / 2}" y="16" text-anchor="middle">{escape(statistic)}</text>')
    for number, row in enumerate(rows):
        top = TITLE + number * (TITLE + HEIGHT + FOOT)
        parts.append(f"<g{' class=' + chr(34) + 'wrong' + chr(34) if row.wrong else ''}>")
        parts.append(f'<text class="title" x="{GAP}" y="{top + 16}">{escape(row.name)}</text>')
        for column, counts in enumerate(row.counts):
            parts += _histogram(counts, GAP + column * (WIDTH + GAP), top + TITLE, draws)
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _histogram(counts: NDArray[np.int64], left: float, top: float, draws: int) -> Iterator[str]:
    """One histogram; its height is twice the even count, or more if the band or a bar needs it."""
    total, bins = int(counts.sum()), len(counts)
    low, high = (int(bound) for bound in binom.interval(BAND, total, 1 / bins))
    scale = HEIGHT / max(2 * total / bins, high, float(counts.max()))
    bottom, step = top + HEIGHT, WIDTH / bins

    def y(count: float) -> str:
        return f"{bottom - scale * count:.1f}"

    yield f'<rect class="band" x="{left}" y="{y(high)}" width="{WIDTH}" height="{scale * (high - low):.1f}"/>'
    for place, count in enumerate(counts):
        outside = "" if low <= count <= high else " outside"
        yield (
            f'<rect class="bar{outside}" x="{left + place * step + 0.5:.1f}" y="{y(count)}" '
            f'width="{step - 1:.1f}" height="{scale * count:.1f}" fill-opacity="0.75"/>'
        )
    yield f'<path class="even" d="M{left} {y(total / bins)}h{WIDTH}" stroke-dasharray="3 3"/>'
    yield f'<path class="axis" d="M{left} {bottom}h{WIDTH}"/>'
    yield f'<text x="{left}" y="{bottom + 13}">0</text>'
    yield f'<text x="{left + WIDTH}" y="{bottom + 13}" text-anchor="end">{draws}</text>'
