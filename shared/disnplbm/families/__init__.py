"""Families of cells: what a cell is, and how the cells of one block are distributed.

A family is a folder here. What is sampled, joined, traced and kept knows families by
:class:`~disnplbm.families.base.Family` alone, and none of them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from importlib import import_module
from typing import Any

from disnplbm.families.base import BlockFit, Statistics

#: Module and class of statistics, by the number of their arrays; it is imported when it is needed.
_KINDS = {
    1: ("disnplbm.families.exponential.sums", "Sums"),
    3: ("disnplbm.model.statistics", "Statistics"),
    5: ("disnplbm.families.counts.sums", "CountSums"),
}

#: Module and class of checks of blocks, with what blocks.csv holds of them: the first is what no other check has.
_CHECKS = (
    ("disnplbm.posterior.normality", "Normality", ("skewness", "kurtosis", "ppc")),
    ("disnplbm.families.counts.dispersion", "Dispersion", ("dispersion", "ppc")),
)

#: All that checks write into blocks.csv.
CHECKED = frozenset(name for *_, columns in _CHECKS for name in columns)


def check_of(names: Container[str]) -> tuple[Callable[..., BlockFit], tuple[str, ...]] | None:
    """The check that wrote columns of these names into blocks.csv, and which are its own; None if there is none.

    The check takes the cells of each block, and then its columns.
    """
    for module, name, columns in _CHECKS:
        if columns[0] in names:
            return getattr(import_module(module), name), columns
    return None


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
