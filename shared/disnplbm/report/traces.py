"""Traces of a run's chains, thinned for the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.folder import Trace
from disnplbm.report.pixels import rounded

MAX_POINTS = 1400
"""Longer series keep the lowest and the highest value of each stretch, so that no spike is lost."""
LEAST_STRETCHES = 100

MEASURES = ("log_joint", "row_clusters", "column_clusters", "seconds")


def trace_lines(traces: Sequence[Trace]) -> dict[str, Any]:
    """The iterations that are kept of each measure, and the values of every chain at them."""
    found = {}
    for measure in MEASURES:
        series = [getattr(trace, measure) for trace in traces]
        kept = thinned(series)
        found[measure] = {
            "iteration": traces[0].iteration[kept].tolist(),
            # All digits: of a log joint of millions only the last ones change.
            "chains": [[_finite(value) for value in values[kept].tolist()] for values in series]
            if measure != "seconds"
            else [rounded(values[kept]) for values in series],
        }
    return found


def thinned(series: Sequence[NDArray[np.float64]]) -> NDArray[np.int64]:
    """Places to keep, the same of all chains: first and last, and the extremes of each chain in each stretch.

    Parameters
    ----------
    series : sequence of ndarray, shape (t,)
        At least one, of at least one point.
    """
    length = len(series[0])
    if length <= MAX_POINTS:
        return np.arange(length, dtype=np.int64)
    stretches = max(LEAST_STRETCHES, MAX_POINTS // (2 * len(series)))
    edges = np.unique(np.linspace(0, length, stretches + 1, dtype=np.int64))
    kept = {0, length - 1}
    for values in series:
        for first, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            stretch = values[first:stop]
            kept |= {first + int(np.argmin(stretch)), first + int(np.argmax(stretch))}
    return np.array(sorted(kept), dtype=np.int64)


def _finite(value: float) -> float | int | None:
    if not np.isfinite(value):
        return None
    return int(value) if value.is_integer() else value
