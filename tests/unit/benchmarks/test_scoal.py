"""The rival that is told K and L: it finds blocks that differ in slopes alone, and foresees unseen cells."""

from __future__ import annotations

import numpy as np
from benchmarks.rivals.scoal import scoal
from sklearn.metrics import adjusted_rand_score


def test_scoal_finds_planted_regressions() -> None:
    rng = np.random.default_rng(0)
    rows, columns = np.arange(40) % 3, np.arange(20) % 2
    x = rng.normal(size=(40, 20))
    u = np.stack([np.ones((40, 20)), x], axis=-1)
    slopes = np.array([[[0.0, 2.0], [0.0, -2.0]], [[0.0, -2.0], [0.0, 2.0]], [[0.0, 0.0], [0.0, 5.0]]])
    mean = (slopes[rows][:, columns] * u).sum(axis=-1)
    seen = rng.random((40, 20)) < 0.6
    found = scoal(u, np.where(seen, mean + 0.1 * rng.normal(size=mean.shape), np.nan), 3, 2)
    assert adjusted_rand_score(rows, found.row_labels) == 1.0
    assert adjusted_rand_score(columns, found.column_labels) == 1.0
    assert np.abs(found.predict(u) - mean)[~seen].max() < 0.3
