"""How colours are spread over values, as in the report: `dashboard/web/src/heatmap/scale.ts` has the same rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError

Floats = NDArray[np.float64]
Spread = Literal["value", "rank"]

#: Share of the values beyond either end of the colours by value.
CLIP = 0.01

#: Colours are by rank where the middle half of the values spans less than this share of those by value.
HEAVY_TAIL = 0.12

#: Colours diverge from zero where the shorter side reaches at least this far in proportion to the longer.
CROSSING = 0.2

#: Ends of the colours of multiples: squares, so that what lies half-way is round.
ENDS = (4, 9, 16, 36, 100)

_PARTS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """Where among the colours values are.

    Parameters
    ----------
    values, shares : ndarray of shape (m,)
        Values in increasing order, and the place of each among the colours, from 0 to 1; between them in proportion.
    kind : {"sequential", "diverging", "categories"}
    unit : str
        What a value is, for the legend.
    names : sequence of str
        Of categories, which values count from 0.
    """

    values: Floats
    shares: Floats
    kind: Literal["sequential", "diverging", "categories"]
    unit: str
    names: Sequence[str] = ()

    def place(self, values: ArrayLike) -> Floats:
        """Where among the colours some values are, from 0 to 1; NaN where a value is missing."""
        return np.asarray(np.interp(np.asarray(values, dtype=np.float64), self.values, self.shares))

    def value_at(self, shares: ArrayLike) -> Floats:
        """The values at some places among the colours."""
        return np.asarray(np.interp(np.asarray(shares, dtype=np.float64), self.shares, self.values))


def fit_numbers(values: Floats, unit: str, spread: Spread | None = None, *, counts: bool = False) -> Scale:
    """Fit a scale to numbers: in proportion, or by rank where a few far away would leave one colour for all others.

    Parameters
    ----------
    spread : {"value", "rank"}, optional
    counts : bool
        Whether 0 has the first colour by rank, however many zeros there are.
    """
    if spread not in (None, "value", "rank"):
        raise InputError(f"spread={spread!r} is unknown; choose 'value' or 'rank'")
    known = values[np.isfinite(values)]
    known = known if known.size else np.zeros(1)
    low, high = (float(end) for end in np.quantile(known, [CLIP, 1.0 - CLIP]))
    if low == high:
        low, high = float(known.min()), float(known.max())
    diverging = low < 0.0 < high and min(-low, high) >= CROSSING * max(-low, high)
    if diverging:
        high = max(-low, high)
        low = -high
    lower, upper = np.quantile(known, [0.25, 0.75])
    heavy = high > low and upper - lower < HEAVY_TAIL * (high - low)
    kind: Literal["sequential", "diverging"] = "diverging" if diverging else "sequential"
    if (spread or ("rank" if heavy else "value")) == "rank" and known.min() < known.max():
        return Scale(*_by_rank(known[known != 0.0] if counts else known, zero=counts), kind, unit)
    if low == high:
        margin = abs(low) / 2 or 1.0
        low, high = low - margin, high + margin
    return Scale(np.array([low, high]), np.array([0.0, 1.0]), kind, unit)


def fit_multiples(values: Floats, unit: str) -> Scale:
    """Fit a scale to multiples of what is expected: by their logarithm, as far up as down."""
    known = values[np.isfinite(values)]
    known = known if known.size else np.ones(1)
    least, most = np.quantile(known, [CLIP, 1.0 - CLIP])
    wanted = max(float(most), 1.0 / max(float(least), 1.0 / ENDS[-1]))
    end = float(next((end for end in ENDS if end >= wanted), ENDS[-1]))
    shares = np.linspace(0.0, 1.0, 257)
    return Scale(end ** (2.0 * shares - 1.0), shares, "diverging", unit)


def fit_shares(unit: str) -> Scale:
    """A scale of shares, from 0 to 1."""
    ends = np.array([0.0, 1.0])
    return Scale(ends, ends, "sequential", unit)


def fit_categories(names: Sequence[str], unit: str) -> Scale:
    """A colour for each category."""
    ends = np.array([-0.5, len(names) - 0.5])
    return Scale(ends, np.array([0.0, 1.0]), "categories", unit, names)


def _by_rank(known: Floats, *, zero: bool) -> tuple[Floats, Floats]:
    """Values and the share of all that are below; of one that many have, the middle."""
    quantiles = np.quantile(known, np.linspace(0.0, 1.0, _PARTS + 1))
    if zero:
        quantiles = np.append(0.0, quantiles)
    shares = np.linspace(0.0, 1.0, len(quantiles))
    values, of_value = np.unique(quantiles, return_inverse=True)
    middle = np.bincount(of_value, shares) / np.bincount(of_value)
    middle[0], middle[-1] = min(middle[0], shares[0]), max(middle[-1], shares[-1])
    return values, middle
