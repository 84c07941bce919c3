"""Charts and numbers: round ticks, no lost spike, aligned decimals."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.report.charts import MAX_POINTS, line_chart, nice_ticks, tick_labels
from disnplbm.report.numbers import Column, duration, fixed, significant


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 100, [0, 20, 40, 60, 80, 100]), (-1.3, 1.1, [-1, -0.5, 0, 0.5, 1]), (9.5, 12.5, [10, 11, 12]), (3, 3, [3])],
)
def test_ticks_are_round_and_within_the_range(low: float, high: float, ticks: list[float]) -> None:
    assert nice_ticks(low, high, 5, whole=high > 3) == pytest.approx(ticks)


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.0, 0.05, 0.1], ["0.00", "0.05", "0.10"]),
        ([-3_600_000.0, -3_400_000.0], ["−3.6 M", "−3.4 M"]),
        ([10_000.0, 20_000.0], ["10 k", "20 k"]),
        ([500.0, 1000.0], ["500", "1,000"]),
        ([2e-9, 4e-9], ["2e−09", "4e−09"]),
        ([], []),
    ],
)
def test_tick_labels_are_short_and_tell_the_ticks_apart(values: list[float], labels: list[str]) -> None:
    assert tick_labels(values) == labels


def test_a_long_trace_keeps_its_only_spike() -> None:
    series = np.zeros(50_000)
    series[31_234] = 1.0
    (line,) = line_chart(np.arange(1, 50_001), [series]).lines
    assert len(line.points) <= MAX_POINTS + 2
    assert [point[2] for point in line.points if point[3] == 1.0] == [31_235]


def test_every_chain_has_a_line_on_one_scale() -> None:
    chart = line_chart(np.arange(1, 4), [np.array([0.0, 1.0, 2.0]), np.array([10.0, 9.0, 8.0])])
    heights = np.array([[point[1] for point in line.points] for line in chart.lines])
    assert (heights[0] > heights[1]).all()
    np.testing.assert_allclose(np.diff(heights[0]), -np.diff(heights[1]), atol=0.2)
    assert [line.end[0] for line in chart.lines] == [chart.right] * 2


@pytest.mark.parametrize("series", [[5.0], [5.0, 5.0, 5.0], [0.0]])
def test_a_trace_of_one_point_or_one_value_is_drawn_within_the_frame(series: list[float]) -> None:
    chart = line_chart(np.arange(1, len(series) + 1), [np.array(series)])
    for x, y, *_ in chart.lines[0].points:
        assert chart.left <= x <= chart.right
        assert chart.top <= y <= chart.bottom


def test_burn_in_is_marked_only_where_it_is_shown() -> None:
    t, series = np.arange(1, 101), np.linspace(0, 1, 100)
    assert line_chart(t, [series], burn_in=20).burn_in is not None
    assert line_chart(t[50:], [series[50:]], burn_in=20).burn_in is None
    assert line_chart(t, [series]).burn_in is None


def test_numbers_of_one_column_share_their_decimals() -> None:
    column = Column([0.09, 0.5, 3.0, 22.9])
    assert [column.format(value) for value in (0.09, 22.9, -1.0, float("nan"))] == ["0.09", "22.90", "−1.00", "–"]
    assert Column([-1.001e-146]).format(-1.001e-146) == "−1.00e−146"
    assert Column([]).format(0.0) == "0.00"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0424, "42.4 ms"), (5.62, "5.62 s"), (125, "2 min 5 s"), (12_000, "3 h 20 min")]
)
def test_durations_read_like_a_clock(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_single_numbers_keep_their_significant_digits() -> None:
    assert [significant(value) for value in (0.0, 0.031416, -1.0010415476e-146, float("inf"))] == [
        "0",
        "0.03142",
        "−1.001e−146",
        "–",
    ]
    assert fixed(-1234.5, 1) == "−1,234.5"
