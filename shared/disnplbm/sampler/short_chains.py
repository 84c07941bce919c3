"""The short chains that a chain starts from: which there are, and where each starts.

*Restarts* all start as the run was asked to; the chain starts where the best of them ended, by log joint. A *crossed
start* goes on from there. On real tables the rows and the columns hold each other, so that each chain stays in a mode
of its own; the rows of one chain with the columns of another lead out of it. In each round two of the best short chains
so far, drawn at random, have two children: one starts at the rows of the first with the columns of the second, the
other at the rows of the second with the columns of the first.

All of it follows from the log joints that the short chains ended with, so whoever has their traces knows what comes
next, and nothing else is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from disnplbm.sampler.keys import Role, random_generator

#: A short chain of restarts is this part of the chain.
PART = 10

#: Short chains that stay in each round of a crossed start, and the iterations of each short chain.
POPULATION, CROSSED_ITERATIONS = 12, 20

#: The start that crosses short chains, as options name it.
CROSSED = "crossed"


class Origin(NamedTuple):
    """Where a chain starts: at the rows of one short chain with the columns of another, or of the same one."""

    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class ShortChains:
    """The short chains of one chain, numbered in the order in which they run.

    Parameters
    ----------
    first : int
        Those that start as the run was asked to.
    rounds : int
        Rounds of two children each.
    iterations : int
        Of each.
    """

    first: int
    rounds: int
    iterations: int

    @classmethod
    def planned(cls, start: str, restarts: int, crossings: int, iterations: int) -> ShortChains:
        """Those that the options of a run ask for, whose chains have so many iterations."""
        if start == CROSSED:
            return cls(POPULATION, crossings, CROSSED_ITERATIONS)
        if restarts == 1:
            return cls(0, 0, 0)
        return cls(restarts, 0, max(iterations // PART, 1))

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> ShortChains:
        """Those that options ask for as plain values, of a version without crossings too."""
        return cls.planned(options["start"], options["restarts"], options.get("crossings", 0), options["iterations"])

    @property
    def number(self) -> int:
        """How many there are."""
        return self.first + 2 * self.rounds

    def waves(self) -> Iterator[range]:
        """The short chains that can go on at the same time, wave after wave: the first ones, then each round's two."""
        if self.first:
            yield range(self.first)
        for begin in range(self.first, self.number, 2):
            yield range(begin, begin + 2)

    def awaited(self, number: int | None) -> int:
        """How many must have ended, the first ones, before a short chain starts; None is the chain itself."""
        if number is None:
            return self.number
        return 0 if number < self.first else number - (number - self.first) % 2

    def origin(self, number: int | None, joints: Sequence[float], seed: int, chain: int) -> Origin | None:
        """Where a short chain starts; None is the start that the run was asked for.

        Parameters
        ----------
        number : int or None
            None is the chain itself.
        joints : sequence of float
            The last log joints of the short chains that had to end first, or of more.
        """
        joints = joints[: self.awaited(number)]
        if not joints:
            return None
        best = self.kept(joints)
        if number is None:
            return Origin(best[0], best[0])
        generation, child = divmod(number - self.first, 2)
        generator = random_generator(seed, chain, generation, Role.CROSSING)
        a, b = (best[at] for at in generator.choice(len(best), 2, replace=False))
        return Origin(a, b) if child == 0 else Origin(b, a)

    def kept(self, joints: Sequence[float]) -> list[int]:
        """The short chains that later ones may start from, the best first; of equal ones, the first."""
        best = sorted(range(len(joints)), key=lambda number: -joints[number])
        return best[: self.first if self.rounds else 1]
