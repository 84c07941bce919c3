"""Streams of a run's chains."""

from __future__ import annotations

import pytest

from disnplbm.engine.options import Options
from disnplbm.sampler.streams import Stream, streams


def planned(options: Options) -> list[Stream]:
    return list(streams(options.chains, options.iterations, options.shorts))


@pytest.mark.parametrize("iterations", [1, 9, 10, 37, 100])
def test_each_chain_is_followed_by_its_short_ones(iterations: int) -> None:
    found = planned(Options(iterations=iterations, chains=3, restarts=4))
    short = max(iterations // 10, 1)
    assert found == [
        stream
        for chain in range(3)
        for stream in (
            (chain, chain, None, iterations),
            *((chain + (number + 1) * 2**20, chain, number, short) for number in range(4)),
        )
    ]
    assert len({stream.stream for stream in found}) == len(found)


def test_a_crossed_start_has_two_short_chains_a_round() -> None:
    found = planned(Options(iterations=50, chains=2, start="crossed", crossings=3))
    assert [stream.iterations for stream in found] == [50, *[20] * 18] * 2
    assert len({stream.stream for stream in found}) == len(found)


def test_without_restarts_there_are_only_chains() -> None:
    assert planned(Options(iterations=50, chains=2)) == [(0, 0, None, 50), (1, 1, None, 50)]
