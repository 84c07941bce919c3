"""Curves of a cost against a size, both on logarithmic axes, as a self-contained SVG for light and dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from benchmarks.tables import seconds

WIDTH, HEIGHT = 560, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 46, 44

STYLE = """
svg { font: 12px system-ui, sans-serif; fill: #333; background: #fff }
.grid { stroke: #e4e4e4 } .curve { fill: none; stroke-width: 2 } .title { font-size: 14px; font-weight: 600 }
.c0 { stroke: #1f6feb } .c1 { stroke: #b35900 } .c2 { stroke: #2e7d32 }
.f0 { fill: #1f6feb } .f1 { fill: #b35900 } .f2 { fill: #2e7d32 }
@media (prefers-color-scheme: dark) {
  svg { fill: #ddd; background: #0d1117 } .grid { stroke: #30363d }
  .c0 { stroke: #79b8ff } .c1 { stroke: #ffab70 } .c2 { stroke: #85e89d }
  .f0 { fill: #79b8ff } .f1 { fill: #ffab70 } .f2 { fill: #85e89d }
}
"""


def log_log_chart(title: str, axis: str, sizes: Sequence[int], curves: Mapping[str, Sequence[float]]) -> str:
    """Draw up to three curves.

    Parameters
    ----------
    title : str
    axis : str
        What the sizes are.
    sizes : sequence of int
    curves : mapping of str to sequence of float
        Seconds at each size.
    """
    highest = max(max(values) for values in curves.values())
    lowest = min(min(values) for values in curves.values())
    bottom, top = math.floor(math.log10(lowest)), math.ceil(math.log10(highest))

    def x(size: float) -> float:
        span = math.log(sizes[-1] / sizes[0])
        return LEFT + math.log(size / sizes[0]) / span * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - bottom) / max(top - bottom, 1) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'aria-label="{escape(title)}"><style>{STYLE}</style>',
        f'<text class="title" x="{LEFT}" y="18">{escape(title)}</text>',
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(axis)}</text>',
    ]
    for power in range(bottom, top + 1):
        at = y(10.0**power)
        parts.append(f'<path class="grid" d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{seconds(10.0**power)}</text>')
    for size in sizes:
        parts.append(f'<path class="grid" d="M{x(size):.1f} {TOP}V{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{size:,}</text>')
    for number, (name, values) in enumerate(curves.items()):
        points = [(x(size), y(value)) for size, value in zip(sizes, values, strict=True)]
        path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        parts.append(f'<path class="curve c{number}" d="M{path}"/>')
        parts += [f'<circle class="f{number}" cx="{a:.1f}" cy="{b:.1f}" r="3.5"/>' for a, b in points]
        at = LEFT + number * 165
        parts.append(f'<circle class="f{number}" cx="{at + 5}" cy="33" r="4"/>')
        parts.append(f'<text x="{at + 14}" y="37">{escape(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
