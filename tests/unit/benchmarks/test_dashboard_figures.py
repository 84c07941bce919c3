"""What the dashboard's benchmark makes of its measurements."""

from __future__ import annotations

import pytest
from benchmarks.dashboard.figures import Sample, counted, growth, latency, median, quantile
from prometheus_client import CollectorRegistry, Counter, generate_latest


def test_a_quantile_is_a_time_that_was_measured() -> None:
    times = [0.001 * number for number in range(100, 0, -1)]
    assert quantile(times, 0.5) == pytest.approx(0.050)
    assert quantile(times, 0.95) == pytest.approx(0.095)
    assert quantile(times, 1.0) == pytest.approx(0.100)
    # Of few, the largest: five in a hundred of them are none.
    assert quantile([3.0, 1.0, 2.0], 0.95) == 3.0
    assert quantile([7.0], 0.5) == 7.0


@pytest.mark.parametrize(("slow", "met"), [(5, True), (6, False)])
def test_latency_is_held_to_its_bar_by_95_of_a_hundred(slow: int, met: bool) -> None:
    figure = latency("list", [0.01] * (100 - slow) + [0.5] * slow, 0.2)
    assert figure.met is met
    assert figure.bar == "p95 under 200 ms"
    assert figure.measured == f"p50 10 ms, p95 {'10 ms' if met else '500 ms'}, of 100"
    assert latency("list", [0.5], None).met is None


def test_a_median_is_held_to_its_bar_and_the_longest_is_told() -> None:
    figure = median("page", [0.3, 1.5, 0.2, 0.4, 2.0], 1.0)
    assert (figure.measured, figure.met) == ("400 ms, longest 2 s, of 5", True)
    assert not median("page", [1.3, 1.5, 0.2], 1.0).met


def test_growth_is_from_the_begin_to_the_most_until_the_end() -> None:
    samples = [Sample(float(at), resident) for at, resident in enumerate([90, 100, 130, 120, 500])]
    assert growth(samples, 1.5, 3.5) == (100, 30)
    assert growth(samples, 1.0, 4.0) == (100, 400)
    # It gave some back, and took none.
    assert growth(samples, 2.5, 3.0) == (130, 0)


def test_counters_are_summed_over_the_labels_that_are_not_given() -> None:
    registry = CollectorRegistry()
    requests = Counter("asked", "Requests.", ("method", "endpoint", "status"), registry=registry)
    requests.labels("PUT", "datasets.put_part", 204).inc(30)
    requests.labels("PUT", "datasets.put_part", 409).inc(2)
    requests.labels("GET", "runs.list_runs", 200).inc(7)
    page = generate_latest(registry).decode()
    assert counted(page, "asked_total", endpoint="datasets.put_part", status="204") == 30
    assert counted(page, "asked_total", endpoint="datasets.put_part") == 32
    assert counted(page, "asked_total") == 39
    assert counted(page, "asked_total", endpoint="datasets.begin_upload") == 0
