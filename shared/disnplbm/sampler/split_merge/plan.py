"""What the master tells the shards of an iteration."""

from __future__ import annotations

from typing import NamedTuple

from disnplbm.errors import RunError
from disnplbm.model.statistics import Labels
from disnplbm.sampler.collapsed.merges import Pairs
from disnplbm.sampler.split_merge.measure import Measure
from disnplbm.sampler.split_merge.tries import Tries
from disnplbm.sampler.state import Broadcast


class Plan(NamedTuple):
    """The record of a broadcast: what the iteration's step needs, and nothing in the place of the rest."""

    partners: Labels  # (K,) see disnplbm.sampler.collapsed.merges
    tries: Tries
    measure: Measure

    @classmethod
    def none(cls) -> Plan:
        """A plan of nothing."""
        return cls(Pairs.none().partners, Tries.none(), Measure.none())

    @classmethod
    def of(cls, broadcast: Broadcast) -> Plan:
        """The plan of a broadcast; RunError if it has another record."""
        try:
            partners, tries, measure = broadcast.record
            return cls(partners, Tries(*tries), Measure(*measure))
        except (TypeError, ValueError) as error:
            raise RunError(f"a broadcast is damaged: {error}") from error
