"""What was said against what came out, as a self-contained SVG for light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.charts import STYLE

SIZE, LEFT, TOP, BOTTOM = 300, 56, 40, 44


def reliability_chart(curve: Sequence[tuple[float, float, int]]) -> str:
    """Draw the curve of (said, came out, cases) beside the diagonal; a point's area grows with its cases."""

    def at(said: float, was: float) -> tuple[float, float]:
        return LEFT + said * SIZE, TOP + (1 - was) * SIZE

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + SIZE + 20} {TOP + SIZE + BOTTOM}" role="img" '
        f'aria-label="Reliability of confidence"><style>{STYLE}</style>',
        f'<text class="title" x="{LEFT}" y="18">Confidence of rows, and how often it was right</text>',
        f'<text x="{LEFT + SIZE / 2}" y="{TOP + SIZE + 36}" text-anchor="middle">confidence</text>',
        f'<path class="grid" d="M{LEFT} {TOP + SIZE}L{LEFT + SIZE} {TOP}"/>',
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = at(tick, tick)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{LEFT + SIZE}M{x:.1f} {TOP}V{TOP + SIZE}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + SIZE + 18}" text-anchor="middle">{tick:g}</text>')
    points, most = [at(said, was) for said, was, _ in curve], max(count for *_, count in curve)
    parts.append('<path class="curve c0" d="M' + "L".join(f"{x:.1f} {y:.1f}" for x, y in points) + '"/>')
    for (x, y), (said, was, count) in zip(points, curve, strict=True):
        parts.append(
            f'<circle class="f0" cx="{x:.1f}" cy="{y:.1f}" r="{2 + 5 * (count / most) ** 0.5:.1f}">'
            f"<title>said {said:.3f}, was {was:.3f}, {count:,} rows</title></circle>"
        )
    return "".join(parts) + "</svg>\n"
