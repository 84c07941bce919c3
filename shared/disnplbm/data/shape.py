"""Cells that are clearly not normal: votes and grades, counts, a spike at a detection limit.

Found while the table streams by, column by column (for d > 1 component by component of it), so that a transform that
is fitted to each column hides nothing. The model takes the cells of a block for normal: where they are not, it makes
up for it with blocks, and its probabilities say less than they seem to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import NAMED, some_names
from disnplbm.data.matching import is_counted
from disnplbm.notes import Hint, Note

LEVELS = 7
"""Up to so many different values a column holds grades and not measurements."""

COUNT_RANGE = 20
"""Up to so far from 0 or 1 whole numbers are small counts; the larger, the more nearly normal."""

REPEATS = 4
"""How often a value must occur on average before few values are a trait of the column, and not of a short table."""

SHARE = 0.1
"""Share of the cells that must be of a kind before it is worth a warning."""

STRETCH_NUMBERS = 2**17
"""Numbers taken in at a time, which stay in the processor's cache."""

_DESCRIBE = "read the clusters as a description, and do not rely on probabilities and intervals"

_COUNTS = Note("try ", Hint("transform", "log1p"), f", or {_DESCRIBE}")

_BLANK = "leave these cells blank if they stand for what was not measured"


class CellShape:
    """Which columns hold few different values, small whole numbers, or pile up at their smallest or largest value.

    It takes the memory of a few rows.

    Parameters
    ----------
    columns, dimension : int
        p and d; what is kept is kept for each of the q = p d components of columns.
    """

    def __init__(self, columns: int, dimension: int) -> None:
        q = columns * dimension
        self._dimension = dimension
        self._observed = np.zeros(q, dtype=np.int64)
        self._low, self._at_low = np.full(q, np.inf), np.zeros(q, dtype=np.int64)
        self._high, self._at_high = np.full(q, -np.inf), np.zeros(q, dtype=np.int64)
        self._whole = np.arange(q)
        self._few = np.arange(q)
        self._levels = np.full((LEVELS, q), np.nan)
        self._n_levels = np.zeros(q, dtype=np.int64)

    def add(self, values: NDArray[np.float64]) -> None:
        """Take in cells (c, p, d); those with NaN are missing."""
        cells = values.reshape(len(values), len(self._observed))
        step = max(1, STRETCH_NUMBERS // cells.shape[1])
        for start in range(0, len(cells), step):
            stretch = cells[start : start + step]
            self._add_ends(stretch)
            self._add_whole(stretch)
            self._add_levels(stretch)

    def _add_ends(self, cells: NDArray[np.float64]) -> None:
        self._observed += len(cells) - np.isnan(cells).sum(axis=0)
        low = np.fmin(self._low, np.fmin.reduce(cells, axis=0))
        high = np.fmax(self._high, np.fmax.reduce(cells, axis=0))
        self._at_low = self._at_low * (self._low == low) + (cells == low).sum(axis=0)
        self._at_high = self._at_high * (self._high == high) + (cells == high).sum(axis=0)
        self._low, self._high = low, high

    def _add_whole(self, cells: NDArray[np.float64]) -> None:
        """Keep the columns all of whose observed cells so far are whole numbers."""
        if len(self._whole):
            ours = _some_columns(cells, self._whole)
            self._whole = self._whole[((ours == np.rint(ours)) | np.isnan(ours)).all(axis=0)]

    def _add_levels(self, cells: NDArray[np.float64]) -> None:
        """Add values not seen before to the levels of their column; columns with too many leave."""
        if not len(self._few):
            return
        ours = _some_columns(cells, self._few)
        known = np.isnan(ours)
        for level in self._levels[: self._n_levels.max()]:
            known |= ours == level
        full = np.zeros(len(self._few), dtype=np.bool_)
        while len(fresh := np.flatnonzero(~(known.all(axis=0) | full))):
            value = ours[np.argmin(known[:, fresh], axis=0), fresh]
            full[fresh] = self._n_levels[fresh] == LEVELS
            room = ~full[fresh]
            fresh, value = fresh[room], value[room]
            self._levels[self._n_levels[fresh], fresh] = value
            self._n_levels[fresh] += 1
            known[:, fresh] |= ours[:, fresh] == value
        if full.any():
            self._few, self._n_levels = self._few[~full], self._n_levels[~full]
            self._levels = self._levels[:, ~full]

    def warnings(self, names: Sequence[str]) -> list[str]:
        """One line for each kind of cells that makes up a good part of the table, with what to do.

        Parameters
        ----------
        names : sequence of str
            Of the p columns; "0", "1", ... if they have none.
        """
        # Constant columns are told elsewhere.
        varying = self._low < self._high
        cells = np.where(varying, self._observed, 0)
        levels = np.zeros(len(cells), dtype=np.int64)
        levels[self._few] = self._n_levels
        few = (levels > 0) & (cells >= REPEATS * levels)
        whole = np.isin(np.arange(len(cells)), self._whole)
        small = whole & ((self._low == 0) | (self._low == 1)) & (self._high <= self._low + COUNT_RANGE)
        counts = small & ~few & (cells >= REPEATS * (np.where(small, self._high, 0.0) + 1))
        measured = varying & (levels == 0) & ~counts
        few_values = "two values (votes?)" if (levels[few] <= 2).all() else "few values (grades?)"
        # One cell of a column is at its end by nature; more are a spike.
        low, high = (np.where(measured, ties - 1, 0) for ties in (self._at_low, self._at_high))
        kinds = (
            (np.where(few, cells, 0), f"in columns of {few_values}", _DESCRIBE),
            (np.where(counts, cells, 0), "small whole numbers (counts?)", _COUNTS),
            (low, "at the smallest value of their column (a detection limit?)", _BLANK),
            (high, "at the largest value of their column (a ceiling?)", _BLANK),
        )
        return [
            Note(
                f"{part.sum() / self._observed.sum():.0%} of the cells{where} are {what}: {self._columns(part, names)}."
                " The model assumes normal cells: ",
                remedy,
                *self._or_without(part, names),
                kind="shape",
            )
            for part, what, remedy in kinds
            if (where := self._where(part)) is not None
        ]

    def _mostly(self, part: NDArray[np.int64]) -> NDArray[np.intp]:
        """The columns of which a good part of the cells is in this part of the table, shape (q,)."""
        ours, observed = (counted.reshape(-1, self._dimension) for counted in (part, self._observed))
        good = ((ours > 0) & (ours >= SHARE * observed)).any(axis=1)
        return np.flatnonzero(good if good.any() else (ours > 0).any(axis=1))

    def _columns(self, part: NDArray[np.int64], names: Sequence[str]) -> str:
        which = self._mostly(part)
        if len(which) == len(names) > 1:
            return f"all {len(names):,} columns"
        shown = some_names((names[j] for j in which), len(which))
        return f"column {shown}" if len(which) == 1 else f"columns {shown}"

    def _or_without(self, part: NDArray[np.int64], names: Sequence[str]) -> tuple[str | Hint, ...]:
        """How to leave the columns out, where they are few, have names, and others remain."""
        which = self._mostly(part)
        if len(which) == len(names) or len(which) > NAMED or is_counted(names):
            return ()
        these = "the column" if len(which) == 1 else "the columns"
        return (f"; or leave {these} out (", Hint("drop_columns", tuple(names[j] for j in which)), ")")

    def _where(self, part: NDArray[np.int64]) -> str | None:
        """In which numbers of a cell a part of the cells, shape (q,), is worth a warning; None if in none."""
        ours, observed = (counted.reshape(-1, self._dimension).sum(axis=0) for counted in (part, self._observed))
        worth = np.flatnonzero((ours > 0) & (ours >= SHARE * observed))
        if not len(worth):
            return None
        if self._dimension == 1:
            return ""
        return f" (numbers {some_names((str(k) for k in worth), len(worth))} of each, counted from 0)"


def _some_columns(cells: NDArray[np.float64], which: NDArray[np.intp]) -> NDArray[np.float64]:
    """Some of the columns; without a copy if they are all of them."""
    return cells if len(which) == cells.shape[1] else cells[:, which]
