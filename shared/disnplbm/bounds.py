"""Ranges of numbers. They are wide enough for any honest use, and narrow enough that no number of a run overflows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from disnplbm.errors import InputError
from disnplbm.notes import Hint


@dataclass(frozen=True, slots=True)
class Bound:
    """Range of a number, both ends included.

    Parameters
    ----------
    least, most : int or float
        Whole numbers where the option is one.
    """

    least: float
    most: float

    @property
    def whole(self) -> bool:
        """Whether the option is a whole number."""
        return isinstance(self.least, int)

    def __str__(self) -> str:
        return f"{_written(self.least)} to {_written(self.most)}"

    def check(self, name: str, value: Any, *, other: str = "") -> None:
        """Refuse a value outside of the range.

        Parameters
        ----------
        name : str
            Of the option.
        other : str
            What the value may be besides a number, for the error: " or None".

        Raises
        ------
        InputError
            It says the name, the value and the bound.
        """
        given = Hint(name, value)
        kind: Any = Integral if self.whole else Real
        if type(value) is bool or not isinstance(value, kind):
            raise InputError(given, f" must be a {'whole ' if self.whole else ''}number from {self}{other}")
        if value != value:
            raise InputError(given, f" must be a number from {self}")
        if value < self.least:
            raise InputError(given, f" must be at least {_written(self.least)}")
        if value > self.most:
            raise InputError(given, f" must be at most {_written(self.most)}")


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


#: Most numbers of a cell, and of one with a full covariance.
MOST_NUMBERS, MOST_NUMBERS_FULL = 1024, 64

#: Of the degrees of freedom of a prior that is given as a whole: the least over d - 1, and the most.
NU0_OVER = Bound(1e-9, 1e9)

#: Of each component of such a prior, once the data are brought to standard deviations near 1: of the mean, and of the
#: diagonal of the scale matrix.
MU0_SCALED, PSI0_SCALED = Bound(-1e12, 1e12), Bound(1e-36, 1e36)


READ_MEMORY_BYTES = 4 * 2**30
"""Of memory that reading one file in a process of its own may take, where nobody sets another limit."""
