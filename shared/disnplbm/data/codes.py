"""Numbers that stand for a missing cell, such as -999: one code, far from all other numbers of the table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import rounded
from disnplbm.notes import Hint, Note, plural

CODES = tuple(sign * float("9" * digits) for digits in range(2, 8) for sign in (-1, 1))
"""What people and programs write: a sign and nines."""

REPEATS = 2
"""How often a code occurs at least: a number that is there once may be a measurement."""


class CodesOfMissing:
    """Counts the codes that are the smallest or the largest number of a table, while the table streams by."""

    def __init__(self) -> None:
        self._counts: dict[float, int] = {}
        self._low, self._high = np.inf, -np.inf

    def add(self, values: NDArray[np.float64], low: float, high: float) -> None:
        """Take in the next cells, of which these are the smallest and the largest number."""
        while low in CODES or high in CODES:
            code = low if low in CODES else high
            coded = values == code
            self._counts[code] = self._counts.get(code, 0) + int(coded.sum())
            values = values[~coded & ~np.isnan(values)]
            low, high = values.min(initial=np.inf), values.max(initial=-np.inf)
        self._low, self._high = min(self._low, low), max(self._high, high)

    def notes(self, *, is_text: bool) -> list[str]:
        """A line for each code that is further from the other numbers than they are from each other."""
        return [_note(code, count, self._low, self._high, is_text=is_text) for code, count in self._found()]

    def _found(self) -> list[tuple[float, int]]:
        if not self._low < self._high:
            return []
        spread = self._high - self._low
        return [
            (code, count)
            for code, count in self._counts.items()
            if count >= REPEATS and (code - self._high > spread or self._low - code > spread or code < 0 <= self._low)
        ]


def _note(code: float, count: int, low: float, high: float, *, is_text: bool) -> Note:
    verb = "hold" if count > 1 else "holds"
    others = (
        f"{plural(count, 'cell')} {verb} {code:.0f}, and the other numbers lie from {rounded(low)} to {rounded(high)}"
    )
    remedy = (
        ("read it as missing: ", Hint("missing", (f"{code:.0f}",))) if is_text else ("leave these cells blank (NaN)",)
    )
    return Note(f"{others}. If {code:.0f} stands for a missing cell, ", *remedy, kind="codes")
