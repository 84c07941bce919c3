"""Rows brought to mean 0 and standard deviation 1, each by itself (standardize-rows)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from disnplbm.data.odd_columns import Examples
from disnplbm.data.transforms.columns import power_of_two_above
from disnplbm.data.transforms.step import Cells, LinearStep, Progress, Table


@dataclass(frozen=True)
class StandardizeRows(LinearStep):
    """Brings each row to mean 0 and standard deviation 1 over its observed cells; a constant row becomes 0.

    It has no fitted parameters: a row is transformed by what it holds itself.
    """

    kind: ClassVar[str] = "standardize-rows"

    @classmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Look for constant rows."""
        constant = Examples()
        for first, values in table.arrays():
            centre, scale = _row_moments(values)
            flat = ((scale == 0) & ~np.isnan(centre)).all(axis=(1, 2))
            for i in np.flatnonzero(flat):
                constant.add(str(first + i + 1))
        warned = [constant.describe("row", f"constant: set to 0 by {cls.kind}")] if constant.total else []
        return cls(), warned

    def apply(self, values: Cells) -> Cells:
        """Subtract each row's mean and divide by its standard deviation."""
        centre, scale = _row_moments(values)
        out = (values - centre) / np.where(scale > 0, scale, 1.0)
        # Rounding of the mean would leave crumbs in a constant row.
        return np.where(scale == 0, out * 0.0, out) + 0.0

    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Multiply by the rows' standard deviations and add their means."""
        centre, scale = _row_moments(source)
        return np.asarray(values * scale + centre)

    def slope(self, source: Cells) -> Cells:
        """The rows' standard deviations."""
        return _row_moments(source)[1]


def _row_moments(values: Cells) -> tuple[Cells, Cells]:
    """Mean and standard deviation of the observed cells of each row, shape (c, 1, d); NaN and 0 where there are none.

    The sums run along each row alone, so that their bits do not depend on which rows come together.
    """
    cells = np.ascontiguousarray(values.transpose(0, 2, 1))
    low = np.fmin.reduce(cells, axis=2, initial=np.inf)[..., None]
    high = np.fmax.reduce(cells, axis=2, initial=-np.inf)[..., None]
    unit = power_of_two_above(np.maximum(np.abs(low), np.abs(high)))
    cells = cells / unit
    seen = ~np.isnan(cells)
    count = seen.sum(axis=2, keepdims=True, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        mean = np.where(seen, cells, 0.0).sum(axis=2, keepdims=True) / np.where(count > 0, count, np.nan)
        squares = (np.where(seen, cells - mean, 0.0) ** 2).sum(axis=2, keepdims=True)
    scale = np.where(low >= high, 0.0, np.sqrt(squares / np.maximum(count, 1.0)) * unit)
    return (mean * unit).transpose(0, 2, 1), scale.transpose(0, 2, 1)
