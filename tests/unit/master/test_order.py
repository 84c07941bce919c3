"""The order in which shards are published."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm_master.publication import order_shards

TAKEN = st.lists(st.integers(0, 5), max_size=40).map(lambda workers: list(zip(workers, range(100), strict=False)))


def given_out(order: list[int], workers: list[int]) -> dict[int, int]:
    """Who gets which shard where workers take turns."""
    waiting = deque(workers)
    found = {}
    for shard in order:
        found[shard] = waiting[0]
        waiting.rotate(-1)
    return found


@given(TAKEN)
def test_every_shard_is_published_once(taken: list[tuple[int, int]]) -> None:
    assert sorted(order_shards(taken)) == [shard for _, shard in taken]


@given(TAKEN)
def test_the_first_shards_are_those_that_each_worker_swept_last(taken: list[tuple[int, int]]) -> None:
    last = dict(taken)
    by_time = sorted(last.items(), key=taken.index)
    assert order_shards(taken)[: len(last)] == [shard for _, shard in by_time]


@pytest.mark.parametrize("turns", [[0, 1, 2, 0, 1, 2], [2, 0, 1, 1, 0, 2]])
def test_workers_that_take_turns_get_what_they_had(turns: list[int]) -> None:
    taken = list(zip(turns, [5, 3, 0, 4, 1, 2], strict=True))
    last = [worker for at, worker in enumerate(turns) if worker not in turns[at + 1 :]]
    assert given_out(order_shards(taken), last) == {shard: worker for worker, shard in taken}


def test_what_a_worker_swept_last_comes_first() -> None:
    assert order_shards([("a", 0), ("a", 1), ("a", 2)]) == [2, 1, 0]
    assert order_shards([]) == []
