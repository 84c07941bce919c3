"""An annealed start: the power of the likelihood rises from half to full over the first iterations.

At a low power clusters that overlap merge and split easily. From then on the chain is as any other, so what it says is
exact: the annealed iterations are a start. The log joint of every iteration is at full power.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from disnplbm.families.base import Family
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.state import Broadcast

#: Part of the power that an annealed start begins with.
LOWEST = 0.5

#: Iterations in a row at one power. A launch of ``split-merge`` and its decision are among them.
HELD = 4


def power_at(parameters: Parameters, iteration: int) -> float:
    """The power of the likelihood in an iteration, counted from 1."""
    steps = -(-parameters.anneal // HELD)
    step = (iteration - 1) // HELD
    if iteration > parameters.anneal:
        return parameters.power
    return parameters.power * (LOWEST + (1.0 - LOWEST) * step / steps)


def family_at(family: Family, parameters: Parameters, iteration: int) -> Family:
    """The family with the power of an iteration."""
    power = power_at(parameters, iteration)
    return family if power == parameters.power else _tempered(family, power)


def at_its_power(broadcast: Broadcast, parameters: Parameters) -> Broadcast:
    """A broadcast whose families have the power of its iteration."""
    if broadcast.iteration > parameters.anneal:
        return broadcast
    parts = tuple(
        replace(part, family=family_at(part.family, parameters, broadcast.iteration)) for part in broadcast.parts
    )
    return replace(broadcast, parts=parts)


# Shards keep what they computed for a family as long as they are given the same object.
@lru_cache(maxsize=8)
def _tempered(family: Family, power: float) -> Family:
    return family.tempered(power)
