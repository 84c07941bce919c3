"""A table is a list of parts: its state packs, and its joint density is a sum."""

from __future__ import annotations

from dataclasses import replace

import msgpack
import numpy as np
import pytest

from disnplbm.errors import InputError, RunError
from disnplbm.families.counts import Counts
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics
from disnplbm.sampler.concentrations import log_prior
from disnplbm.sampler.joint import log_joint
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.packing import (
    pack_start,
    pack_state,
    pack_statistics,
    unpack_start,
    unpack_state,
    unpack_statistics,
)
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.starts import Start, column_starts
from disnplbm.sampler.state import Broadcast, ChainState

K = 3
SIZES = np.array([4, 2, 1])
RNG = np.random.default_rng(3)
NUMBERS = Gaussian(NIWPrior([0.0], 1.0, [[1.0]], 3.0), 0.7)
COUNTS = Counts(2.0, 1.5, 0.7)
EMPTY = np.zeros(0, dtype=np.int32)


def of_numbers() -> Part:
    """A part of three columns in two clusters."""
    blocks = Statistics(RNG.integers(1, 5, (K, 2)).astype(float), RNG.random((K, 2, 1)), RNG.random((K, 2, 1, 1)))
    return Part(NUMBERS, np.array([0, 1, 0], dtype=np.int32), blocks, 1.7)


def of_counts() -> Part:
    """A part of four columns in one cluster."""
    return Part(COUNTS, np.zeros(4, dtype=np.int32), Sums(RNG.random((K, 1, 2))), 0.4)


def state_of(*parts: Part) -> ChainState:
    """A state, of which the rows are in three clusters."""
    return ChainState(Broadcast(7, SIZES, parts, 1.5, (EMPTY, (1.0, EMPTY))), (np.arange(K, dtype=np.int32),), -12.5)


@pytest.mark.parametrize("turned", [False, True])
def test_a_state_of_two_parts_comes_back(turned: bool) -> None:
    parts = [of_numbers(), of_counts()]
    parts = parts[::-1] if turned else parts
    families = [part.family for part in parts]
    packed = pack_state(state_of(*parts))
    found = unpack_state(packed, families)
    assert pack_state(found) == packed
    for there, part in zip(found.broadcast.parts, parts, strict=True):
        assert (there.family, there.beta) == (part.family, part.beta)
        np.testing.assert_array_equal(there.column_labels, part.column_labels)
        for one, other in zip(there.blocks.arrays, part.blocks.arrays, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("families", [[], [NUMBERS], [NUMBERS, COUNTS, COUNTS]])
def test_a_state_of_other_parts_than_the_table_is_refused(families: list[Gaussian | Counts]) -> None:
    with pytest.raises(RunError, match="the state of a chain is damaged"):
        unpack_state(pack_state(state_of(of_numbers(), of_counts())), families)


def test_a_state_of_one_part_has_the_fields_it_always_had() -> None:
    """Chains that an earlier version left go on."""
    part = of_numbers()
    broadcast, to_global, joint = msgpack.unpackb(pack_state(state_of(part)))
    assert (len(to_global), joint) == (1, -12.5)
    iteration, labels, sizes, blocks, alpha, beta, partners, more = broadcast
    assert (iteration, alpha, beta, len(blocks), more[0]) == (7, 1.5, 1.7, 3, 1.0)
    for found, array in zip((labels, sizes, *blocks), (part.column_labels, SIZES, *part.blocks.arrays), strict=True):
        assert msgpack.unpackb(found.data)[2] == array.tobytes()
    assert msgpack.unpackb(partners.data)[2] == b""


def test_the_statistics_of_two_parts_come_back() -> None:
    parts = of_numbers().blocks, of_counts().blocks
    ids, sizes = np.arange(K, dtype=np.int32), SIZES.astype(np.int64)
    packed = pack_statistics(ShardStatistics(0, EMPTY, ids, sizes, sizes, parts, np.zeros(K)))
    found = unpack_statistics(packed)
    assert pack_statistics(found) == packed
    assert found.shapes == tuple(part.row_shape for part in parts)
    short = replace(found, parts=(parts[0], parts[1][:2]))
    with pytest.raises(RunError, match="the statistics of a shard are damaged"):
        unpack_statistics(pack_statistics(short))


@pytest.mark.parametrize("learned", [False, True])
def test_the_joint_density_is_a_sum_over_the_parts(learned: bool) -> None:
    parts, alpha = [of_numbers(), of_counts()], 1.3
    parameters = Parameters(alpha=alpha, learn_alpha=learned, learn_beta=learned)
    expected = log_partition(SIZES, PartitionPrior.of(alpha)) + (log_prior(alpha) if learned else 0.0)
    for part in parts:
        expected += float(part.family.log_marginals(part.blocks).sum()) + (log_prior(part.beta) if learned else 0.0)
        expected += log_partition(np.bincount(part.column_labels), PartitionPrior.of(part.beta))
    assert log_joint(parts, SIZES, alpha, parameters) == pytest.approx(expected, rel=1e-13)


def test_each_part_has_its_own_start() -> None:
    parameters = Parameters(seed=4)
    one, two = column_starts(Start(), parameters, [50, 50])
    assert not np.array_equal(one, two)
    np.testing.assert_array_equal(one, column_starts(Start(), parameters, [50])[0])
    given = Start("given", columns=[one, two])
    assert pack_start(unpack_start(pack_start(given))) == pack_start(given)
    for found, expected in zip(column_starts(given, parameters, [50, 50]), (one, two), strict=True):
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(InputError, match="start: column labels of 2 parts given for 3 parts"):
        column_starts(given, parameters, [50, 50, 20])


def test_the_streams_of_part_0_are_those_there_were_before_parts() -> None:
    key = np.random.SeedSequence(5, spawn_key=(1, 2, int(Role.COLUMN_SWEEP), 3))
    before = np.random.Generator(np.random.Philox(key)).random(4)
    drawn = [random_generator(5, 1, 2, Role.COLUMN_SWEEP, 3, part).random(4) for part in range(3)]
    np.testing.assert_array_equal(drawn[0], before)
    assert len({numbers.tobytes() for numbers in drawn}) == 3
