"""The leading principal direction of some items, by power iteration in plain loops: the same bits whatever the BLAS."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.model.statistics import Floats

#: Rounds of power iteration at most; they stop when no score changes its sign.
POWER_ROUNDS = 30


@inlined
def _product(a, b):  # type: ignore[no-untyped-def]
    """Sum of a b; four sums side by side hide an addition's latency."""
    s0 = s1 = s2 = s3 = 0.0
    whole = a.size - a.size % 4
    for f in range(0, whole, 4):
        s0 += a[f] * b[f]
        s1 += a[f + 1] * b[f + 1]
        s2 += a[f + 2] * b[f + 2]
        s3 += a[f + 3] * b[f + 3]
    for f in range(whole, a.size):
        s0 += a[f] * b[f]
    return (s0 + s1) + (s2 + s3)


@kernel
def _scores(features, rounds, scores):  # type: ignore[no-untyped-def]
    largest, farthest = 0.0, 0
    for i in range(scores.size):
        norm = _product(features[i], features[i])
        if norm > largest:
            largest, farthest = norm, i
    scores[:] = 0.0
    if largest == 0.0:
        return
    direction, following = features[farthest] / np.sqrt(largest), np.empty(features.shape[1])
    for _ in range(rounds):
        following[:] = 0.0
        changed = False
        for i in range(scores.size):
            row = features[i]
            score = _product(row, direction)
            changed |= (score >= 0.0) != (scores[i] >= 0.0)
            scores[i] = score
            for f in range(row.size):
                following[f] += score * row[f]
        if not changed:
            return
        norm = np.sqrt(_product(following, following))
        for f in range(following.size):
            direction[f] = following[f] / norm


def leading_scores(features: Floats) -> Floats:
    """Scores of items on their leading principal direction, up to a factor.

    Parameters
    ----------
    features : ndarray of shape (m, F), C-contiguous
        Taken as they are: centre them first.

    Returns
    -------
    ndarray of shape (m,)
        All zero where the features are. Power iteration starts at the features of the largest norm.
    """
    scores = np.empty(len(features))
    _scores(features, POWER_ROUNDS, scores)
    return scores
