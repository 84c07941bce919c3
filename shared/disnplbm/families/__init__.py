"""Families of cells: what a cell is, and how the cells of one block are distributed.

A family is a folder here. What is sampled, joined, traced and kept knows families by
:class:`~disnplbm.families.base.Family` alone, and none of them by name.
"""

from __future__ import annotations

from typing import Any

from disnplbm.families.base import Statistics
from disnplbm.families.counts.sums import CountSums
from disnplbm.families.exponential.sums import Sums
from disnplbm.model import statistics as gaussian


def statistics_of(arrays: Any) -> Statistics:
    """Statistics, of whatever family, whose arrays travelled or were kept: their number says whose they are.

    Raises
    ------
    ValueError, TypeError, AttributeError, IndexError
        No family has such arrays.
    """
    found: Statistics = _KINDS.get(len(arrays), gaussian.Statistics).of_arrays(*arrays)
    return found


#: By the number of their arrays.
_KINDS: dict[int, Any] = {len(kind.names): kind for kind in (Sums, CountSums)}
