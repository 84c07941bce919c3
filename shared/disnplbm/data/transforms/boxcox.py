"""Maximum likelihood of the Box-Cox power: the optimum of scipy.stats.boxcox, found about ten times faster.

With y = log x, the power lambda maximises (lambda - 1) sum(y) - n/2 log var((exp(lambda y) - 1) / lambda), by Brent's
method from the bracket (-2, 2) as SciPy does. Exponents are taken relative to their largest, so that nothing overflows,
and by expm1, so that a narrow column keeps its digits.
"""

from __future__ import annotations

import math
import warnings

import numpy as np
import scipy.optimize
import scipy.special
import scipy.stats
from numpy.typing import NDArray

LARGEST = 1e100
"""Bound on the transformed values, so that sums of their squares stay finite."""

AS_GOOD_AS_LOG = 1e-7
"""Powers that change the logarithms by less than this relative amount give way to the logarithm itself. Near its
optimum the likelihood is flat: a search cannot place it better than to the square root of the precision of a number."""


def most_likely_power(values: NDArray[np.float64]) -> float:
    """The power lambda of the Box-Cox transform.

    Parameters
    ----------
    values : ndarray, shape (n,)
        Positive, without NaN, not all equal.
    """
    # SciPy's functions, not NumPy's, whose bits depend on whether the processor has AVX-512.
    logs = scipy.special.xlogy(1.0, values)
    total, low, high = float(logs.sum()), float(logs.min()), float(logs.max())
    n = len(logs)

    def loss(power: float) -> float:
        if power == 0.0:
            return total + n / 2 * math.log(logs.var())
        top = high if power > 0 else low
        variance = float(scipy.special.expm1(power * (logs - top)).var())
        if variance == 0.0:
            return math.inf
        log_variance = math.log(variance) + 2 * (power * top - math.log(abs(power)))
        return n / 2 * log_variance - (power - 1) * total

    if logs.var() == 0.0:
        # Values so close that their logarithms are the same number: any power does, this one changes them least.
        return 1.0
    power = float(scipy.optimize.brent(loss, brack=(-2.0, 2.0)))
    if abs(power) * (high - low) < AS_GOOD_AS_LOG:
        return 0.0
    if max(power * low, power * high) < math.log(LARGEST) + min(0.0, math.log(max(abs(power), 1e-300))):
        return power
    with warnings.catch_warnings():
        # SciPy warns when it keeps the power inside of the bound given; being inside is what is wanted.
        warnings.simplefilter("ignore")
        return float(scipy.stats.boxcox_normmax(values, method="mle", ymax=LARGEST))
