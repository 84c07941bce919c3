"""Losses of one partition against another by their formulas, for tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from disnplbm.posterior.scores import contingency


def variation_of_information(a: np.ndarray, b: np.ndarray) -> float:
    """In nats."""
    return _distance(a, b, lambda counts: counts * np.log(np.maximum(counts, 1.0)), len(a))


def binder_loss(a: np.ndarray, b: np.ndarray) -> float:
    """Share of the pairs of items that are together in one partition and apart in the other."""
    return _distance(a, b, np.square, max(len(a) * (len(a) - 1), 1))


def _distance(a: np.ndarray, b: np.ndarray, phi: Callable[[np.ndarray], np.ndarray], scale: float) -> float:
    table = contingency(a, b)
    total = phi(table.sum(axis=1)).sum() + phi(table.sum(axis=0)).sum() - 2.0 * phi(table).sum()
    return max(float(total) / scale, 0.0)
