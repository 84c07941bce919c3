"""From values to colour levels, by quantiles, so that heavy tails and single outliers leave the rest visible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from disnplbm.report.colours import Kind

LEVELS = 255
MISSING = 255
CLIP = 0.01
"""Share of the values beyond either end of the linear scale."""
HEAVY_TAIL = 0.12
"""The scale starts out ranked when the middle half of the values spans less than this share of the linear scale."""
CROSSING = 0.2
"""Values diverge from zero when the shorter side reaches at least this far in proportion to the longer."""


@dataclass(frozen=True)
class Scale:
    """A colour scale fitted to the values of a picture.

    Attributes
    ----------
    values : ndarray of float64, shape (LEVELS,)
        Value that each level stands for, not decreasing: the quantiles of the fitted values.
    low, high : float
        Ends of the linear scale; values beyond share the end colours. Symmetric around zero if diverging.
    kind : {"diverging", "sequential"}
    ranked : bool
        Whether colours are better spread by rank than linearly.
    """

    values: NDArray[np.float64]
    low: float
    high: float
    kind: Kind
    ranked: bool

    def levels(self, image: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Nearest level of each value, MISSING for NaN."""
        between = (self.values[1:] / 2) + (self.values[:-1] / 2)
        levels = np.searchsorted(between, image, side="left").astype(np.uint8)
        levels[np.isnan(image)] = MISSING
        return levels

    def positions(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Place of each value on the linear scale, 0..1."""
        return np.clip((values - self.low) / (self.high - self.low), 0.0, 1.0)


def fit_scale(values: NDArray[np.float64]) -> Scale:
    """Scale for the finite ones of `values` (any shape; there may be none)."""
    finite = np.asarray(values)[np.isfinite(values)]
    if finite.size == 0:
        finite = np.zeros(1)
    quantiles = np.quantile(finite, np.linspace(0.0, 1.0, LEVELS))
    low, lower, upper, high = (float(value) for value in np.quantile(finite, [CLIP, 0.25, 0.75, 1 - CLIP]))
    # A picture that is one value but for a few cells would clip those away.
    if low == high:
        low, high = float(finite.min()), float(finite.max())
    kind: Kind = "sequential"
    if low < 0 < high and min(-low, high) >= CROSSING * max(-low, high):
        kind = "diverging"
        low, high = -max(-low, high), max(-low, high)
    ranked = high > low and upper - lower < HEAVY_TAIL * (high - low)
    if not low < high:
        margin = abs(low) / 2 or 1.0
        low, high = low - margin, high + margin
    return Scale(quantiles, low, high, kind, ranked)
