"""Box-Cox of each column, with the power that makes it most nearly normal (boxcox)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import scipy.special

from disnplbm.data.transforms.step import Cells, Domain, Progress, Step, Table, constant_columns

FIT_BYTES = 64 * 2**20
"""Cells held at a time while the powers are fitted, a group of columns after the other."""

_ABOVE_0 = Domain("boxcox", 0.0)


@dataclass(frozen=True, eq=False)
class BoxCox(Step):
    """The Box-Cox transform.

    Attributes
    ----------
    power : ndarray, shape (p, d)
        Lambda.
    """

    power: Cells
    kind: ClassVar[str] = "boxcox"

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Find each column's power; progress counts columns."""
        from disnplbm.data.transforms.boxcox import most_likely_power  # brings scipy.stats: slow, large, only here

        _ABOVE_0.require_table(table)
        p, d = table.p, table.dimension
        power = np.zeros((p, d))
        constant = np.zeros((p, d), dtype=np.bool_)
        group = max(1, FIT_BYTES // (8 * table.n * d))
        for start in range(0, p, group):
            stop = min(p, start + group)
            # One column after the other in memory, so that each fit reads one stretch.
            cells = np.empty((stop - start, d, table.n))
            for first, values in table.arrays():
                cells[:, :, first : first + len(values)] = values[:, start:stop].transpose(1, 2, 0)
            for j in range(stop - start):
                for k in range(d):
                    observed = cells[j, k][~np.isnan(cells[j, k])]
                    if len(observed) == 0:
                        continue
                    if observed.min() == observed.max():
                        constant[start + j, k] = True
                    else:
                        power[start + j, k] = most_likely_power(observed)
                if progress is not None:
                    progress(start + j + 1, p)
        warned = constant_columns(table, constant, "constant: set to the logarithm of the value by boxcox")
        return cls(power), warned

    def apply(self, values: Cells) -> Cells:
        """Raise to the power."""
        _ABOVE_0.require(values)
        return np.asarray(scipy.special.boxcox(values, self.power), dtype=np.float64)

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Take the root; NaN where no value is transformed to this number."""
        return np.asarray(scipy.special.inv_boxcox(values, self.power), dtype=np.float64)
