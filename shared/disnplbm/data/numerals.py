"""What is a number in a cell of text, and what is a missing cell."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

MISSING = ("", "NA", "NaN", "nan")
"""Cells that are missing in any file, after blanks around them are dropped."""

_INFINITE = re.compile(r"[+-]?inf(inity)?", re.ASCII | re.IGNORECASE)
_BLANKS = "[ \u00a0\u202f]"


@dataclass(frozen=True)
class Numerals:
    """How numbers are written.

    Parameters
    ----------
    decimal : {".", ","}
    thousands : {"none", ",", ".", " ", "'"}
        Sign between groups of three digits; a blank stands for any kind of blank.
    marks : tuple of str
        Further cells that are missing.
    """

    decimal: str = "."
    thousands: str = "none"
    marks: tuple[str, ...] = ()

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """All cells that are missing."""
        return (*MISSING, *(mark.strip() for mark in self.marks))

    @cached_property
    def _number(self) -> re.Pattern[str]:
        point = re.escape(self.decimal)
        whole = r"\d+" if self.thousands == "none" else rf"(?:\d{{1,3}}(?:{self._sign}\d{{3}})+|\d+)"
        return re.compile(rf"[+-]?({whole}{point}?\d*|{point}\d+)([eE][+-]?\d+)?", re.ASCII)

    @cached_property
    def _sign(self) -> str:
        return _BLANKS if self.thousands == " " else re.escape(self.thousands)

    def is_missing(self, cell: str) -> bool:
        """Whether a cell is missing."""
        return cell.strip() in self.missing

    def is_number(self, cell: str) -> bool:
        """Whether a cell is a decimal number, however large."""
        return self._number.fullmatch(cell.strip()) is not None

    def parse(self, cell: str) -> float | None:
        """The number in a cell, NaN if it is missing, infinite if it is too large, None if it is something else."""
        cell = cell.strip()
        if cell in self.missing:
            return float("nan")
        if self._number.fullmatch(cell):
            if self.thousands != "none":
                cell = re.sub(self._sign, "", cell)
            return float(cell.replace(self.decimal, "."))
        if _INFINITE.fullmatch(cell):
            return float(cell)
        return None


PLAIN = Numerals()
"""Numbers with a decimal point and no further marks."""

_WHOLE = re.compile(r"\d+(\.0+)?", re.ASCII)


def whole(cell: str) -> int | None:
    """The number in a cell that holds a whole number without a sign, such as 7 or 7.0; None in any other."""
    cell = cell.strip()
    return int(cell.partition(".")[0]) if len(cell) <= 30 and _WHOLE.fullmatch(cell) else None
