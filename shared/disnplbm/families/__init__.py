"""Families of cells: what a cell is, and how the cells of one block are distributed.

A family is a folder here. What is sampled, joined, traced and kept knows families by
:class:`~disnplbm.families.base.Family` alone, and none of them by name.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from disnplbm.families.base import Statistics

#: Module and class of statistics, by the number of their arrays; it is imported when it is needed.
_KINDS = {
    1: ("disnplbm.families.exponential.sums", "Sums"),
    3: ("disnplbm.model.statistics", "Statistics"),
    5: ("disnplbm.families.counts.sums", "CountSums"),
}


def statistics_of(arrays: Any) -> Statistics:
    """Statistics, of whatever family, whose arrays travelled or were kept: their number says whose they are.

    Raises
    ------
    ValueError, TypeError, AttributeError, IndexError
        No family has such arrays.
    """
    if len(arrays) not in _KINDS:
        raise ValueError(f"statistics of {len(arrays)} arrays")
    module, name = _KINDS[len(arrays)]
    found: Statistics = getattr(import_module(module), name).of_arrays(*arrays)
    return found
