"""Choose the likelihood power without labels: where more blocks stop buying fit.

A model that does not fit the data makes up for it with blocks: the more data, or the higher the power, the more of
them. Miller and Dunson (2019, Robust Bayesian inference via coarsening) therefore run several powers and look at the
curve of expected log likelihood against number of clusters: it rises steeply while clusters are found that are there,
and flatly while they mend the model. The power at the bend between the two is taken.

The bend is found as by Satopaa, Albrecht, Irwin and Raghavan (2011, Finding a "kneedle" in a haystack):

1. Powers are ordered by their number of blocks, and where fewer blocks fit better, more blocks count as fitting as
   well: the curve never falls.
2. Blocks and fit are scaled to 0..1 between the two ends of the curve, so that the chord between them is the diagonal,
   and the height of the curve above it is (scaled fit) - (scaled blocks).
3. The elbow is the power of greatest height; of several within their standard errors, the one with fewest blocks.

There is no elbow if the fit does not change, if the greatest height is small or within its error, or if blocks stop
growing by themselves towards power 1, as they do where the model fits. Then the power is 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats

Reason = Literal["elbow", "level", "flat", "straight", "unclear"]

SMALLEST_HEIGHT = 0.1
"""Height above the chord, as a share of the whole range, below which a curve counts as straight."""

STANDARD_ERRORS = 2.0
"""Standard errors within which a difference counts as chance."""

LEVEL_FACTOR = 1.25
"""Growth of the number of blocks, while the power doubles from a half to 1, below which it counts as level."""


@dataclass(frozen=True, slots=True)
class Elbow:
    """The chosen power.

    Parameters
    ----------
    index : int
        Place of the power among those that were tried.
    reason : {"elbow", "level", "flat", "straight", "unclear"}
        Why: an elbow; or none, and power 1, since blocks stop growing by themselves, the fit does not change, the curve
        does not bend, or its bend is within the error.
    heights : tuple of float
        Height of each power above the chord, as a share of the range of the fit; 0 where the fit does not change.
    sentence : str
        The same for people.
    """

    power: float
    index: int
    reason: Reason
    heights: tuple[float, ...]
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)


def choose_power(
    powers: ArrayLike, fit: ArrayLike, fit_error: ArrayLike, row_clusters: ArrayLike, column_clusters: ArrayLike
) -> Elbow:
    """The power at the elbow of fit against number of blocks, or 1.

    Parameters
    ----------
    powers : array-like, shape (m,)
        Ascending, in (0, 1], the last one 1.
    fit : array-like, shape (m,)
        Posterior mean of the log likelihood of an observed cell, at power 1 whatever the power of the run.
    fit_error : array-like, shape (m,)
        Its Monte Carlo standard error.
    row_clusters, column_clusters : array-like, shape (m,)
        Posterior means of K and of L; their product is the number of blocks.

    Raises
    ------
    InputError
        Powers that are not ascending or do not end with 1, arrays of other lengths, numbers that are not finite.
    """
    powers, fit, fit_error, rows, columns = _checked(powers, fit, fit_error, row_clusters, column_clusters)
    blocks = rows * columns
    last = len(powers) - 1
    order = np.lexsort((-fit, blocks))
    fewest, most = order[0], order[-1]
    curve = np.empty(len(powers))
    curve[order] = np.maximum.accumulate(fit[order])
    rise = float(curve[most] - curve[fewest])
    heights = np.zeros(len(powers))

    def without(reason: Reason, why: str) -> Elbow:
        return Elbow(1.0, last, reason, tuple(heights.tolist()), f"{why}, so the curve has no clear bend. Use power 1.")

    if last == 0:
        return without("flat", "Only power 1 was tried")
    if rise <= STANDARD_ERRORS * float(np.hypot(fit_error[fewest], fit_error[np.argmax(fit)])):
        return without("flat", "The fit does not depend on the power beyond its Monte Carlo error")
    heights = (curve - curve[fewest]) / rise - (blocks - blocks[fewest]) / (blocks[most] - blocks[fewest])
    half = max(int(np.searchsorted(powers, 0.5, side="right")) - 1, 0)
    if blocks[last] <= LEVEL_FACTOR * blocks[half]:
        return without(
            "level",
            f"From power {powers[half]:g} to power 1 the number of blocks stays about the same"
            f" ({blocks[half]:.1f} and {blocks[last]:.1f}), as it does where the model fits",
        )
    best = np.argmax(heights)
    if heights[best] < SMALLEST_HEIGHT:
        return without("straight", "The fit grows in step with the number of blocks")
    errors = fit_error / rise
    if heights[best] <= STANDARD_ERRORS * errors[best]:
        return without(
            "unclear",
            f"The bend at power {powers[best]:g} is within its Monte Carlo error (longer chains would tell)",
        )
    tied = heights >= np.maximum(heights[best] - np.hypot(errors, errors[best]), SMALLEST_HEIGHT)
    chosen = int(order[np.argmax(tied[order])])
    gained = (curve[chosen] - curve[fewest]) / rise
    return Elbow(
        float(powers[chosen]),
        chosen,
        "elbow",
        tuple(heights.tolist()),
        f"The curve bends at power {powers[chosen]:g}: {blocks[chosen]:.1f} blocks"
        f" ({rows[chosen]:.1f} x {columns[chosen]:.1f} clusters)"
        f" bring {gained:.0%} of the gain in fit that {blocks[most]:.1f} blocks at power {powers[most]:g} bring, and"
        " beyond it more blocks buy little fit.",
    )


def _checked(*arrays: ArrayLike) -> list[Floats]:
    converted: list[NDArray[np.float64]] = [np.asarray(array, dtype=np.float64) for array in arrays]
    powers, fit_error = converted[0], converted[2]
    if powers.ndim != 1 or len({array.shape for array in converted}) != 1 or len(powers) == 0:
        shapes = [array.shape for array in converted]
        raise InputError(f"powers and their figures have shapes {shapes}: give one number of each for every power")
    if not (powers[0] > 0 and powers[-1] == 1 and (np.diff(powers) > 0).all()):
        right = sorted({1.0, *(power for power in powers.tolist() if 0 < power < 1)})
        raise InputError(
            f"the powers {_listed(powers.tolist())} must rise from above 0 and end with 1: use {_listed(right)}"
        )
    if not all(np.isfinite(array).all() for array in converted) or (fit_error < 0).any():
        raise InputError("fit and numbers of clusters must be finite, and errors not negative: leave out failed powers")
    return converted


def _listed(powers: Sequence[float]) -> str:
    return ",".join(f"{power:g}" for power in powers)
