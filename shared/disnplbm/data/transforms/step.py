"""What every transform is: a value that is fitted in passes over a table, applied to rows, and taken back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.odd_columns import describe
from disnplbm.errors import InputError
from disnplbm.notes import Hint, Note, joined

Cells = NDArray[np.float64]
Progress = Callable[[int, int], None]


class Shaped(Protocol):
    """A table, of which the shape alone is known."""

    @property
    def n(self) -> int:
        """Number of rows."""

    @property
    def p(self) -> int:
        """Number of columns."""

    @property
    def dimension(self) -> int:
        """Numbers in a cell."""


class Table(Shaped, Protocol):
    """Rows of a table that can be read again and again, a stretch at a time."""

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""

    def arrays(self) -> Iterator[tuple[int, Cells]]:
        """First row and cells (c, p, d) of each stretch."""


@dataclass(frozen=True, eq=False)
class Step(ABC):
    """A fitted transform; its fields are arrays. Cells have shape (c, p, d): whole rows; NaN is missing and stays so.

    Attributes
    ----------
    kind : str
        Its name.
    keeps_zeros : bool
        Whether it takes each number by itself, and 0 to 0: such a transform needs the cells alone that are not 0.
    """

    kind: ClassVar[str]
    keeps_zeros: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def fit(cls, table: Table, progress: Progress | None = None) -> tuple[Self, list[str]]:
        """Fit to a table; also says what became of odd columns or rows. InputError: a value is outside the domain."""

    @abstractmethod
    def apply(self, values: Cells) -> Cells:
        """Transform rows; a new array. InputError: a value is outside the domain."""

    @abstractmethod
    def inverse(self, values: Cells, source: Cells) -> Cells:
        """Take transformed cells back. ``source`` holds the same rows as :meth:`apply` takes them."""

    def to_record(self) -> dict[str, Any]:
        """The fitted parameters, as JSON holds them."""
        return {field.name: getattr(self, field.name).tolist() for field in fields(self)}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """Read what :meth:`to_record` wrote."""
        return cls(**{field.name: np.array(record[field.name], dtype=np.float64) for field in fields(cls)})


class LinearStep(Step):
    """A transform that shifts and scales each number only, so that a standard deviation can be taken back."""

    @abstractmethod
    def slope(self, source: Cells) -> Cells:
        """What to multiply a standard deviation by on the way back; broadcasts to the cells."""


LOG1P_BOUND = -1.0
"""log1p is defined for numbers above it."""


class Domain:
    """The numbers that a transform is defined for: those above a bound.

    Parameters
    ----------
    kind : str
        Name of the transform.
    """

    def __init__(self, kind: str, bound: float) -> None:
        self._kind, self._bound = kind, bound

    def require(self, values: Cells) -> None:
        """Raise InputError if a value is outside."""
        if (values <= self._bound).any():
            raise InputError(f"a value is outside of the domain of {self._kind}; ", self._remedy(np.nanmin(values)))

    def require_table(self, table: Table) -> None:
        """Raise InputError that names the first cell outside, if there is one."""
        for first, values in table.arrays():
            outside = values <= self._bound
            if outside.any():
                i, j, k = (int(index) for index in np.argwhere(outside)[0])
                lowest = min(np.fmin.reduce(values, axis=None) for _, values in table.arrays())
                raise InputError(
                    f"column {table.column_names[j]}, row {first + i + 1} holds {values[i, j, k]:g}; ",
                    self._remedy(lowest),
                )

    def _remedy(self, lowest: float) -> Note:
        """What to do with a table of this lowest value."""
        others = [Hint("transform", "standardize")]
        if self._bound > LOG1P_BOUND and lowest > LOG1P_BOUND:
            others.insert(0, Hint("transform", "log1p"))
        needs = f"{self._kind} needs values above {self._bound:g}: add a constant to the data, or use "
        return Note(needs, joined(" or ", others))


def constant_columns(table: Table, constant: NDArray[np.bool_], what: str) -> list[str]:
    """A warning that names the columns, of shape (p, d), all of whose numbers are constant; none if there are none."""
    columns = np.flatnonzero(constant.all(axis=1))
    if len(columns) == 0:
        return []
    return [describe("column", what, (table.column_names[j] for j in columns), len(columns))]
