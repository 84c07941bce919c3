"""Statistics of clusters that are opened one after another."""

from __future__ import annotations

import numpy as np

from disnplbm.model.statistics import Statistics
from disnplbm.sampler.growing import GrowingStatistics


def _filled(number: int, d: int) -> Statistics:
    generator = np.random.default_rng(number)
    return Statistics(
        generator.random((number, 3)), generator.random((number, 3, d)), generator.random((number, 3, d, d))
    )


def test_sets_keep_their_values_as_more_are_opened() -> None:
    first, more = _filled(4, 2), _filled(5, 2)
    growing = GrowingStatistics(first.copy())
    for t in range(5):
        growing.extend(1)
        assert not growing.sets[4 + t].mean.any()
        growing.sets[4 + t] = more[t]
    for name in ("count", "mean", "scatter"):
        expected = np.concatenate([getattr(first, name), getattr(more, name)])
        np.testing.assert_array_equal(getattr(growing.sets, name), expected)


def test_opening_clusters_one_by_one_copies_each_of_them_a_few_times_only() -> None:
    growing, copied = GrowingStatistics(Statistics.empty((0, 1), 1)), 0
    for number in range(5000):
        before = growing.sets.count.base
        growing.extend(1)
        copied += number if growing.sets.count.base is not before else 0
    assert growing.sets.shape == (5000, 1)
    assert copied <= 3 * 5000
