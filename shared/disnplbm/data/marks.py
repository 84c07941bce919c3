"""Columns of text that stand for numbers: TRUE and FALSE, and percentages.

A column is read this way as a whole or not at all: TRUE among numbers is likely a slip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from disnplbm.data.cells import some_names
from disnplbm.data.numerals import Numerals

_TRUTH = {"true": 1.0, "false": 0.0}


@dataclass(frozen=True)
class Marked:
    """How the cells of a column of TRUE and FALSE, or of percentages, are read.

    Parameters
    ----------
    kind : {"truth", "percent"}
    example : str
        One of the cells.
    """

    kind: Literal["truth", "percent"]
    numerals: Numerals
    example: str

    @property
    def what(self) -> str:
        """What the column holds."""
        return "TRUE and FALSE" if self.kind == "truth" else "percentages"

    def parse(self, cell: str) -> float | None:
        """The number of a cell, NaN if it is missing, None if it is something else."""
        if self.numerals.is_missing(cell):
            return float("nan")
        return truth(cell) if self.kind == "truth" else percentage(cell, self.numerals)


def truth(cell: str) -> float | None:
    """1 for TRUE, 0 for FALSE (in any case), None for any other cell."""
    return _TRUTH.get(cell.strip().lower())


def percentage(cell: str, numerals: Numerals) -> float | None:
    """The number before a percent sign, divided by 100; None for any other cell.

    >>> percentage("12.3%", Numerals())
    0.123
    """
    number, sign, rest = cell.strip().rpartition("%")
    if sign and not rest and numerals.is_number(number):
        # The division of floating point numbers would give 0.12300000000000001.
        parsed = numerals.parse(number)
        return float(Decimal(repr(parsed)).scaleb(-2)) if parsed is not None else None
    return None


def is_marked(cell: str, numerals: Numerals) -> bool:
    """Whether a cell is TRUE, FALSE or a percentage."""
    return truth(cell) is not None or percentage(cell, numerals) is not None


def find_marked(cells: Iterable[str], numerals: Numerals) -> Marked | None:
    """How a column is read whose first cells are all TRUE and FALSE, or all percentages; None for any other."""
    filled = (cell for cell in cells if not numerals.is_missing(cell))
    example = next(filled, "")
    # Most columns are told by their first cell.
    if not is_marked(example, numerals):
        return None
    marked = Marked("percent" if truth(example) is None else "truth", numerals, example.strip())
    return None if any(marked.parse(cell) is None for cell in filled) else marked


def marked_notes(names: Sequence[str], found: Sequence[Marked]) -> list[str]:
    """What was made of such columns."""
    notes = []
    for kind in ("truth", "percent"):
        ours = [(name, each) for name, each in zip(names, found, strict=True) if each.kind == kind]
        if not ours:
            continue
        example = ours[0][1]
        how = "1 and 0" if kind == "truth" else f"fractions ({example.example} is {example.parse(example.example):g})"
        subject = "column" if len(ours) == 1 else "columns"
        verb = "holds" if len(ours) == 1 else "hold"
        notes.append(
            f"{subject} {some_names((name for name, _ in ours), len(ours))} {verb} {example.what}: read as {how}"
        )
    return notes
