"""The join folds shards in shard order: order of arrival and repeated messages leave no trace."""

from __future__ import annotations

import re
from itertools import permutations

import numpy as np
import pytest

from disnplbm.errors import RunError
from disnplbm.families.gaussian import Gaussian
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import aggregate, cells_by_cluster
from disnplbm.sampler.join import StreamingJoin
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.keys import Role, random_generator
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, ShardStatistics

from .runs import blocks_of, framed, shards_of

N_SHARDS, N_NAMED = 4, 3
VALUES, PRIOR = framed(blocks_of(41, 6, 3, 2, seed=4, sd=3.0)[0])
COLUMNS = np.array([0, 1, 0, 0, 1, 1], dtype=np.int32)


def messages() -> list[ShardStatistics]:
    """What four shards send: of five clusters each, three have global names and two are new."""
    sent = []
    for shard in shards_of(VALUES, N_SHARDS):
        labels = np.random.default_rng(shard.index).integers(0, 5, shard.n_rows).astype(np.int32)
        overlap = np.random.default_rng(shard.index).random(5)
        sent.append(shard.summarise(Labelled(labels, np.array([0, 1, 2, -1, -1], dtype=np.int32), overlap)))
    return sent


def join_of(mode: str, view: str = "global") -> StreamingJoin:
    parameters = Parameters(alpha=2.0, join=mode, view=view, n_shards=N_SHARDS)
    return StreamingJoin(
        parameters,
        [(Gaussian(PRIOR, 1.0), COLUMNS)],
        N_NAMED,
        PartitionPrior.of(parameters.alpha),
        random_generator(0, 0, 1, Role.JOIN),
    )


def as_bytes(joined: Joined) -> bytes:
    cells = joined.parts[0].cells
    parts = [joined.sizes, joined.first_row, joined.overlap, cells.count, cells.mean, cells.scatter, *joined.to_global]
    return b"".join(np.ascontiguousarray(part).tobytes() for part in parts)


def joined_in(order: tuple[int, ...], mode: str) -> Joined:
    join, sent = join_of(mode), messages()
    for e in order:
        join.add(sent[e])
    return join.finish()


@pytest.mark.parametrize("mode", ["blockwise", "averaged"])
def test_the_order_of_arrival_does_not_matter(mode: str) -> None:
    outcomes = {as_bytes(joined_in(order, mode)) for order in permutations(range(N_SHARDS))}
    assert len(outcomes) == 1


@pytest.mark.parametrize("mode", ["blockwise", "averaged"])
def test_a_message_delivered_twice_is_taken_once(mode: str) -> None:
    join, sent = join_of(mode), messages()
    taken = [join.add(sent[e]) for e in (2, 2, 0, 0, 3, 1, 1, 2, 3)]
    assert taken == [True, False, True, False, True, True, False, False, False]
    assert as_bytes(join.finish()) == as_bytes(joined_in((0, 1, 2, 3), mode))


@pytest.mark.parametrize("mode", ["blockwise", "averaged"])
def test_it_is_not_finished_before_all_shards_are_in(mode: str) -> None:
    join, sent = join_of(mode), messages()
    for e in (0, 3, 1):
        join.add(sent[e])
        with pytest.raises(RunError, match=re.escape("join: statistics of shard ") + r"\d of 4 are missing"):
            join.finish()
    join.add(sent[2])
    assert join.finish().sizes.sum() == 41


@pytest.mark.parametrize("mode", ["blockwise", "averaged"])
def test_global_clusters_hold_the_rows_that_the_maps_send_there(mode: str) -> None:
    joined, sent = joined_in((3, 1, 0, 2), mode), messages()
    rows = np.empty(41, dtype=np.int32)
    for e in range(N_SHARDS):
        rows[e::N_SHARDS] = joined.to_global[e][sent[e].labels]
    number = len(joined.sizes)
    np.testing.assert_array_equal(joined.sizes, np.bincount(rows, minlength=number))
    for k in np.flatnonzero(joined.sizes):
        assert joined.first_row[k] == np.flatnonzero(rows == k)[0]
    expected, cells = cells_by_cluster(VALUES, rows, number), joined.parts[0].cells
    np.testing.assert_array_equal(cells.count, expected.count)
    np.testing.assert_allclose(cells.mean, expected.mean, rtol=0, atol=1e-12)
    np.testing.assert_allclose(cells.scatter, expected.scatter, rtol=0, atol=1e-11)
    blocks = aggregate(cells, COLUMNS, 2, axis=1)
    assert blocks.count.sum() == 41 * 6


def test_named_clusters_keep_their_names_blockwise() -> None:
    joined = joined_in((0, 1, 2, 3), "blockwise")
    for targets in joined.to_global:
        np.testing.assert_array_equal(targets[:N_NAMED], np.arange(N_NAMED))


def test_with_one_shard_new_clusters_stay_as_they_are() -> None:
    (shard,) = shards_of(VALUES, 1)
    parameters = Parameters(alpha=1e-9, n_shards=1)
    labels = (np.arange(41) % 5).astype(np.int32)
    join = StreamingJoin(
        parameters,
        [(Gaussian(PRIOR, 1.0), COLUMNS)],
        N_NAMED,
        PartitionPrior.of(parameters.alpha),
        random_generator(0, 0, 1, Role.JOIN),
    )
    join.add(shard.summarise(Labelled(labels, np.array([0, 1, 2, -1, -1], dtype=np.int32))))
    np.testing.assert_array_equal(join.finish().to_global[0], np.arange(5))
