"""Numbers of the random streams of a run's chains, and of the short chains that each starts from the best of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

#: A short chain is this part of the chain.
PART = 10

#: Short chain r of chain c has the streams of chain c + (r + 1) of these, which no chain of a run has.
APART = 2**20


class Stream(NamedTuple):
    """A chain or a short one: its stream, the chain it belongs to, its number if it is short, and its iterations."""

    stream: int
    chain: int
    short: int | None
    iterations: int


def short_stream(chain: int, number: int) -> int:
    """The stream of short chain ``number`` of a chain."""
    return chain + (number + 1) * APART


def short_length(iterations: int) -> int:
    """Iterations of the short chains of chains that have so many."""
    return max(iterations // PART, 1)


def streams(chains: int, restarts: int, iterations: int) -> Iterator[Stream]:
    """All streams of a run: its chains, each followed by its short ones if there are restarts."""
    for chain in range(chains):
        yield Stream(chain, chain, None, iterations)
        if restarts > 1:
            for number in range(restarts):
                yield Stream(short_stream(chain, number), chain, number, short_length(iterations))
