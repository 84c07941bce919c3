"""Pictures of parts of large matrices, of the size that the page asks for."""

from __future__ import annotations

import random
from collections.abc import Iterator

from benchmarks.dashboard.asking import Asking
from benchmarks.dashboard.browsing import picture_size
from benchmarks.dashboard.figures import latency
from benchmarks.dashboard.ground import HUGE, LARGE, VIEWPORT, Ground
from benchmarks.dashboard.observed import watched
from benchmarks.tables import Figure, figure_table

BARS = {LARGE: 0.3, HUGE: 1.0}

#: Servers that are started to be asked for a first picture.
_STARTS = 5

#: Other parts of the same size.
_PARTS = 20

#: Shares of the rows, and of the columns, that are looked at.
_CLOSER = [(0.5, 1.0), (0.1, 1.0), (0.01, 1.0), (0.1, 0.3), (0.0004, 0.2)]


def section(ground: Ground) -> str:
    """First pictures of servers just started, and all kinds of later ones."""
    for shape in BARS:
        ground.run(shape)
    with ground.serving() as server:
        height, width = picture_size(server, ground.run(HUGE))
    figures = [figure for shape in BARS for figure in _of_run(ground, shape, f"height={height}&width={width}")]
    return f"""## Pictures of large matrices

{width} x {height} pixels, which the page of a run asks for in a window of {VIEWPORT["width"]} x {VIEWPORT["height"]}.
One client; times until the answer was read. *First*: of a server just started, which has nothing of the run in memory.
Parts are elsewhere each time, so that none was made before. A part of more than two million cells is a sample of them,
and the whole is from the overview that was made when the run ended.

{figure_table(figures)}"""


def _of_run(ground: Ground, shape: tuple[int, int], size: str) -> Iterator[Figure]:
    (n, p), bar = shape, BARS[shape]
    chance = random.Random(2)
    base = f"/api/v1/runs/{ground.run(shape)}/heatmap?{size}"

    def part(of_rows: float, of_columns: float, order: str) -> str:
        rows, columns = max(round(of_rows * n), 2), max(round(of_columns * p), 2)
        row, column = chance.randrange(n - rows + 1), chance.randrange(p - columns + 1)
        where = f"row_from={row}&row_to={row + rows}&column_from={column}&column_to={column + columns}"
        return f"{base}&{where}&order={order}"

    name = f"{n:,} x {p}"
    first: dict[str, list[float]] = {"the whole": [], "a tenth of the rows": []}
    for _ in range(_STARTS):
        for what, path in (("the whole", base), ("a tenth of the rows", part(0.1, 1.0, "reordered"))):
            with ground.serving() as server, Asking(server.port) as asking:
                asking.get("/api/v1/health")
                first[what] += asking.timed([path])
    for what, times in first.items():
        yield latency(f"{name}, first: {what}", times, bar)
    with ground.serving() as server, watched(server.process.pid) as samples, Asking(server.port) as asking:
        asking.get(base)
        for order, told in (("reordered", "by cluster"), ("original", "as it was read")):
            yield latency(f"{name}, {told}: the whole", asking.timed([f"{base}&order={order}"] * _PARTS), bar)
            for of_rows, of_columns in _CLOSER:
                rows, columns = max(round(of_rows * n), 2), max(round(of_columns * p), 2)
                times = asking.timed(part(of_rows, of_columns, order) for _ in range(_PARTS))
                yield latency(f"{name}, {told}: {rows:,} x {columns}", times, bar)
    most = max(sample.resident for sample in samples)
    yield Figure(
        f"{name}, memory of the server, most", f"{most / 2**20:.0f} MiB, before {samples[0].resident / 2**20:.0f} MiB"
    )
