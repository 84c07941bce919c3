"""What is packed comes back as it was, the same values give the same bytes, and what is damaged is one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from disnplbm.errors import RunError
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.families.gaussian import Gaussian
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Statistics
from disnplbm.sampler.packing import (
    pack,
    pack_broadcast,
    pack_labels,
    pack_start,
    pack_state,
    pack_statistics,
    unpack,
    unpack_broadcast,
    unpack_labels,
    unpack_start,
    unpack_state,
    unpack_statistics,
)
from disnplbm.sampler.part import Part
from disnplbm.sampler.shard import ShardStatistics
from disnplbm.sampler.split_merge.measure import Measure
from disnplbm.sampler.split_merge.plan import Plan
from disnplbm.sampler.split_merge.tries import Tries
from disnplbm.sampler.starts import Start
from disnplbm.sampler.state import Broadcast, ChainState

FAMILY = Gaussian(NIWPrior([0.0], 1.0, [[1.0]], 3.0), 1.0)
ARRAYS = st.sampled_from([np.float64, np.int64, np.int32, np.uint32, np.uint16, np.uint8, np.bool_]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
PLAIN = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary()
)
BOTH_WAYS: tuple[tuple[Callable[[bytes], Any], Callable[[Any], bytes]], ...] = (
    (unpack, pack),
    (unpack_statistics, pack_statistics),
    (lambda data: unpack_state(data, [FAMILY]), pack_state),
    (lambda data: unpack_broadcast(data, [FAMILY]), pack_broadcast),
    (unpack_start, pack_start),
    (unpack_labels, pack_labels),
)
VALUES = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@given(ARRAYS)
def test_arrays_come_back_with_all_their_bits(array: np.ndarray[Any, Any]) -> None:
    found = unpack(pack(array))
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()
    assert found.flags.writeable
    assert found.flags.c_contiguous
    assert pack(found) == pack(array)


@given(VALUES)
def test_plain_values_come_back(value: Any) -> None:
    assert unpack(pack(value)) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for read, write in BOTH_WAYS:
        try:
            found = read(data)
        except RunError as error:
            said = str(error)
        else:
            said = "read"
            assert write(read(write(found))) == write(found)
        assert len(said.splitlines()) == 1


@given(ARRAYS.filter(lambda array: array.size > 0), st.data())
def test_an_array_that_was_cut_is_refused(array: np.ndarray[Any, Any], data: st.DataObject) -> None:
    whole = pack(array)
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(RunError):
        unpack(whole[:cut])


@pytest.mark.parametrize(
    "body",
    [
        ["<f8", [2**40], b""],
        ["<f8", [-1], b""],
        ["<f8", [2], bytes(8)],
        ["|O", [1], bytes(8)],
        ["<f8", [1] * 5, bytes(8)],
        ["<f8", ["1"], bytes(8)],
        "nothing",
    ],
)
def test_a_shape_that_its_bytes_do_not_fill_is_refused_before_memory_is_asked_for(body: Any) -> None:
    with pytest.raises(RunError, match="damaged"):
        unpack(msgpack.packb(msgpack.ExtType(1, msgpack.packb(body))))


@pytest.mark.parametrize("array", [np.zeros(2, dtype=object), np.zeros(2, dtype="f4"), np.zeros((1,) * 5)])
def test_other_arrays_are_not_sent(array: Any) -> None:
    with pytest.raises(TypeError):
        pack(array)


def test_states_and_statistics_come_back() -> None:
    generator = np.random.default_rng(1)
    blocks = Statistics(generator.random((3, 2)), generator.random((3, 2, 2)), generator.random((3, 2, 2, 2)))
    labels = np.array([0, 1, 1], dtype=np.int32)
    tries = Tries(labels, labels, labels, np.ones((3, 2), dtype=np.int64), labels > 0, generator.random((3, 4)))
    measure = Measure(generator.random(4), generator.random((5, 4)), 0.25)
    part = Part(FAMILY, labels, blocks, 0.5)
    broadcast = Broadcast(7, np.arange(3), (part,), 1.5, Plan(labels, tries, measure))
    state = ChainState(broadcast, (labels, labels[:0]), -12.5)
    packed = pack_state(state)
    assert pack_state(unpack_state(packed, [FAMILY])) == packed
    assert Plan.of(unpack_state(packed, [FAMILY]).broadcast).measure.remaining == 0.25
    statistics = ShardStatistics(2, labels, labels, np.arange(3), np.arange(3), (blocks,), generator.random(3), tries)
    packed = pack_statistics(statistics)
    found = unpack_statistics(packed)
    assert pack_statistics(found) == packed
    assert len(found.labels) == 0, "labels stay with the shard"
    counts = SparseCounts(np.array([0, 2, 3]), labels, labels, np.ones(2), np.ones(2), complete=True)
    statistics = replace(statistics, parts=(counts.light_by_cluster(np.array([2, 0], dtype=np.int32), 3),))
    packed = pack_statistics(statistics)
    found = unpack_statistics(packed)
    assert pack_statistics(found) == packed
    np.testing.assert_array_equal(found.parts[0].values, statistics.parts[0].values)  # type: ignore[attr-defined]
    for columns in (None, [labels], [labels, labels]):
        start = Start("given", labels, columns)
        assert pack_start(unpack_start(pack_start(start))) == pack_start(start)
    assert unpack_labels(pack_labels(labels)).tolist() == [0, 1, 1]
    with pytest.raises(RunError):
        unpack_labels(pack(labels.astype(np.int64)))
