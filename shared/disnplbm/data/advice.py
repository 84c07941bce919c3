"""Which transform suits a table, judged by a sample of it.

Within rough blocks (one column, rows of alike ranks) cells should be about normal, and no column should outweigh the
others by its unit alone. So: a logarithm where cells are not negative, span decades and are skewed to the right within
rough blocks, and the logarithm takes most of that skewness away; else ``standardize`` where columns are of different
units; else none. benchmarks/studies/transforms.py compares what is recommended with the other transforms.

The prior of a block's variance comes from all cells at once, so a column of another unit hides the clusters in the
others: its level and its scale are in the variance of all cells, which is then many times a typical column's. In
a table of hundreds of columns that alone shows no units. Genes are of one unit, and their levels and scales differ as
much; ``standardize`` would give genes that hardly vary the weight of those that do. There the ranges must be very
different, and the cells must not be skewed: cells of one quantity over decades are skewed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.special
from numpy.typing import NDArray

from disnplbm.data.cells import rounded
from disnplbm.data.sample import Sample
from disnplbm.data.transform import NONE
from disnplbm.notes import Hint, Note

Cells = NDArray[np.float64]

UNEVEN = 100.0
"""How many times wider than another a column's range must be for scales to count as very different."""

OUTWEIGHED = 8.0
"""How many times a typical column's the variance of all cells is where columns are of different units."""

OVERLAPPING = 3.0
"""Columns of one unit share a range: all cells span less than so many times the range of a typical column."""

TYPICAL = 0.4
"""This share of the columns is narrower than a typical one, so that it is of the smaller unit if half of them are."""

MANY = 100
"""Among so many columns some of one unit differ that much."""

SKEWED = 0.8
"""Skewness within rough blocks from which on cells count as skewed; a normal has 0."""

MENDED = 0.5
"""A logarithm is worth it if no more than this share of the skewness stays."""

DECADES = 1.0
"""Powers of ten between the 5 % and the 95 % quantile that count as spanning decades."""

ROWS_IN_GROUP = 16
"""Rows that a rough block must have on average; of fewer no shape can be told."""

MOST_ROWS = 512
"""Rows of the sample that are looked at."""

MOST_SPLITS = 2
"""Principal directions by whose median the rows are split, so at most four groups."""


@dataclass(frozen=True)
class Advice:
    """The transform that is recommended for a table, and why.

    Attributes
    ----------
    transform : str
        "none", "log", "log1p" or "standardize".
    reason : str
        A sentence without its full stop.
    decades : float or None
        Powers of ten between the 5 % and the 95 % quantile; None where values are negative.
    skewness, skewness_after_log : float or None
        Of cells within rough blocks, the median over columns, the latter with or without zeros, whichever is nearer
        to 0; None where there are too few cells to tell, or no logarithm.
    narrowest, widest : float or None
        Range of the narrowest and of the widest column that is not constant.
    counts : bool
        Whether the cells are whole numbers from 0, as counts are.
    """

    transform: str
    reason: str
    decades: float | None = None
    skewness: float | None = None
    skewness_after_log: float | None = None
    narrowest: float | None = None
    widest: float | None = None
    counts: bool = False

    def note(self, chosen: str) -> Note | None:
        """What to tell those who chose a transform of whose outcome this advice is; None if there is nothing to add.

        Parameters
        ----------
        chosen : str
            As :func:`disnplbm.data.transform.check_transform` gives it.
        """
        if "standardize" in chosen.split(","):
            return None
        as_counts = Hint("cells", "counts")
        if self.transform == NONE:
            if not self.counts or chosen != NONE:
                return None
            taken = "the cells are whole numbers from 0, and are taken as real numbers: if they are counts, use "
            return Note(taken, as_counts, kind="cells")
        after, names = ("", self.transform) if chosen == NONE else (f"after {chosen}, ", f"{chosen},{self.transform}")
        condition = "if they are different quantities, " if self.transform == "standardize" else ""
        other = (" or, if the cells are counts, ", as_counts) if self.counts and chosen == NONE else ()
        return Note(f"{after}{self.reason}: {condition}use ", Hint("transform", names), *other, kind="transform")

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def advise(sample: Sample, names: Sequence[str]) -> Advice:
    """Recommend one transform for a table.

    Parameters
    ----------
    names : sequence of str
        Of all columns of the table.
    """
    cells = sample.cells[:: -(-len(sample.cells) // MOST_ROWS)] if len(sample.cells) else sample.cells
    if cells.shape[2] > 1:
        return Advice(NONE, "cells hold several numbers: choose a transform by what they are")
    widths = _widths(cells[:, :, 0])
    where = np.flatnonzero(widths > 0)
    table, widths = cells[:, :, 0][:, where], widths[where]
    if table.size == 0:
        return Advice(NONE, "no column varies")
    thin, wide = int(np.argmin(widths)), int(np.argmax(widths))
    narrowest, widest = float(widths[thin]), float(widths[wide])
    groups = _alike_rows(table)
    skewness, logged = _skewness(table, groups), _take_logarithm(table, groups)
    numbers: dict[str, Any] = {
        "decades": None if logged is None else logged.decades,
        "skewness": skewness,
        "skewness_after_log": None if logged is None else logged.skewness,
        "narrowest": narrowest,
        "widest": widest,
        "counts": _are_counts(table),
    }
    if logged is not None and skewness is not None and logged.mends(skewness):
        return Advice(logged.kind, logged.reason(skewness), **numbers)
    many = len(widths) >= MANY
    uneven = widest > UNEVEN * narrowest and not (many and skewness is not None and skewness >= SKEWED)
    if uneven or (not many and _outweighed(table, widths)):
        first, last = (names[int(sample.columns[where[j]])] for j in (thin, wide))
        return Advice(
            "standardize",
            f"columns are on {'very ' if uneven else ''}different scales (range {rounded(narrowest)} in {first},"
            f" {rounded(widest)} in {last})",
            **numbers,
        )
    if numbers["counts"]:
        return Advice(NONE, "columns are on similar scales; if the cells are counts, compare with log1p", **numbers)
    return Advice(
        NONE, "columns are on similar scales, and a logarithm would not make the cells more normal", **numbers
    )


@dataclass(frozen=True)
class _Logged:
    """What a table is like after its logarithm.

    Attributes
    ----------
    kind : {"log", "log1p"}
    decades, skewness : float, and float or None
        As `decades` and `skewness_after_log` in :class:`Advice`.
    even : bool
        Whether no column is many times wider than another.
    """

    kind: str
    decades: float
    skewness: float | None
    even: bool

    def mends(self, before: float) -> bool:
        """Whether cells span decades, are skewed, and the logarithm takes most of that skewness away."""
        if self.skewness is None or not self.even:
            return False
        return self.decades >= DECADES and before >= SKEWED and abs(self.skewness) <= MENDED * before

    def reason(self, before: float) -> str:
        """Why the logarithm is recommended, in words."""
        sign = "all values are above 0" if self.kind == "log" else "no value is below 0 and some are 0"
        return (
            f"{sign}, they span {self.decades:.1f} decades, and values of alike rows in a column are skewed"
            f" ({before:.1f}, and {self.skewness:.1f} after {self.kind})"
        )


def _take_logarithm(table: Cells, groups: NDArray[np.int64]) -> _Logged | None:
    """The logarithm of a table; None where values are negative."""
    lowest = float(np.nanmin(table))
    if lowest < 0:
        return None
    kind = "log" if lowest > 0 else "log1p"
    # SciPy's, as in the transforms.
    logs: Cells = np.asarray(scipy.special.xlogy(1.0, table) if kind == "log" else scipy.special.log1p(table))
    low, high = np.nanquantile(logs, [0.05, 0.95])
    skewness = _skewness(logs, groups)
    # Zeros may stand for what was not detected, a spike of their own whatever the transform.
    detected = _skewness(np.where(table == 0, np.nan, logs), groups)
    if skewness is not None and detected is not None:
        skewness = min(skewness, detected, key=abs)
    widths = _widths(logs)
    even = widths.max() <= UNEVEN * widths[widths > 0].min(initial=math.inf)
    return _Logged(kind, float(high - low) / math.log(10), skewness, bool(even))


def _widths(table: Cells) -> Cells:
    """Range of each column, 0 for one without observed cells."""
    low = np.fmin.reduce(table, axis=0, initial=np.inf)
    high = np.fmax.reduce(table, axis=0, initial=-np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(high > low, high - low, 0.0)


def _outweighed(table: Cells, widths: Cells) -> bool:
    """Whether levels and scales of columns are so different that the variance of all cells says little of most."""
    lowest, highest = float(np.nanmin(table)), float(np.nanmax(table))
    if _are_counts(table) or highest - lowest < OVERLAPPING * np.quantile(widths, TYPICAL):
        return False
    # A power of two, so that squares stay in range.
    scale = np.exp2(np.floor(np.log2(max(abs(lowest), abs(highest)))))
    own = np.quantile(np.nanvar(table / scale, axis=0), TYPICAL)
    return bool(np.nanvar(table / scale) >= OUTWEIGHED * own)


def _are_counts(table: Cells) -> bool:
    """Whether all cells are whole numbers from 0 on, with 0 in most columns: of one unit, however rare some are."""
    seen = table[~np.isnan(table)]
    zeros = np.fmin.reduce(table, axis=0) == 0
    return bool((seen >= 0).all() and (seen == np.floor(seen)).all() and 2 * zeros.sum() > len(zeros))


def _alike_rows(table: Cells) -> NDArray[np.int64]:
    """A group for each row: by the median of each leading principal direction of the columns' ranks."""
    n = len(table)
    splits = min(MOST_SPLITS, int(math.log2(max(n / ROWS_IN_GROUP, 1))), table.shape[1])
    if splits == 0:
        return np.zeros(n, dtype=np.int64)
    # NaN sorts last; its rank is replaced by the middle one.
    ranks = np.argsort(np.argsort(table, axis=0, kind="stable"), axis=0).astype(np.float64)
    ranks = np.where(np.isnan(table), np.nan, ranks)
    centred = np.nan_to_num(ranks - np.nanmean(ranks, axis=0))
    # By the eigenvectors of the shorter side: a singular value decomposition takes a hundred times as long where
    # the threads of the linear algebra wait for a busy processor.
    tall = n > table.shape[1]
    vectors = np.linalg.eigh(centred.T @ centred if tall else centred @ centred.T)[1][:, : -splits - 1 : -1]
    directions = centred @ vectors if tall else vectors
    return np.asarray((directions > np.median(directions, axis=0)) @ (1 << np.arange(splits)), dtype=np.int64)


def _skewness(table: Cells, groups: NDArray[np.int64]) -> float | None:
    """Skewness of cells around the mean of their group in their column: the median over columns."""
    second, third, count = (np.zeros(table.shape[1]) for _ in range(3))
    # A power of two, so that cubes stay in range.
    scale = np.exp2(np.floor(np.log2(_widths(table).max()))) if _widths(table).max() > 0 else 1.0
    for group in np.unique(groups):
        part = table[groups == group] / scale
        seen = ~np.isnan(part)
        number = seen.sum(axis=0)
        mean = np.where(seen, part, 0.0).sum(axis=0) / np.maximum(number, 1)
        apart = np.where(seen, part - mean, 0.0)
        second += (apart**2).sum(axis=0)
        third += (apart**3).sum(axis=0)
        count += number
    usable = (count > ROWS_IN_GROUP) & (second > 0)
    if not usable.any():
        return None
    spread = np.sqrt(second[usable] / count[usable])
    return float(np.median(third[usable] / count[usable] / spread**3))
