"""Streams of a run's chains."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from disnplbm.engine.options import Options
from disnplbm.engine.restarts import best_start, short_iterations
from disnplbm.sampler.streams import streams


@pytest.mark.parametrize("iterations", [1, 9, 10, 37, 100])
def test_streams_are_those_that_a_local_run_has(iterations: int) -> None:
    options = Options(iterations=iterations, chains=3, restarts=4)
    found = list(streams(options.chains, options.restarts, options.iterations))
    expected = []
    for chain in range(options.chains):
        expected.append((chain, chain, None, iterations))
        for number, stream in enumerate(_short_streams(chain, options.restarts)):
            expected.append((stream, chain, number, short_iterations(options)))
    assert found == expected
    assert len({stream.stream for stream in found}) == len(found)


def test_without_restarts_there_are_only_chains() -> None:
    assert list(streams(2, 1, 50)) == [(0, 0, None, 50), (1, 1, None, 50)]


def _short_streams(chain: int, restarts: int) -> list[int]:
    """The streams that the local engine runs short chains with."""
    used: list[int] = []
    result = SimpleNamespace(log_joint=0.0, row_labels=None, column_labels=None)

    def of_chain(stream: int) -> Any:
        used.append(stream)
        return SimpleNamespace(start_at=lambda state: result)

    problem: Any = SimpleNamespace(
        parameters=SimpleNamespace(chain=chain), of_chain=of_chain, start=lambda *labels: None
    )
    best_start(problem, restarts, lambda *short: (None, SimpleNamespace(log_joint=[0.0])))  # type: ignore[arg-type, return-value]
    return used
