"""The simulated cluster: closed forms where there are any, and what must hold for all of them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from benchmarks.simulation.events import Clock
from benchmarks.simulation.model import BOTTLENECKS, Setup, Steps, bottleneck, simulate
from hypothesis import given, settings
from hypothesis import strategies as st

#: Each step takes another time, none of them a sum of others.
STEPS = Steps(
    lead=0.011,
    publish=0.0053,
    tail=0.0017,
    to_worker=0.0007,
    work=0.5,
    turn=0.013,
    to_master=0.0003,
    take=0.0029,
    step=0.07,
)

times = st.floats(0.0, 1.0)
any_steps = st.builds(Steps, *[times] * 11, st.just(0.0), st.floats(0.0, 0.5))
setups = st.builds(
    Setup,
    workers=st.integers(1, 12),
    shards=st.integers(1, 24),
    memory=st.integers(0, 24),
    disk=st.integers(0, 24),
    cores=st.sampled_from([1.0, 2.0, math.inf]),
    store_clients=st.sampled_from([1.0, 3.5, math.inf]),
    order=st.sampled_from(["shards", "workers"]),
    full=st.booleans(),
)
few = settings(max_examples=50, deadline=None)


def test_one_worker_does_one_shard_after_another() -> None:
    shards = 7
    expected = (
        *(STEPS.lead, STEPS.publish, STEPS.to_worker, shards * STEPS.work, (shards - 1) * STEPS.turn),
        *(STEPS.to_master, STEPS.take, STEPS.step),
    )
    assert simulate(STEPS, Setup(1, shards)).median == pytest.approx(sum(expected))


def test_with_a_worker_for_each_shard_the_last_published_is_the_last_to_be_done() -> None:
    shards = 9
    expected = (
        *(STEPS.lead, shards * STEPS.publish, STEPS.to_worker, STEPS.work, STEPS.to_master, STEPS.take, STEPS.step),
    )
    assert simulate(STEPS, Setup(shards, shards)).median == pytest.approx(sum(expected))


def test_with_workers_that_take_no_time_the_master_is_all_there_is() -> None:
    steps, shards = replace(STEPS, work=0.0, turn=0.0), 50
    expected = steps.lead + steps.tail + shards * (steps.publish + steps.take) + steps.step
    assert simulate(steps, Setup(50, shards)).median == pytest.approx(expected)


def test_on_one_processor_everything_is_done_in_turn() -> None:
    steps, shards = replace(STEPS, to_worker=0.0, to_master=0.0, behind=0.004, turn=0.0), 6
    each = steps.publish + steps.work + steps.take + steps.behind
    # What is behind the last shard runs beside the column step and what follows, and is done by the next iteration.
    expected = steps.lead + steps.tail + steps.step + shards * each
    assert simulate(steps, Setup(3, shards, cores=1.0)).median == pytest.approx(expected)


@few
@given(st.lists(st.tuples(times, times), min_size=1, max_size=20), st.sampled_from([1.0, 1.5, 2.0, 4.0]))
def test_shared_processors_do_no_more_and_no_less_than_was_asked(
    jobs: list[tuple[float, float]], capacity: float
) -> None:
    clock = Clock()
    shared = clock.shared(capacity)
    ends: list[float] = []
    for start, size in jobs:
        clock.after(start, lambda size=size: shared.serve(size, lambda: ends.append(clock.now)))  # type: ignore[misc]
    clock.run(lambda: len(ends) == len(jobs))
    first, last = min(start for start, _ in jobs), max(start for start, _ in jobs)
    asked = sum(size for _, size in jobs)
    assert max(ends) >= first + asked / capacity - 1e-9
    assert max(ends) <= last + max(asked / min(capacity, 1.0), max(size for _, size in jobs)) + 1e-9
    assert ends == sorted(ends)


def test_equal_jobs_on_two_processors_end_together() -> None:
    clock = Clock()
    shared, ends = clock.shared(2.0), []
    for _ in range(6):
        shared.serve(1.0, lambda: ends.append(clock.now))
    clock.run(lambda: len(ends) == 6)
    assert ends == pytest.approx([3.0] * 6)


@few
@given(any_steps, setups)
def test_every_shard_is_swept_once_in_each_iteration(steps: Steps, setup: Setup) -> None:
    outcome = simulate(steps, setup, iterations=3, skipped=1)
    assert [sorted(swept) for swept in outcome.swept] == [list(range(setup.shards))] * 4
    assert [found.total() for found in outcome.sources] == [setup.shards] * 4


@few
@given(any_steps, setups)
def test_an_iteration_is_no_shorter_than_the_masters_and_the_workers_work(steps: Steps, setup: Setup) -> None:
    steps, setup = replace(steps, spread=0.0), replace(setup, memory=setup.shards, full=True)
    seconds = simulate(steps, setup, iterations=4, skipped=1).seconds
    master = steps.lead + setup.shards * (steps.publish + steps.take) + steps.step
    workers = setup.shards * steps.work / min(setup.workers, setup.cores)
    assert min(seconds) >= master - 1e-9
    # Work may be left over from the iteration before, never ahead of its own.
    assert sum(seconds) >= 4 * workers - 1e-9


@few
@given(any_steps, st.integers(1, 6), st.integers(1, 20))
def test_twice_the_workers_take_no_longer(steps: Steps, workers: int, shards: int) -> None:
    # With all shards at hand; alike tasks, since of uneven ones a longer line can be the luckier one.
    steps = replace(steps, spread=0.0)
    fewer, more = (simulate(steps, Setup(number, shards)).median for number in (workers, 2 * workers))
    assert more <= fewer + 1e-9


@few
@given(any_steps, setups, st.sampled_from([name for names in BOTTLENECKS.values() for name in names]))
def test_a_slower_step_makes_no_iteration_shorter(steps: Steps, setup: Setup, slower: str) -> None:
    # Shards all at hand and of the same cost, in one order: a line of servers is left, in which no one overtakes.
    steps = replace(steps, spread=0.0, behind=0.0)
    setup = replace(setup, memory=setup.shards, full=True, cores=math.inf, order="shards")
    longer = replace(steps, **{slower: getattr(steps, slower) + 0.1})
    assert simulate(longer, setup).median >= simulate(steps, setup).median - 1e-9


def test_caches_hold_what_was_used_last() -> None:
    # One worker meets its shards in turn: one shard too few in the cache, and it is always the wrong one.
    for memory, found in ((4, "memory"), (3, "store")):
        setup = Setup(1, 4, memory=memory, order="shards", full=False)
        outcome = simulate(STEPS, setup, iterations=3, skipped=1)
        assert outcome.sources[0] == {"store": 4}
        assert all(sources == {found: 4} for sources in outcome.sources[1:])
    # Turned round each time, those used last are still there.
    outcome = simulate(STEPS, Setup(1, 4, memory=3, full=False), iterations=3, skipped=1)
    assert all(sources == {"memory": 3, "store": 1} for sources in outcome.sources[1:])
    outcome = simulate(STEPS, Setup(1, 4, memory=1, disk=4, full=False), iterations=1, skipped=1)
    assert outcome.sources[1] == {"disk": 3, "memory": 1}


def test_a_worker_gets_the_shards_it_has_if_they_are_published_in_the_workers_order() -> None:
    steps = replace(STEPS, spread=0.3)
    found = {
        order: simulate(steps, Setup(20, 20, memory=1, order=order, full=False), iterations=20, skipped=10).sources[-1]
        for order in ("shards", "workers")
    }
    assert found["workers"]["memory"] == 20
    assert found["shards"]["memory"] < 10


@pytest.mark.parametrize(
    ("steps", "name"),
    [
        ({"work": 5.0}, "sweep"),
        ({"publish": 5.0}, "publication"),
        ({"take": 5.0}, "results"),
        ({"step": 50.0}, "column step"),
        ({"to_worker": 50.0}, "messages' way"),
    ],
)
def test_the_bottleneck_is_the_step_that_takes_longest(steps: dict[str, float], name: str) -> None:
    assert bottleneck(replace(STEPS, **steps), Setup(4, 8)) == name


def test_reading_is_the_bottleneck_where_no_cache_holds_a_shard() -> None:
    assert bottleneck(replace(STEPS, store=2.0), Setup(4, 8, memory=0, store_clients=1.0)) == "reading"


def test_the_same_seed_gives_the_same_times() -> None:
    steps, setup = replace(STEPS, spread=0.2), Setup(4, 16, memory=2)
    assert simulate(steps, setup, seed=3) == simulate(steps, setup, seed=3) != simulate(steps, setup, seed=4)
