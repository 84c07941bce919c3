"""Traces on the page: all chains at the same iterations, and no spike lost."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.report.folder import Trace
from disnplbm.report.traces import LEAST_STRETCHES, MAX_POINTS, thinned, trace_lines


def trace(log_joint: np.ndarray) -> Trace:
    counts = np.full(len(log_joint), 3.0)
    return Trace(np.arange(1, len(log_joint) + 1), log_joint, counts, counts + 1, np.full(len(log_joint), 0.25))


def test_a_long_trace_keeps_its_only_spike() -> None:
    series = np.zeros(50_000)
    series[31_234] = 1.0
    found = trace_lines([trace(series)])["log_joint"]
    assert len(found["iteration"]) <= MAX_POINTS + 2
    assert (found["iteration"][0], found["iteration"][-1]) == (1, 50_000)
    assert [t for t, value in zip(found["iteration"], found["chains"][0], strict=True) if value == 1] == [31_235]


@pytest.mark.parametrize("chains", [2, 5, 40])
def test_each_of_several_chains_keeps_its_spikes_at_iterations_that_all_have(chains: int) -> None:
    series = [np.zeros(50_000) for _ in range(chains)]
    for chain, values in enumerate(series):
        values[1_000 * chain + 7] = -1.0
    kept = thinned(series)
    assert {1_000 * chain + 7 for chain in range(chains)} <= set(kept.tolist())
    assert len(kept) <= max(MAX_POINTS, 2 * chains * LEAST_STRETCHES) + 2
    found = trace_lines([trace(values) for values in series])["log_joint"]
    assert {len(values) for values in found["chains"]} == {len(found["iteration"])}


@pytest.mark.parametrize("length", [1, 2, MAX_POINTS])
def test_a_short_trace_is_kept_as_it_is(length: int) -> None:
    values = np.linspace(-2_950_000.123456, -2_950_000.1, length)
    found = trace_lines([trace(values)])
    assert found["log_joint"] == {"iteration": list(range(1, length + 1)), "chains": [values.tolist()]}
    assert found["row_clusters"]["chains"] == [[3] * length]
    assert found["seconds"]["chains"] == [[0.25] * length]


def test_what_is_no_number_is_null() -> None:
    assert trace_lines([trace(np.array([-np.inf, 1.0]))])["log_joint"]["chains"] == [[None, 1]]
