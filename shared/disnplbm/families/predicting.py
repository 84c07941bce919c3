"""What a type of cells adds to :class:`~disnplbm.families.cell_type.CellType`, so that draws judge new cells of it.

New rows and columns are weighed by the sums of their cells, and missing cells get a value. The facts say, as "axis",
which axis of the fitted table was cut into shards.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.cell_types import cell_type_of
from disnplbm.errors import InputError
from disnplbm.families.base import Cells, Family
from disnplbm.families.cell_type import CellType, Facts
from disnplbm.families.exponential.sums import Sums
from disnplbm.model.statistics import Floats

#: What to do with a cell of a table that a finished run is asked about.
CORRECT = ("; correct the cell, or leave it blank if it is missing",)

Axis = Literal["rows", "columns"]

#: Positions of cells along an axis.
Positions = NDArray[np.integer[Any]]


class NewItems(NamedTuple):
    """New rows, or new columns, as a finished run sees them."""

    cells: Cells  # the new ones are its rows, whatever axis they are of
    log_constants: Floats  # (m,) what the log density of each has beside its log marginals
    ignored: int  # cells that say nothing, and are left out


class CellMoments(NamedTuple):
    """What draws say of cells that are missing: for each, its F figures."""

    means: Floats  # (M, F)
    variances: Floats  # (M, F)


class PredictingType(CellType):
    """A type of cells that `predict` and `impute` know."""

    def refuse_new(self, cells: Floats, facts: Facts) -> tuple[NDArray[np.bool_], str]:  # noqa: ARG002
        """Which cells of a new row cannot be, and what cells there may be; as :meth:`refuse`."""
        return self.refuse(cells)

    @abstractmethod
    def new_items(self, items: csr_array, facts: Facts, axis: Axis, own: Floats | None = None) -> NewItems:
        """Make new rows, or new columns, of their cells.

        Parameters
        ----------
        items : csr_array of shape (m, q)
            The new ones as rows, and the cells of each sorted; NaN where missing.
        axis : {"rows", "columns"}
            What they are.
        own : ndarray of shape (m,), optional
            Their factors, where the fitted rows and columns had some.
        """

    @abstractmethod
    def single_cells(self, rows: Positions, columns: Positions, values: Floats, facts: Facts) -> tuple[Sums, Floats]:
        """Sums of sets of one cell each, shape (M,), and what their log densities have beside the log marginals.

        Parameters
        ----------
        rows, columns : ndarray of int, shape (M,)
            Places in the fitted table.
        values : ndarray of shape (M,)
        """

    @abstractmethod
    def moments(self, family: Family, blocks: Sums, rows: Positions, columns: Positions, facts: Facts) -> CellMoments:
        """What a draw says of missing cells.

        Parameters
        ----------
        family : Family
            That the draw is of.
        blocks : Sums of shape (M,)
            Of the block that each cell lies in.
        rows, columns : ndarray of int, shape (M,)
            Places in the fitted table.
        """

    def fill(self, mixed: CellMoments, facts: Facts) -> tuple[Floats, dict[str, Floats]]:  # noqa: ARG002
        """The value to put into each missing cell, and what is told of it, by name; arrays of shape (M,).

        Parameters
        ----------
        mixed : CellMoments
            Over all draws.
        """
        return mixed.means[:, 0], {"mean": mixed.means[:, 0], "sd": np.sqrt(mixed.variances[:, 0])}

    def check_new(self, rows: csr_array, first: int, column_names: Sequence[str], facts: Facts) -> None:
        """Refuse rows with a cell that cannot be in a table like the fitted one; see :meth:`check`."""
        self._check_stored(rows, first, column_names, lambda cells: self.refuse_new(cells, facts), CORRECT)


def predicting_type(name: str) -> PredictingType:
    """The type of cells of a name; InputError if draws cannot judge new ones."""
    found = cell_type_of(name)
    if not isinstance(found, PredictingType):
        what = f"new rows and missing cells cannot be judged where cells are {found.noun}"
        raise InputError(what, *found.instead)
    return found
