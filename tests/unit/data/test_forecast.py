"""Forecasts of time: they grow with the work, and say a range."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.data.forecast import DRAWS, DRAWS_START_SECONDS, ITERATIONS, Clusters, duration_range, forecast

SETTLED = Clusters(rows=10, columns=5, rows_moved=0.1, columns_moved=0.1, uncertainty=1.5)

LENGTHS = st.integers(1, 10_000)


@given(rows=LENGTHS, columns=LENGTHS, more=st.integers(1, 5), d=st.integers(1, 4))
def test_more_of_anything_takes_longer(rows: int, columns: int, more: int, d: int) -> None:
    here = forecast(rows, columns, d, SETTLED)
    for other in (
        forecast(rows * (1 + more), columns, d, SETTLED),
        forecast(rows, columns * (1 + more), d, SETTLED),
        forecast(rows, columns, d + more, SETTLED),
        forecast(rows, columns, d, replace(SETTLED, rows=10.0 + more)),
        forecast(rows, columns, d, replace(SETTLED, rows_moved=0.1 + more / 10)),
    ):
        assert other.seconds >= here.seconds
        assert other.seconds_with_draws >= here.seconds_with_draws
    assert here.seconds_with_draws >= here.seconds + ITERATIONS * here.iteration


@given(rows=LENGTHS, columns=LENGTHS)
def test_a_table_takes_what_its_transpose_takes(rows: int, columns: int) -> None:
    turned = Clusters(SETTLED.columns, SETTLED.rows, SETTLED.columns_moved, SETTLED.rows_moved, SETTLED.uncertainty)
    for one, other in ((rows, columns), (rows + columns, columns)):
        if one != other:
            here, there = forecast(one, other, 1, SETTLED), forecast(other, one, 1, turned)
            assert here.seconds_with_draws == pytest.approx(there.seconds_with_draws)


def test_an_iteration_costs_its_evaluations() -> None:
    many, few = (forecast(10**6, 20, 1, replace(SETTLED, rows=k)).iteration for k in (79, 39))
    # 80 candidates for 40, and what does not depend on them.
    assert 1.3 < many / few < 2


def test_draws_that_agree_take_no_search() -> None:
    still = forecast(100_000, 90, 1, replace(SETTLED, rows_moved=0.0, columns_moved=0.0))
    restless = forecast(100_000, 90, 1, replace(SETTLED, rows_moved=0.5))
    assert still.consensus < DRAWS_START_SECONDS + 0.5 < restless.consensus


def test_clusters_are_bounded_by_the_table() -> None:
    here = forecast(5, 3, 1, replace(SETTLED, rows=50.0, columns=50.0))
    assert (here.row_clusters, here.column_clusters) == (5, 3)


@pytest.mark.parametrize(
    ("seconds", "factor", "words"),
    [
        (0.2, 2, "less than a second"),
        (2, 1.5, "1 to 3 s"),
        (40, 1.5, "27 s to 1 min"),
        (600, 2, "5 to 20 min"),
        (3600, 2, "30 min to 2 h"),
        (100_000, 1.1, "25 to 31 h"),
        (10**6, 2, "6 to 23 days"),
    ],
)
def test_a_range_is_said_in_words(seconds: float, factor: float, words: str) -> None:
    assert duration_range(seconds, factor) == words


def test_it_is_told_for_json_and_for_people() -> None:
    here = forecast(1000, 50, 1, SETTLED)
    record = here.to_dict()
    assert record["seconds"] == pytest.approx(record["start"] + ITERATIONS * record["iteration"])
    assert record["seconds_with_draws"] == pytest.approx(
        record["start"] + (ITERATIONS + DRAWS) * record["iteration"] + record["consensus"]
    )
    assert here.line().endswith("with --burn-in 100 (if it finds about 10 x 5 clusters)")
