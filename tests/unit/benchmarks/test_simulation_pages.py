"""docs/scale.md and docs/sizing.md say what the code says, and the arithmetic what the simulation says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.simulation import costs, pages
from benchmarks.simulation.costs import Costs, Table
from benchmarks.simulation.model import Setup, Steps, simulate
from benchmarks.simulation.sizing import MEMORY_BYTES, WORKERS, bounds, plan, plan_of, shards_for, sources

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture(scope="module")
def now() -> Costs:
    return costs.from_json(costs.load()["costs"])


def test_the_sizing_page_is_written_by_the_code(now: Costs) -> None:
    assert (DOCS / "sizing.md").read_text(encoding="utf-8") == pages.sizing_page(now)


@pytest.mark.long
def test_the_figures_of_the_scale_page_are_those_of_the_code(now: Costs) -> None:
    record = costs.load()
    page = (DOCS / "scale.md").read_text(encoding="utf-8")
    assert pages.costs_table(now) in page
    assert pages.validation_table(record, now) in page
    assert pages.errors(record, now) in page
    assert pages.kept_table(record, now) in page
    # All tables take minutes: one stands for them.
    points = [pages.point(Table(100_000, 90), workers, now) for workers in WORKERS]
    assert pages.points_table(points) in page


@pytest.mark.parametrize("table", pages.SIZED, ids=str)
def test_the_arithmetic_is_near_the_simulation(now: Costs, table: Table) -> None:
    found = plan(table, now)
    by_number = replace(found.setup, order="shards")
    assert found.bounds.seconds == pytest.approx(simulate(found.steps, by_number).median, rel=0.35)


def test_workers_get_the_same_number_of_shards_and_can_keep_each() -> None:
    for table in pages.SIZED:
        for workers in WORKERS:
            shards = shards_for(table, workers)
            assert shards % workers == 0
            assert table.bytes / shards <= MEMORY_BYTES


def test_more_workers_are_planned_for_more_rows(now: Costs) -> None:
    planned = [plan(Table(rows, 90), now).setup.workers for rows in (10**5, 10**6, 10**7)]
    assert planned == sorted(planned)
    assert planned[0] < planned[-1]


def test_money_is_processors_times_hours_times_price(now: Costs) -> None:
    found = plan_of(Table(10**7, 90), 8, now)
    assert found.hours(100) == pytest.approx(found.bounds.seconds * 100 / 3600)
    assert found.money(100) == pytest.approx(found.hours(100) * (8 + 3) * 0.05)


def test_bounds_of_one_worker_and_of_a_master_alone_are_exact() -> None:
    steps = Steps(
        lead=0.01, publish=0.004, to_worker=0.001, work=0.5, turn=0.01, to_master=0.002, take=0.003, step=0.05
    )
    one = Setup(1, 5)
    assert bounds(steps, one).workers == pytest.approx(simulate(steps, one).median)
    idle, many = Steps(lead=0.01, publish=0.004, tail=0.002, take=0.003, step=0.05), Setup(40, 40)
    assert bounds(idle, many).master == pytest.approx(simulate(idle, many).median)


def test_sources_of_caches_that_hold_a_part() -> None:
    assert sources(Setup(4, 10, memory=2, disk=5)) == pytest.approx((0.2, 0.4, 0.4))
    assert sources(Setup(4, 10, memory=10, disk=0)) == pytest.approx((1.0, 0.0, 0.0))
