"""Synthetic counts, 0/1 and categories."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.data.synthetic_cells import plant

ROWS, COLUMNS = np.arange(600) % 4, np.arange(300) % 3


@pytest.mark.parametrize("mean", [0.02, 0.1, 0.4, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("seed", [0, 1])
def test_as_many_cells_are_ones_as_are_asked_for(mean: float, seed: int) -> None:
    cells = plant("binary", ROWS, COLUMNS, mean, np.random.default_rng(seed))(slice(None))
    assert cells.mean() == pytest.approx(mean, abs=0.005)
    shares = np.array([[cells[np.ix_(k == ROWS, c == COLUMNS)].mean() for c in range(3)] for k in range(4)])
    assert np.ptp(shares) > mean * (1 - mean)


def test_counts_have_the_mean_that_is_asked_for() -> None:
    cells = plant("counts", ROWS, COLUMNS, 0.7, np.random.default_rng(0))(slice(None))
    assert cells.mean() == pytest.approx(0.7, rel=0.15)
