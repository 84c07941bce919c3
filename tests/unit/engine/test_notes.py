"""Notes on a result's numbers of clusters."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.engine.options import Options
from disnplbm.engine.summary import notes_on
from disnplbm.model.statistics import Statistics
from disnplbm.posterior.result import Result
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.trace_row import TraceRow


def result(*reached: tuple[int, int]) -> Result:
    trace = Trace()
    for k, l in reached:  # noqa: E741
        trace.append(TraceRow(0.0, k, l, 0.1, 1.0, 1.0))
    labels = np.arange(40, dtype=np.int32) % 4
    return Result.of_one(labels, labels, Statistics.empty((4, 4), 1), trace)


@pytest.mark.parametrize(
    ("n_shards", "reached", "said"), [(2, (60, 100), True), (1, (60, 100), False), (2, (4, 4), False)]
)
def test_a_run_near_the_blocks_that_sweeps_open_says_so(n_shards: int, reached: tuple[int, int], said: bool) -> None:
    notes = notes_on(result((4, 4), reached, (4, 4)), Options(), n_shards, "gaussian")
    assert [note.startswith("the run reached 6,000 blocks") for note in notes] == [True] * said


def test_many_blocks_of_counts_say_nothing() -> None:
    assert notes_on(result((4, 4), (60, 100)), Options(), 2, "counts") == []
