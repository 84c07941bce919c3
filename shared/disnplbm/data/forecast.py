"""How long a fit takes on one idle core: its work, counted, times what a unit of it takes.

The units were measured on one machine (benchmarks/forecast.py measures them again, and prints how far the forecasts
are from the truth).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from disnplbm.bounds import MOST_NUMBERS_FULL
from disnplbm.notes import Hint, Note

ITERATIONS = 100
"""Length of the chain that the forecast is for."""

DRAWS = 100
"""Draws of the forecast with draws, which has a burn-in of 100 before the 100 iterations."""

START_SECONDS = 1.5
"""Until the program runs with its kernels loaded, and the report's page without its blocks."""

DRAWS_START_SECONDS = 1.0
"""Until what is said of draws begins: more kernels to load."""

CELL_SECONDS = 130e-9
"""Of each number of the table: read, cut, checked and drawn."""

BLOCK_SECONDS = 100e-6
"""Of each block in the report."""

ITERATION_SECONDS = 2.2e-3
"""Of an iteration, however small the table."""

ITEM_SECONDS = 160e-9
"""Of each row (or column, if they are more) in an iteration."""

EVALUATION_SECONDS, OTHER_EVALUATION_SECONDS = 3.4e-9, 5.2e-9
"""Of one log predictive at d = 1: of an item of the longer side, and of the other one."""

STORED_SECONDS = 0.6e-6
"""Of each cell of a table that is kept without its zeros: read, cut, checked and drawn."""

TYPED_BLOCK_SECONDS = 8e-6
"""Of each of its blocks, which are not checked, in the report."""

GATHER_SECONDS, PRODUCT_SECONDS = 5e-9, 0.13e-9
"""Of each such cell in an iteration, and of each cluster of either axis that it is multiplied with."""

DRAW_SECONDS = 2e-3
"""Of each draw: written, read, compared."""

SEARCH_SECONDS = 0.25e-6
"""Of each label that the search for the consensus looks at."""

SEARCH_CLUSTERS = 50
"""With so many more clusters it takes as long again: a label is compared with more of them."""

SEARCH_LABELS, SEARCH_STARTS = 10_000_000, 32
"""The search looks at no more labels, and starts from no more draws."""


@dataclass(frozen=True)
class Clusters:
    """What a run is expected to find.

    Attributes
    ----------
    rows, columns : float
        Clusters of each.
    rows_moved, columns_moved : float
        Share of them that changes cluster between two draws.
    uncertainty : float
        By what factor times may be off.
    """

    rows: float
    columns: float
    rows_moved: float
    columns_moved: float
    uncertainty: float


@dataclass(frozen=True)
class Forecast:
    """Seconds on one core.

    Attributes
    ----------
    start : float
        Before and after the chain.
    iteration : float
        Of each iteration of a chain.
    consensus : float
        Of what is said of :data:`DRAWS` draws; 0 without draws.
    row_clusters, column_clusters : int
        That this holds for.
    uncertainty : float
        By what factor these times may be off, in either direction.
    """

    start: float
    iteration: float
    consensus: float
    row_clusters: int
    column_clusters: int
    uncertainty: float

    @property
    def seconds(self) -> float:
        """A fit of :data:`ITERATIONS` iterations without draws."""
        return self.start + ITERATIONS * self.iteration

    @property
    def seconds_with_draws(self) -> float:
        """The same after a burn-in as long, with :data:`DRAWS` draws."""
        return self.start + 2 * ITERATIONS * self.iteration + self.consensus

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {**asdict(self), "seconds": self.seconds, "seconds_with_draws": self.seconds_with_draws}

    def line(self) -> Note:
        """In words."""
        return Note(
            f"{duration_range(self.seconds, self.uncertainty)} on one core, or"
            f" {duration_range(self.seconds_with_draws, self.uncertainty)} with ",
            Hint("burn_in", ITERATIONS),
            f" (if it finds about {self.row_clusters} x {self.column_clusters} clusters)",
        )


def forecast(
    rows: int,
    columns: int,
    dimension: int,
    clusters: Clusters,
    stored: int | None = None,
    *,
    real: bool = False,
) -> Forecast:
    """How long a fit of a table takes.

    Parameters
    ----------
    stored : int, optional
        Cells that are stored of a table that is kept without its zeros; None is one of real numbers with all of them.
    real : bool
        Whether these cells are real numbers, and not counts, 0/1 or categories.
    """
    of_rows, of_columns = min(clusters.rows, rows), min(clusters.columns, columns)
    numbers = rows * columns * dimension
    items, others = max(rows, columns), min(rows, columns)
    of_items, of_others = (of_rows, of_columns) if rows >= columns else (of_columns, of_rows)
    full = dimension <= MOST_NUMBERS_FULL
    # A d-vector takes about 3 (d - 1) more times the work of a number, by the bars of the benchmark; with a diagonal
    # covariance it takes the work of d numbers.
    evaluations = (
        items * (of_items + 1) * of_others * EVALUATION_SECONDS
        + others * (of_others + 1) * of_items * OTHER_EVALUATION_SECONDS
    ) * (1 + 3 * (dimension - 1) if full else dimension)
    reading = numbers * CELL_SECONDS * ((dimension + 1) / 2 if full else 1)
    per_block = BLOCK_SECONDS
    if stored is not None and real:
        reading = stored * STORED_SECONDS
        evaluations += stored * GATHER_SECONDS
    elif stored is not None:
        per_block = TYPED_BLOCK_SECONDS
        reading = stored * STORED_SECONDS
        evaluations = stored * (GATHER_SECONDS + (of_rows + of_columns) * PRODUCT_SECONDS)
    return Forecast(
        start=START_SECONDS + reading + of_rows * of_columns * per_block,
        iteration=ITERATION_SECONDS + items * ITEM_SECONDS + evaluations,
        consensus=DRAWS_START_SECONDS
        + DRAWS * DRAW_SECONDS
        + _search(rows, of_rows, clusters.rows_moved)
        + _search(columns, of_columns, clusters.columns_moved),
        row_clusters=max(1, round(of_rows)),
        column_clusters=max(1, round(of_columns)),
        uncertainty=clusters.uncertainty,
    )


def _search(items: int, clusters: float, moved: float) -> float:
    """Seconds of the search for a consensus: items that no draw tells apart are one."""
    types = min(items, items * (1 - (1 - moved) ** DRAWS) + clusters)
    return min(SEARCH_LABELS, SEARCH_STARTS * types * DRAWS) * SEARCH_SECONDS * (1 + clusters / SEARCH_CLUSTERS)


def duration_range(seconds: float, factor: float) -> str:
    """From the seconds over the factor to the seconds times it, in words.

    >>> duration_range(40.0, 1.5), duration_range(0.3, 1.5)
    ('27 s to 1 min', 'less than a second')
    """
    low, high = _duration(seconds / factor), _duration(seconds * factor)
    if low == high:
        return low
    if high == _duration(1):
        return f"about {high}"
    number, unit = low.split(" ", 1)
    return f"{number} to {high}" if high.endswith(f" {unit}") else f"{low} to {high}"


def _duration(seconds: float) -> str:
    if seconds < 0.5:
        return "less than a second"
    for unit, length, most in (("s", 1, 55), ("min", 60, 90), ("h", 3600, 48)):
        if seconds / length < most:
            return f"{max(1, _rounded(seconds / length)):g} {unit}"
    return f"{_rounded(seconds / 86400):g} days"


def _rounded(value: float) -> float:
    """To two digits, and to whole numbers."""
    digits = max(0, math.floor(math.log10(max(value, 1))) - 1)
    return round(value, -digits)
