"""The launch of a guided split tells two clusters apart that lie in one."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from disnplbm.families.gaussian.launch import launch
from disnplbm.kernels.blocks import KernelPrior, bare_items
from disnplbm.kernels.gaussian import likelier_sides
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, Statistics, cells_by_group


def two_clusters(d: int, p: int, rng: np.random.Generator) -> tuple[Floats, Labels]:
    """100 rows of p cells of d numbers, in two clusters whose means lie 6 sd apart."""
    sides = rng.integers(2, size=100)
    direction = rng.normal(size=(p, d))
    direction *= 3 / np.linalg.norm(direction)
    return np.where(sides, 1.0, -1.0)[:, None, None] * direction + rng.normal(size=(100, p, d)), sides.astype(np.int32)


def sides_of(items: Statistics, first: int, second: int) -> Labels:
    d = items.dimension
    prior = KernelPrior.of(NIWPrior(np.zeros(d), 1.0, np.eye(d), d + 1.0), 1.0)
    everyone = np.arange(len(items.count), dtype=np.int32)
    return likelier_sides(bare_items(items, alike=False), launch(items, first, second, prior), everyone)


@pytest.mark.parametrize(("d", "p"), [(1, 1), (1, 6), (2, 1), (8, 1), (9, 3), (20, 1)])
def test_merged_clusters_are_told_apart_in_any_dimension(d: int, p: int) -> None:
    rng, found = np.random.default_rng([d, p]), []
    for _ in range(10):
        values, sides = two_clusters(d, p, rng)
        items = cells_by_group(values, np.arange(p, dtype=np.int32), p)
        first, second = rng.choice(np.flatnonzero(sides == 0)), rng.choice(np.flatnonzero(sides == 1))
        found.append(adjusted_rand_score(sides, sides_of(items, int(first), int(second))) > 0.9)
    # Components are brought to one scale, so that two of them need not show which way the clusters lie.
    assert sum(found) >= (8 if d * p == 2 else 10)


def test_the_first_anchor_is_on_side_0() -> None:
    values, sides = two_clusters(20, 1, np.random.default_rng(1))
    items = cells_by_group(values, np.zeros(1, dtype=np.int32), 1)
    first, second = int(np.flatnonzero(sides == 0)[0]), int(np.flatnonzero(sides == 1)[0])
    there, back = sides_of(items, first, second), sides_of(items, second, first)
    assert there[first] == back[second] == 0
    assert (there == 1 - back).all()


def test_missing_cells_and_components_that_do_not_vary_count_for_nothing() -> None:
    values, sides = two_clusters(20, 2, np.random.default_rng(2))
    values[:, :, 3] = 7.0
    values[::3, 0] = np.nan
    items = cells_by_group(values, np.arange(2, dtype=np.int32), 2)
    seen = np.flatnonzero(np.arange(100) % 3 > 0)
    first, second = seen[sides[seen] == 0][0], seen[sides[seen] == 1][0]
    found = sides_of(items, int(first), int(second))
    assert adjusted_rand_score(sides[seen], found[seen]) > 0.9
