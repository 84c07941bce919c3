"""What is made of the measurements: quantiles of times, growth of memory, counters."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.tables import Figure, seconds


def quantile(values: Iterable[float], share: float) -> float:
    """The least of the values that at least this share of them does not exceed: one that was measured.

    Parameters
    ----------
    values : iterable of float
        At least one.
    share : float
        In (0, 1].
    """
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


def latency(what: str, times: Sequence[float], bar: float | None) -> Figure:
    """Half and 95 of a hundred of the times; the latter is held to the bar, in seconds."""
    p50, p95 = quantile(times, 0.5), quantile(times, 0.95)
    measured = f"p50 {seconds(p50)}, p95 {seconds(p95)}, of {len(times)}"
    if bar is None:
        return Figure(what, measured)
    return Figure(what, measured, f"p95 under {seconds(bar)}", p95 < bar)


def median(what: str, times: Sequence[float], bar: float) -> Figure:
    """Half of the times, held to the bar, in seconds; and the longest."""
    p50 = quantile(times, 0.5)
    return Figure(
        what, f"{seconds(p50)}, longest {seconds(max(times))}, of {len(times)}", f"under {seconds(bar)}", p50 < bar
    )


@dataclass(frozen=True, slots=True)
class Sample:
    """Memory at a moment.

    Parameters
    ----------
    at : float
        Seconds since the epoch.
    resident : int
        Bytes.
    """

    at: float
    resident: int


def growth(samples: Sequence[Sample], first: float, last: float) -> tuple[int, int]:
    """Memory before, and how much more of it there was at most.

    Parameters
    ----------
    samples : sequence of Sample
        In order of time, one of them not after ``first``.
    first, last : float
        Seconds since the epoch; what was sampled after ``last`` does not count.

    Returns
    -------
    before, more : int
        Bytes; before is the last sample up to ``first``.
    """
    before = [sample.resident for sample in samples if sample.at <= first][-1]
    within = [sample.resident for sample in samples if first < sample.at <= last]
    return before, max([before, *within]) - before


def counted(metrics: str, name: str, **labels: str) -> int:
    """A counter of a page of Prometheus metrics, summed over the labels that are not given; 0 if it is not there."""
    total = 0.0
    for line in metrics.splitlines():
        found = re.fullmatch(re.escape(name) + r"\{(.*)\} (\S+)", line)
        if found and labels.items() <= dict(re.findall(r'(\w+)="([^"]*)"', found[1])).items():
            total += float(found[2])
    return round(total)
