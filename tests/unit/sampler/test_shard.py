"""What a shard sends does not depend on what it kept from earlier iterations."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.families.gaussian import Gaussian
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.kernels.statistics import aggregate
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import Labelled, Shard

NAMES = np.arange(6, dtype=np.int32)
COLUMNS = np.array([0, 1, 0, 2, 1, 0, 2], dtype=np.int32)


def values(d: int, missing: float) -> Floats:
    rng = np.random.default_rng(d)
    result = rng.normal(size=(60, 7, d))
    result[rng.random((60, 7)) < missing] = np.nan
    return result


def equal(first: Statistics, second: Statistics) -> bool:
    return all(
        getattr(first, field).tobytes() == getattr(second, field).tobytes() for field in ("count", "mean", "scatter")
    )


@pytest.mark.parametrize(("d", "missing"), [(1, 0.0), (1, 0.2), (2, 0.2)])
def test_clusters_that_stayed_have_the_bits_of_fresh_ones(d: int, missing: float) -> None:
    data, rng = values(d, missing), np.random.default_rng(0)
    kept = Shard([DenseCells(data, complete=missing == 0)], 0, 1)
    labels = rng.integers(0, 6, 60).astype(np.int32)
    for moves in (0, 1, 0, 5, 60):
        labels = labels.copy()
        labels[rng.choice(60, moves, replace=False)] = rng.integers(0, 6, moves)
        # Renamed too: a cluster is known by its members.
        labels = rng.permutation(6).astype(np.int32)[labels]
        fresh = Shard([DenseCells(data, complete=missing == 0)], 0, 1)
        of_kept, of_fresh = (shard.summarise(Labelled(labels, NAMES)).parts[0] for shard in (kept, fresh))
        assert equal(of_kept, of_fresh)


@pytest.mark.parametrize(("d", "missing"), [(1, 0.0), (1, 0.2), (2, 0.2)])
def test_column_clusters_sum_up_their_columns(d: int, missing: float) -> None:
    shard = Shard([DenseCells(values(d, missing), complete=missing == 0)], 0, 1)
    labels = np.random.default_rng(1).integers(0, 6, 60).astype(np.int32)
    family = Gaussian(NIWPrior(np.zeros(d), 1.0, np.eye(d), d + 1.0), 1.0)
    by_column = aggregate(shard.summarise(Labelled(labels, NAMES)).parts[0], COLUMNS, 3, axis=1)
    part = Part(family, COLUMNS, family.empty((6, 3)), 1.0)
    (by_group,) = shard.summarise_groups(Labelled(labels, NAMES), [part]).parts
    np.testing.assert_array_equal(by_group.count, by_column.count)
    np.testing.assert_allclose(by_group.mean, by_column.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(by_group.scatter, by_column.scatter, rtol=0, atol=1e-11)
