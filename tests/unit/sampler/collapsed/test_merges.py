"""Merges across shards under a limit of clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.errors import RunError
from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Labels, Statistics
from disnplbm.sampler.cluster_blocks import ClusterBlocks
from disnplbm.sampler.collapsed.merges import Pairs, decide_merges
from disnplbm.sampler.joined import Joined, JoinedPart
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.part import Part
from disnplbm.sampler.state import Broadcast
from disnplbm.samplers import sampler_of


def test_slots_without_members_do_not_count_towards_the_limit() -> None:
    """Two clusters far apart, of two that there may be, beside three slots that this iteration's sweeps emptied."""
    sizes = np.array([100, 100, 0, 0, 0])
    count = sizes[:, None].astype(np.float64)
    blocks = Statistics(count, np.array([5.0, -5.0, 0, 0, 0])[:, None, None], count[..., None, None].copy())
    of_family = ClusterBlocks([Gaussian(NIWPrior(np.zeros(1), 1.0, np.eye(1), 2.0), 1.0)], [blocks])
    pairs = np.array([1, 0, -1, -1, -1], dtype=np.int32)
    parameters = Parameters(row_limit=2, n_shards=2)
    into = decide_merges(sizes, np.zeros(5), of_family, pairs, parameters, PartitionPrior.of(1.0, 2), 30)
    np.testing.assert_array_equal(into, np.arange(5))


def test_in_the_approach_of_split_merge_every_other_iteration_pairs_clusters_that_are_alike() -> None:
    """Four pairs of means; clusters 2 k and 7 - 2 k are alike."""
    count = np.full((8, 1), 50.0)
    mean = np.array([0.0, 30.0, 10.0, 20.0, 20.2, 10.2, 30.2, 0.2])[:, None, None]
    blocks = Statistics(count, mean, count[..., None, None].copy())
    alike = np.array([7, 6, 5, 4, 3, 2, 1, 0])
    split_merge = Parameters(sampler="split-merge", n_shards=2, approach=60)
    np.testing.assert_array_equal(partners_of(split_merge, 30, blocks), alike)
    # At random otherwise, so that no pair is shut out.
    others = [partners_of(split_merge, iteration, blocks) for iteration in (23, 27, 31, 35)]
    assert len({pairs.tobytes() for pairs in others}) == 4
    for pairs in others:
        np.testing.assert_array_equal(pairs[pairs], np.arange(8))
    assert not np.array_equal(partners_of(Parameters(n_shards=2), 30, blocks), alike)


@pytest.mark.parametrize(
    ("parameters", "iteration"),
    [
        (Parameters(n_shards=2), 20),
        (Parameters(n_shards=1), 30),
        (Parameters(n_shards=2, pair_moves=False), 30),
        (Parameters(n_shards=2, view="local"), 30),
        (Parameters(n_shards=2, join="averaged"), 30),
        (Parameters(sampler="split-merge", n_shards=2, approach=60), 20),
        (Parameters(sampler="split-merge", n_shards=2, approach=60, pair_moves=False), 30),
        (Parameters(sampler="split-merge", n_shards=2, approach=10), 31),
    ],
)
def test_iterations_without_merges_have_no_partners(parameters: Parameters, iteration: int) -> None:
    blocks = Statistics(np.full((8, 1), 50.0), np.zeros((8, 1, 1)), np.full((8, 1, 1, 1), 50.0))
    assert len(partners_of(parameters, iteration, blocks)) == 0


def partners_of(parameters: Parameters, iteration: int, blocks: Statistics) -> Labels:
    """The partners in the record of an iteration with these blocks."""
    k, groups = blocks.shape
    labels, sizes = np.arange(groups, dtype=np.int32), np.full(k, 50, dtype=np.int64)
    family = Gaussian(NIWPrior(np.zeros(1), 1.0, np.eye(1), 2.0), 1.0)
    broadcast = Broadcast(iteration, sizes, (Part(family, labels, blocks, 1.0),), 1.0, ())
    joined = Joined(sizes, np.arange(k), (JoinedPart(family, labels, blocks),), np.zeros(k), (), ())
    found: Labels = sampler_of(parameters.sampler).record(joined, broadcast, parameters)[0]
    return found


def test_the_state_of_an_earlier_version_has_its_partners_first() -> None:
    """Behind them stood what other samplers needed; nothing of it is."""
    partners, sizes = np.array([1, 0], dtype=np.int32), np.full(2, 50, dtype=np.int64)
    nobody = np.zeros(0, dtype=np.int32)
    broadcast = Broadcast(30, sizes, (), 1.0, (partners, (nobody,) * 6, (np.zeros(0), nobody, 0.0)))
    assert Pairs.of(broadcast).partners is partners
    for record in ((), (1,)):
        with pytest.raises(RunError, match="its record has no partners"):
            Pairs.of(replace(broadcast, record=record))
