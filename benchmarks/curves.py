"""Cost curves: one axis varied at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.charts import log_log_chart
from benchmarks.iteration import Iteration
from benchmarks.problems import sweep_problem, synthetic
from benchmarks.scale import Scale
from benchmarks.tables import seconds, table
from benchmarks.timing import interleaved

SWEEP, REST, MOVING = "sweep kernel", "iteration at rest", "iteration with passes"


@dataclass(frozen=True)
class Axis:
    """What is varied, and what the rest is."""

    name: str
    title: str
    sizes: Sequence[int]
    fixed: Mapping[str, int] = field(default_factory=dict)

    def settings(self, size: int, scale: Scale) -> dict[str, int]:
        """Arguments of one point."""
        chosen = {"n": 20_000, "p": 60, "k": 10, "groups": 3, "d": 1, "shards": 1} | dict(self.fixed)
        chosen[self.name] = size
        return chosen | {"n": scale.rows(chosen["n"])}


AXES = (
    Axis("n", "rows", (10_000, 20_000, 40_000, 80_000, 160_000)),
    Axis("p", "columns", (30, 60, 120, 240, 480)),
    Axis("k", "row clusters K", (5, 10, 20, 40, 80), {"p": 30}),
    Axis("groups", "column clusters L", (2, 4, 8, 16, 32), {"p": 96}),
    Axis("d", "components of a cell d", (1, 2, 4, 8, 12, 16), {"n": 10_000, "p": 15}),
    Axis("shards", "shards", (1, 2, 4, 8, 16, 32, 64), {"n": 100_000, "p": 30}),
)


def section(scale: Scale, pictures: Path) -> str:
    """Measure all curves, write their pictures, and return the text about them."""
    pictures.mkdir(parents=True, exist_ok=True)
    slopes, shown = [], []
    for axis in AXES:
        sizes = axis.sizes[:3] if scale.quick else axis.sizes
        points = [_point(axis.settings(size, scale), scale) for size in sizes]
        curves = {name: [point[name] for point in points] for name in points[0]}
        size_axis = [axis.settings(size, scale)[axis.name] for size in sizes]
        (pictures / f"{axis.name}.svg").write_text(
            log_log_chart(f"Cost against {axis.title}", axis.title, size_axis, curves), encoding="utf-8"
        )
        fixed = ", ".join(
            f"{_NAMES[name]} = {value:,}" for name, value in axis.settings(sizes[0], scale).items() if name != axis.name
        )
        slopes.append((axis.title, fixed, f"{size_axis[0]:,} to {size_axis[-1]:,}", *_cells(size_axis, curves)))
        shown.append(f"![cost against {axis.title}](benchmarks/{axis.name}.svg)")
    header = ("against", "with", "from, to", *(f"{name}: seconds, slope" for name in (SWEEP, REST, MOVING)))
    return "\n".join([table(header, slopes), "", *shown])


_NAMES = {"n": "n", "p": "p", "k": "K", "groups": "L", "d": "d", "shards": "shards"}


def _point(settings: dict[str, int], scale: Scale) -> dict[str, float]:
    """Seconds of the sweep kernel and of iterations, on one thread."""
    arguments: dict[str, Any] = dict(settings)
    shards = arguments.pop("shards")
    data = synthetic(**arguments)
    tasks: dict[str, Callable[[], object]] = {
        SWEEP: sweep_problem(data),
        REST: Iteration(data, shards, fresh=False),
        MOVING: Iteration(data, shards, fresh=True),
    }
    times = interleaved(tasks, max(3, scale.rounds // 3))
    return {name: times.median(name) for name in tasks}


def _cells(sizes: Sequence[int], curves: Mapping[str, Sequence[float]]) -> list[str]:
    """First and last seconds, and the slope of a straight line through the logarithms."""
    return [
        f"{seconds(values[0])} to {seconds(values[-1])}, {np.polyfit(np.log(sizes), np.log(values), 1)[0]:.2f}"
        for values in curves.values()
    ]
