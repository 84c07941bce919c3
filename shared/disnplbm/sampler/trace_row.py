"""What a trace has of each iteration."""

from __future__ import annotations

from typing import NamedTuple


class TraceRow(NamedTuple):
    """A chain after an iteration, in the user's orientation and units.

    Parameters
    ----------
    log_joint : float
    row_clusters, column_clusters : int
    seconds : float
        What the iteration took.
    alpha, beta : float
        Concentrations of rows and of columns.
    """

    log_joint: float
    row_clusters: int
    column_clusters: int
    seconds: float
    alpha: float
    beta: float
