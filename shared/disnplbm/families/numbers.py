"""What is asked of the family of real numbers beyond what all families do, without its name.

Draws of real numbers know a working frame and a prior of their own; tables of other cells have a
:class:`~disnplbm.families.cell_type.CellType`, and facts.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics


class NumberFamily(Protocol):
    """The family of real numbers."""

    frame: Frame
    prior: NIWPrior
    power: float

    def cell_moments(self, blocks: Statistics) -> tuple[Floats, Floats]:
        """Mean and variances of a cell of each block, shape (K, L, d); NaN where they do not exist."""

    def density_tables(self, blocks: Statistics) -> tuple[Floats, Floats, Floats, Floats]:
        """Make what :meth:`disnplbm.kernels.predictive.LogMean.add_cells` takes of the blocks."""


def number_record(family: NumberFamily) -> dict[str, Any]:
    """The family as plain values."""
    return cast("dict[str, Any]", _kept().to_record(family))


def number_family(record: dict[str, Any], power: float) -> Any:
    """The family of what :func:`number_record` gave; KeyError, TypeError or ValueError if it is something else."""
    return _kept().of_record(record, power)


def _kept() -> Any:
    return import_module("disnplbm.families.gaussian.record")
