"""Both samplers are calibrated: over tables drawn from the model, the truth ranks uniformly among posterior draws.

A small version of ``benchmarks/studies/simulation_based.py``, which has a thousand tables a sampler and draws the
histograms. ``pytest -rP`` shows what was measured.
"""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.simulation_based import BETA, STATISTICS, Setting, calibrated, ranked

from .goodness import LEAST_P

#: Tables a sampler; draws of each, for ranks 0 to 9; bins of two ranks.
TABLES, DRAWS, BINS = 150, 9, 5


def p_values(setting: Setting) -> dict[str, float]:
    """Of the chi-square test of uniform ranks, for every statistic."""
    found = calibrated(setting, range(TABLES), DRAWS).p_values(DRAWS, BINS)
    result = {name: float(p) for name, p in zip(STATISTICS, found, strict=True)}
    print(setting, result)
    return result


@pytest.mark.long
@pytest.mark.parametrize(
    "setting",
    [
        Setting("one shard", "collapsed", 1, burn_in=30, thin=4),
        Setting("three shards", "split-merge", 3, burn_in=90, thin=15),
    ],
    ids=lambda setting: setting.sampler,
)
def test_ranks_are_uniform(setting: Setting) -> None:
    found = p_values(setting)
    assert min(found.values()) >= LEAST_P, found


@pytest.mark.long
def test_ranks_under_another_concentration_are_not() -> None:
    found = p_values(Setting("wrong on purpose", "collapsed", 1, burn_in=30, thin=4, beta=4 * BETA))
    assert found["L"] < LEAST_P, found


def test_ties_are_broken_evenly() -> None:
    generator = np.random.default_rng(0)
    draws = np.array([[1.0], [2.0], [2.0], [2.0], [3.0]])
    ranks = [int(ranked(np.array([2.0]), draws, generator)[0]) for _ in range(4000)]
    counts = np.bincount(ranks, minlength=6)
    assert counts[[0, 5]].sum() == 0
    # Five standard deviations of a count of expectation 1000.
    assert (np.abs(counts[1:5] - 1000) < 5 * np.sqrt(750)).all()
