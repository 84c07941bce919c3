"""The least and the most that each numeric option of a run may be, stated once.

The command line's help, the API's schema, the page's form and every check take them from here. They are wide enough
for any honest use, and narrow enough that no number of a run overflows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from disnplbm.errors import InputError


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

    def check(self, name: str, value: Any) -> None:
        """Refuse a value outside of the range.

        Parameters
        ----------
        name : str
            What to call the option.
        value : int or float

        Raises
        ------
        InputError
            It says the name, the value and the bound.
        """
        kind: Any = Integral if self.whole else Real
        if type(value) is bool or not isinstance(value, kind):
            raise InputError(f"{name} = {value!r} must be a {'whole ' if self.whole else ''}number from {self}")
        if math.isnan(value):
            raise InputError(f"{name} = {value} must be a number from {self}")
        if value < self.least:
            raise InputError(f"{name} = {value} must be at least {_written(self.least)}")
        if value > self.most:
            raise InputError(f"{name} = {value} must be at most {_written(self.most)}")


def _written(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{number:g}"


_ITERATIONS, _CHAINS = 10_000_000, 1_000

#: By the names of the options; also of those that are not the sampler's: shards and threads.
BOUNDS: dict[str, Bound] = {
    "iterations": Bound(1, _ITERATIONS),
    "burn_in": Bound(0, _ITERATIONS - 1),
    "draws": Bound(0, _ITERATIONS),
    # Below where the random streams of chains would meet.
    "chains": Bound(1, _CHAINS),
    "restarts": Bound(1, _CHAINS),
    # Signed numbers of 64 bits are what a database holds.
    "seed": Bound(0, 2**63 - 1),
    "alpha": Bound(1e-9, 1e9),
    "beta": Bound(1e-9, 1e9),
    # A label is a signed number of 32 bits.
    "fix_row_clusters": Bound(1, 2**31 - 1),
    "fix_column_clusters": Bound(1, 2**31 - 1),
    "power": Bound(1e-6, 1.0),
    "kappa0": Bound(1e-9, 1e9),
    "psi0_factor": Bound(1e-12, 1e12),
    "shards": Bound(1, 10_000),
    "threads": Bound(1, 1_024),
}

#: Most numbers of a cell with a full covariance.
MOST_NUMBERS_FULL = 64

#: Of the degrees of freedom of a prior that is given as a whole: the least over d - 1, and the most.
NU0_OVER = Bound(1e-9, 1e9)

#: Of each component of such a prior, once the data are brought to standard deviations near 1: of the mean, and of the
#: diagonal of the scale matrix.
MU0_SCALED, PSI0_SCALED = Bound(-1e12, 1e12), Bound(1e-36, 1e36)


def check(name: str, value: Any) -> None:
    """Refuse a value of a numeric option that is outside of its range; InputError says which and why."""
    BOUNDS[name].check(name, value)
