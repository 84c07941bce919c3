"""What is made of the stopwatches' calls, on a run whose every step is known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from benchmarks.simulation.costs import Costs, Kernels, Table
from benchmarks.simulation.measure import SHARDS, WIDE, by_iteration, derived, takes, turns
from benchmarks.simulation.observation import SKIPPED, Observed

MASTER, WORKER = 1, 2

LEAD, PUBLISH, FIRST, TAIL, WAY, WORK, KERNEL, TURN, BACK, TAKE, STEP, STEP_SHARD = (
    *(0.001, 0.004, 0.002, 0.003, 0.0015, 0.005, 0.0005, 0.0045, 0.0012, 0.006, 0.01, 0.0002),
)

#: Of results that are taken together: all of them, and each besides.
BATCH, EACH = 0.005, 0.001


def calls_of(shards: int, take: float = TAKE) -> Iterator[dict[str, Any]]:
    """A master that publishes, waits until all is swept, takes all results, and steps."""
    at = 100.0

    def call(kind: str, pid: int, began: float, seconds: float, **more: Any) -> dict[str, Any]:
        return {"kind": kind, "pid": pid, "began": began, "ended": began + seconds, **more}

    for iteration in range(SKIPPED + 6):
        yield call("publish", MASTER, at, FIRST + shards * PUBLISH, iteration=iteration)
        at += FIRST + shards * PUBLISH
        at += WAY
        for shard in range(shards):
            yield call("task", WORKER, at, WORK + KERNEL, iteration=iteration, shard=shard)
            yield call("kernel", WORKER, at + 0.001, KERNEL)
            at += WORK + KERNEL + TURN
        at += BACK - TURN
        for shard in range(shards):
            last = shard == shards - 1
            commit = STEP + shards * STEP_SHARD
            # The next iteration is published in the call that the last result brings about.
            step = commit + LEAD + FIRST + shards * PUBLISH + TAIL
            yield call("swept", MASTER, at, take + last * step, iteration=iteration, shards=1)
            at += take
            if last:
                yield call("step", MASTER, at, step, iteration=iteration, done=True)
                yield call("step", MASTER, at + step, 0.0001, iteration=iteration, done=False)
                yield call("advance", MASTER, at + commit - 0.001, 0.001, iteration=iteration)
                at += commit + LEAD


def observed(shards: int, take: float = TAKE) -> Observed:
    processors = {"master": 0.02 + 0.015 * shards, "workers": 0.01 * shards}
    return Observed([1.0], processors, 0.0, list(calls_of(shards, take)), [])


def batches() -> list[dict[str, Any]]:
    """A master that takes results together, as many as wait."""
    return [
        {"kind": "swept", "pid": MASTER, "began": 0.0, "ended": BATCH + n * EACH, "iteration": SKIPPED + 1, "shards": n}
        for n in (1, 3, 30, 128, 30)
    ]


def test_every_step_is_found_again() -> None:
    found = derived({shards: observed(shards) for shards in SHARDS}, observed(WIDE.shards, TAKE + 0.024), batches())
    assert found.batch == pytest.approx(BATCH)
    assert found.publish == pytest.approx(PUBLISH)
    assert found.lead == pytest.approx(LEAD)
    assert found.tail == pytest.approx(TAIL)
    assert found.to_worker == pytest.approx(WAY)
    assert found.to_master == pytest.approx(BACK)
    assert found.work == pytest.approx(WORK)
    assert found.turn == pytest.approx(TURN)
    assert found.take == pytest.approx(EACH)
    assert found.step == pytest.approx(STEP)
    assert found.step_shard == pytest.approx(STEP_SHARD)
    assert found.take_byte == pytest.approx(0.024 / (24 * (1000 * 10 - 20 * 3)))
    assert found.behind == pytest.approx(0.025 - PUBLISH - TAKE - STEP_SHARD - WORK - KERNEL - TURN)
    assert found.spread == pytest.approx(0.0, abs=1e-9)
    assert found.turn_spread == pytest.approx(0.0, abs=1e-9)


def test_the_first_iterations_do_not_count() -> None:
    assert min(by_iteration(calls_of(4))) == SKIPPED + 1


def test_a_result_is_timed_without_the_step_that_it_brings_about() -> None:
    assert takes(by_iteration(observed(4).calls)) == [(1, pytest.approx(TAKE))] * 4 * 5


def test_a_worker_that_waited_for_the_publication_does_not_count_as_turning() -> None:
    late = [
        {"kind": "publish", "pid": MASTER, "began": 0.0, "ended": 1.0, "iteration": SKIPPED + 1},
        {"kind": "task", "pid": WORKER, "began": 0.3, "ended": 0.4, "iteration": SKIPPED + 1, "shard": 0},
        {"kind": "task", "pid": WORKER, "began": 1.1, "ended": 1.2, "iteration": SKIPPED + 1, "shard": 1},
    ]
    assert turns(by_iteration(late)) == []


def test_costs_of_a_table_grow_as_they_should() -> None:
    services = derived({shards: observed(shards) for shards in SHARDS}, observed(WIDE.shards, TAKE + 0.024), batches())
    kernels = Kernels(
        row=1e-7, row_block=1e-9, cell=5e-9, column_block=1e-8, label=1e-8, disk_byte=1e-9, store_byte=4e-9
    )
    costs = Costs(kernels, services)
    table = Table(1_000_000, 20, 10, 3)
    moving, rest = costs.steps(table, 10), costs.steps(table, 10, at_rest=True)
    assert rest.work == pytest.approx(services.work + 100_000 * (1e-7 + 30e-9 + 1e-8))
    assert moving.work == pytest.approx(rest.work + 100_000 * 20 * 5e-9)
    # From the store, a shard at rest has to pass over its data as well.
    assert moving.store == pytest.approx(100_000 * 20 * 8 * 4e-9)
    assert rest.store == pytest.approx(moving.store + 100_000 * 20 * 5e-9)
    assert moving.take == pytest.approx(services.take + services.take_byte * 24 * 20 * 10)
    assert moving.step == pytest.approx(services.step + 10 * services.step_shard + 1e-8 * 20 * 30)
