"""Natural logarithm of every cell (log), and of one more than it (log1p)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.special

from disnplbm.data.transforms.step import LOG1P_BOUND, Cells, Domain, Progress, Step, Table

_ABOVE_0 = Domain("log", 0.0)
_ABOVE_MINUS_1 = Domain("log1p", LOG1P_BOUND)


@dataclass(frozen=True)
class Log(Step):
    """The natural logarithm of each number."""

    kind: ClassVar[str] = "log"

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Check the domain."""
        _ABOVE_0.require_table(table)
        return cls(), []

    def apply(self, values: Cells) -> Cells:
        """Take logarithms."""
        _ABOVE_0.require(values)
        # Not NumPy's: its bits depend on whether the processor has AVX-512.
        return np.asarray(scipy.special.xlogy(1.0, values), dtype=np.float64)

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Take exponentials."""
        return np.asarray(np.exp(values))


@dataclass(frozen=True)
class Log1p(Step):
    """The natural logarithm of 1 + x for each number x."""

    kind: ClassVar[str] = "log1p"
    keeps_zeros: ClassVar[bool] = True

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Check the domain."""
        _ABOVE_MINUS_1.require_table(table)
        return cls(), []

    def apply(self, values: Cells) -> Cells:
        """Take logarithms."""
        _ABOVE_MINUS_1.require(values)
        # Not NumPy's, as above.
        return np.asarray(scipy.special.log1p(values), dtype=np.float64)

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Take exponentials."""
        return np.asarray(np.expm1(values))
