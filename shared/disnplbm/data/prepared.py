"""A table's cells as a run takes them: transformed, with what the prior and the notes need to know of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE, type_of_parts
from disnplbm.data.advice import advise
from disnplbm.data.moments import Moments, collinear
from disnplbm.data.sample import Sample
from disnplbm.data.shape import CellShape
from disnplbm.data.sharding import Axis, Sharding
from disnplbm.data.transform import Transform
from disnplbm.data.transforms.step import Cells, Table
from disnplbm.errors import InputError
from disnplbm.model.frame import variances
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint

SMALLEST_VARIANCE = 1e-290
"""Below this a variance has lost digits, or is 0 for numbers that differ."""


@dataclass(frozen=True)
class Prepared:
    """What is known of the cells of all shards together.

    Attributes
    ----------
    n, p, dimension : int
        Rows and columns in the user's orientation, numbers per cell.
    axis : {"rows", "columns"}
        The user's axis whose items are spread over the shards.
    transform : str
        Names, as :func:`disnplbm.data.transform.check_transform` gives them.
    mean, covariance : tuple
        (d,) and (d, d), of all observed cells after the transform, divided by their number. Above
        :data:`disnplbm.bounds.MOST_NUMBERS_FULL` numbers a cell, the variances alone: (d,). Of other cells than real
        numbers, nothing: their facts say what a prior needs.
    observed, missing : int
        Cells with and without a value.
    cells : str
        Type of the cells.
    facts : dict
        What is known of cells that are no real numbers, see :class:`disnplbm.families.cell_type.CellType`.
    sparse : bool
        Whether shards of real numbers hold the cells alone that are not zero
        (:mod:`disnplbm.data.sparse_numbers`); shards of other cells always do.
    """

    n: int
    p: int
    dimension: int
    axis: Axis
    transform: str
    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...] | tuple[float, ...]
    observed: int
    missing: int
    cells: str = DENSE
    facts: dict[str, Any] = field(default_factory=dict)
    sparse: bool = False

    @property
    def is_dense(self) -> bool:
        """Whether shards hold every cell, zeros too."""
        return self.cells == DENSE and not self.sparse

    @property
    def is_full(self) -> bool:
        """Whether the covariance of a cell's numbers is known, and not their variances alone."""
        return len(self.covariance) > 0 and isinstance(self.covariance[0], tuple)

    @property
    def n_items(self) -> int:
        """Length of the sharded axis."""
        return self.n if self.axis == "rows" else self.p

    @property
    def n_others(self) -> int:
        """Length of the other axis."""
        return self.p if self.axis == "rows" else self.n


class OfParts:
    """What a table is as a whole, from what is known of its prepared parts, which have all its rows."""

    __slots__ = ()

    parts: tuple[Prepared, ...]

    @property
    def n(self) -> int:
        """Rows."""
        return self.parts[0].n

    @property
    def p(self) -> int:
        """Columns of all parts."""
        return sum(part.p for part in self.parts)

    @property
    def dimension(self) -> int:
        """Numbers in a cell: the most of all parts."""
        return max(part.dimension for part in self.parts)

    @property
    def cells(self) -> str:
        """Type of the cells, :data:`disnplbm.cell_types.MIXED` if the parts have several."""
        return type_of_parts(part.cells for part in self.parts)

    @property
    def axis(self) -> Axis:
        """The axis whose items are spread over the shards; of several parts the rows, which are all that they share."""
        return self.parts[0].axis


def prepare_cells(
    table: Table,
    cells: Iterable[tuple[int, Cells]],
    sharding: Sharding,
    transform: Transform,
    keep: Callable[[int, Cells], object],
) -> tuple[Prepared, list[str]]:
    """Transform a table, stretch by stretch, and say what is known of it then.

    Parameters
    ----------
    cells : iterable
        First row and cells of each stretch, as ``table.arrays()`` gives them.
    transform : Transform
        Fitted to the table.
    keep : callable
        Is called with the first row of each stretch and its transformed cells.

    Returns
    -------
    prepared : Prepared
    notes : list of str
        What is odd about the cells.

    Raises
    ------
    InputError
        Every cell is missing, or the numbers are too large, too small, or outside of the transform's domain.
    """
    moments, shape = Moments(table.dimension), CellShape(table.p, table.dimension)
    sample = Sample(table.p, table.dimension)
    for first, raw in cells:
        values = transform.apply(raw)
        moments.add(values)
        shape.add(values)
        sample.add(values)
        keep(first, values)
    check_observed(moments.count)
    name, covariance, notes = transform.name, moments.covariance, list[str]()
    check_moments(moments.mean, covariance, moments.varies, name)
    if (note := advise(sample, table.column_names).note(name)) is not None:
        notes.append(note)
    if collinear(covariance):
        notes.append(
            "the numbers of a cell are collinear: leave out those that follow from the others; in blocks of more than"
            " 10,000 cells rounding outweighs what the data say"
        )
    notes.extend(shape.warnings(table.column_names))
    prepared = Prepared(
        n=table.n,
        p=table.p,
        dimension=table.dimension,
        axis=sharding.axis,
        transform=name,
        mean=tuple(moments.mean.tolist()),
        covariance=to_tuples(covariance.tolist()),
        observed=moments.count,
        missing=table.n * table.p - moments.count,
    )
    return prepared, notes


def check_observed(observed: int) -> None:
    """Refuse a table without any value."""
    if observed == 0:
        raise InputError("every cell is missing, so there is nothing to tell clusters apart")


def check_moments(mean: Floats, covariance: Floats, varies: NDArray[np.bool_], transform: str) -> None:
    """Refuse numbers whose mean and covariance cannot be computed.

    Parameters
    ----------
    mean, covariance : ndarray of shapes (d,) and (d, d), or (d,)
        Of all cells after the transform.
    varies : ndarray of bool, shape (d,)
        Whether two cells differ.

    Raises
    ------
    InputError
        The numbers are too large, or too small.
    """
    remedy = () if "standardize" in transform.split(",") else ("use ", Hint("transform", "standardize"), ", or ")
    if not (np.isfinite(mean).all() and np.isfinite(covariance).all()):
        large = "the numbers are too large for their covariance to be computed; "
        raise InputError(large, *remedy, "divide them by a constant", kind="too-large")
    if (varies & (variances(covariance) < SMALLEST_VARIANCE)).any():
        small = "the numbers are too small for their variance to be computed; "
        raise InputError(small, *remedy, "multiply them by a constant", kind="too-small")


def to_tuples(covariance: list[Any]) -> Any:
    """A covariance, or variances alone, of lists as tuples."""
    return tuple(tuple(row) if isinstance(row, list) else row for row in covariance)
