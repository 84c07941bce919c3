"""Numbers of the random streams of a run's chains, and of the short chains that each starts from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from disnplbm.sampler.short_chains import ShortChains

#: Short chain r of chain c has the streams of chain c + (r + 1) of these, which no chain of a run has.
APART = 2**20


class Stream(NamedTuple):
    """A chain or a short one: its stream, the chain it belongs to, its number if it is short, and its iterations."""

    stream: int
    chain: int
    short: int | None
    iterations: int


def streams(chains: int, iterations: int, shorts: ShortChains) -> Iterator[Stream]:
    """All streams of a run: its chains, each followed by its short ones."""
    for chain in range(chains):
        yield Stream(chain, chain, None, iterations)
        for number in range(shorts.number):
            yield Stream(chain + (number + 1) * APART, chain, number, shorts.iterations)
