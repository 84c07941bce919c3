"""Single random decisions, with this package's own logarithm and exponential."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.errors import WeightError
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.special import exp, log, log_gamma
from disnplbm.model.statistics import Floats

#: So far below the best the exponential leaves its range.
_OUT_OF_RANGE = 700.0


@inlined
def find_best(weight):  # type: ignore[no-untyped-def]
    """Place of the largest log weight, the first of several; -1 if one is no number or infinite, or all are -inf."""
    best = -1
    for k in range(weight.size):
        if not weight[k] < np.inf:
            return -1
        if weight[k] > (weight[best] if best >= 0 else -np.inf):
            best = k
    return best


@kernel
def _choose(log_weights, uniform):  # type: ignore[no-untyped-def]
    best = -np.inf
    for weight in log_weights:
        if not weight < np.inf:
            return -1
        best = max(best, weight)
    if best == -np.inf:
        return -1
    total = 0.0
    cumulative = np.empty(log_weights.size)
    for k in range(log_weights.size):
        if log_weights[k] - best > -_OUT_OF_RANGE:
            total += exp(log_weights[k] - best)
        cumulative[k] = total
    for k in range(log_weights.size):
        if uniform * total < cumulative[k]:
            return k
    return log_weights.size - 1


@kernel
def _logs(values):  # type: ignore[no-untyped-def]
    result = np.empty(values.size)
    for i in range(values.size):
        result[i] = log(values[i]) if values[i] > 0.0 else -np.inf
    return result


@kernel
def _log_gammas(values):  # type: ignore[no-untyped-def]
    result = np.empty(values.size)
    for i in range(values.size):
        result[i] = log_gamma(values[i])
    return result


def choose(log_weights: Floats, uniform: float) -> int:
    """Index drawn in proportion to exp(log_weights), by inversion of one uniform in [0, 1).

    Raises
    ------
    WeightError
        A log weight is NaN or infinite, or all of them are -inf.
    """
    chosen = int(_choose(log_weights, uniform))
    if chosen < 0:
        raise WeightError(0)
    return chosen


def accept(log_ratio: float, uniform: float) -> bool:
    """Whether a proposal of that log acceptance ratio is accepted; WeightError if the ratio is NaN."""
    if math.isnan(log_ratio):
        raise WeightError(0)
    return uniform == 0.0 or logs([uniform])[0] < log_ratio


def logs(values: ArrayLike) -> Floats:
    """Natural logarithms of non-negative numbers, shape (m,); -inf of 0."""
    result: Floats = _logs(np.asarray(values, dtype=np.float64))
    return result


def log_gammas(values: ArrayLike) -> Floats:
    """Log-gamma of positive numbers, shape (m,)."""
    result: Floats = _log_gammas(np.asarray(values, dtype=np.float64))
    return result


@kernel
def _powers(values, exponent):  # type: ignore[no-untyped-def]
    result = np.empty(values.size)
    for i in range(values.size):
        log_power = exponent * log(values[i]) if values[i] > 0.0 else -np.inf
        result[i] = exp(log_power) if log_power > -_OUT_OF_RANGE else 0.0
    return result


def powers(values: ArrayLike, exponent: float) -> Floats:
    """Numbers in [0, 1] to a positive power, shape (m,)."""
    result: Floats = _powers(np.asarray(values, dtype=np.float64), float(exponent))
    return result
