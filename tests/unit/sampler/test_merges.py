"""Merges across shards under a limit of clusters."""

from __future__ import annotations

import numpy as np

from disnplbm.kernels.blocks import hyper
from disnplbm.kernels.urn import urn
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics
from disnplbm.sampler.merges import partners, row_merges
from disnplbm.sampler.parameters import Parameters


def test_slots_without_members_do_not_count_towards_the_limit() -> None:
    """Two clusters far apart, of two that there may be, beside three slots that this iteration's sweeps emptied."""
    sizes = np.array([100, 100, 0, 0, 0])
    count = sizes[:, None].astype(np.float64)
    blocks = Statistics(count, np.array([5.0, -5.0, 0, 0, 0])[:, None, None], count[..., None, None].copy())
    prior = hyper(NIWPrior(np.zeros(1), 1.0, np.eye(1), 2.0), 1.0)
    pairs = np.array([1, 0, -1, -1, -1], dtype=np.int32)
    parameters = Parameters(row_limit=2, n_shards=2)
    into = row_merges(sizes, np.zeros(5), blocks, pairs, parameters, urn(1.0, 2), prior, 30)
    np.testing.assert_array_equal(into, np.arange(5))


def test_in_the_approach_of_split_merge_every_other_iteration_pairs_clusters_that_are_alike() -> None:
    """Four pairs of means; clusters 2 k and 7 - 2 k are alike."""
    count = np.full((8, 1), 50.0)
    mean = np.array([0.0, 30.0, 10.0, 20.0, 20.2, 10.2, 30.2, 0.2])[:, None, None]
    blocks = Statistics(count, mean, count[..., None, None].copy())
    prior = hyper(NIWPrior(np.zeros(1), 1.0, np.eye(1), 2.0), 1.0)
    parameters = Parameters(sampler="split-merge", n_shards=2, approach=60)
    alike = np.array([7, 6, 5, 4, 3, 2, 1, 0])
    np.testing.assert_array_equal(partners(parameters, 30, blocks, prior), alike)
    # At random otherwise, so that no pair is shut out.
    others = [partners(parameters, iteration, blocks, prior) for iteration in (23, 27, 31, 35)]
    assert len({pairs.tobytes() for pairs in others}) == 4
    for pairs in others:
        np.testing.assert_array_equal(pairs[pairs], np.arange(8))
    collapsed = Parameters(n_shards=2)
    assert not np.array_equal(partners(collapsed, 30, blocks, prior), alike)
