"""Factors of rows and columns that somebody gives: the exposure of a cell of counts is the product of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.matching import LabelList, match
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.families.cell_type import Factors
from disnplbm.notes import Hint, plural

#: As `exposure`: factors are given.
GIVEN: Final = "given"

COUNTS = "counts"


@dataclass(frozen=True, slots=True)
class GivenFactors:
    """Factors as they are given.

    Parameters
    ----------
    rows, columns : LabelList of float, optional
        One for each row (column), by their names or in the order of the table; None: all are 1.
    """

    rows: LabelList[float] | None = None
    columns: LabelList[float] | None = None

    @classmethod
    def from_plain(cls, rows: Any, columns: Any) -> GivenFactors:
        """Read what :meth:`LabelList.to_plain` wrote, or None of each.

        Raises
        ------
        InputError
            A factor is not above 0, or there is not one name for each.
        """
        given = [
            None if plain is None else checked(LabelList.from_plain(plain), f"{noun}_factors")
            for noun, plain in (("row", rows), ("column", columns))
        ]
        return cls(*given)

    def matched(self, row_names: Sequence[str], column_names: Sequence[str], table: str) -> tuple[Factors, list[str]]:
        """The factors in the order of a table, and notes that say how they were matched.

        Raises
        ------
        InputError
            They are not of the rows (columns) of the table.
        """
        rows, of_rows = match_factors(self.rows, row_names, "row", table)
        columns, of_columns = match_factors(self.columns, column_names, "column", table)
        return Factors(rows, columns), [*of_rows, *of_columns]


def match_factors(
    given: LabelList[float] | None, names: Sequence[str], noun: str, table: str
) -> tuple[NDArray[np.float64], list[str]]:
    """The factors of rows (columns) of these names, and how they were matched; see :class:`GivenFactors`."""
    if given is None:
        return np.ones(len(names)), []
    found, notes = match(given, names, noun, f"factors of the {noun}s", table)
    how = [] if notes or given.ids is None else [f"the factors of the {noun}s are matched by their names"]
    return np.array(found, dtype=np.float64), [*notes, *how]


class NewFactors:
    """Factors of new rows, which come some at a time.

    Parameters
    ----------
    given : LabelList of float
        There may be more names than new rows.
    table : str
        The name of the table of the new rows.
    """

    def __init__(self, given: LabelList[float], table: str) -> None:
        self._given, self._table = given, table
        self._by_name = None if given.ids is None else dict(zip(given.ids, given.labels, strict=True))
        self._start = 0

    def take(self, names: Sequence[str] | None, number: int) -> NDArray[np.float64]:
        """The factors of the next rows; InputError if one is lacking."""
        start, self._start = self._start, self._start + number
        if names is None or self._by_name is None:
            if self._start > len(self._given.labels):
                raise self._refuse("more rows")
            return np.array(self._given.labels[start : self._start], dtype=np.float64)
        lacking = next((name for name in names if name not in self._by_name), None)
        if lacking is not None:
            raise InputError(f"row {lacking} of {self._table} has no factor: give one for each row, by the same names")
        return np.array([self._by_name[name] for name in names], dtype=np.float64)

    def finish(self, *, named: bool) -> str:
        """How they were matched, once all rows are there; InputError if some were left over, in order."""
        if named and self._by_name is not None:
            return "the factors are matched by their names"
        if self._start < len(self._given.labels):
            raise self._refuse(plural(self._start, "row"))
        return "the factors are taken in the order of the rows"

    def _refuse(self, rows: str) -> InputError:
        factors = plural(len(self._given.labels), "factor")
        return InputError(f"there are {factors}, and {self._table} has {rows}: give one for each, in the same order")


def read_factors(path: str | Path) -> LabelList[float]:
    """Read a factor for each row, or each column.

    Parameters
    ----------
    path : str or Path
        A table with one column of factors, and perhaps one of names; or a .npy file with one axis.

    Raises
    ------
    InputError
        The file cannot be read, has another number of columns, or a factor is not above 0; the line names the row.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy" and (array := _array_of(path)) is not None:
        return checked(LabelList(array.tolist()), str(path))
    source, values, names = read_named(path)
    if values.shape[1] != 1:
        columns = ", ".join(source.column_names[:5])
        raise InputError(f"{path} has {values.shape[1]} columns of numbers ({columns}): give names and one of factors")
    return checked(LabelList(values[:, 0].tolist(), names), str(path))


def checked(given: LabelList[Any], what: str) -> LabelList[float]:
    """Factors as numbers; InputError names the first that is not a finite number above 0.

    Parameters
    ----------
    what : str
        Where they come from.
    """
    numbers = list[float]()
    for i, factor in enumerate(given.labels):
        number = float(factor)
        if not 0.0 < number < np.inf:
            item = f"row {i + 1}" if given.ids is None else f"row {i + 1} ({given.ids[i]})"
            shown = "missing" if np.isnan(number) else f"{number:g}"
            raise InputError(f"{what}: the factor in {item} is {shown}; factors are finite numbers above 0")
        numbers.append(number)
    return LabelList(numbers, given.ids)


def check_for_counts(cells: str) -> None:
    """Refuse factors for other cells than counts."""
    if cells != COUNTS:
        raise InputError(
            f"factors of rows and columns are for counts, and the cells are {cells}: add ",
            *(Hint("cells", COUNTS), ", or leave out ", Hint("exposure")),
        )


def read_named(path: Path) -> tuple[Source, NDArray[np.float64], list[str] | None]:
    """The table of a file; a column of words names its rows."""
    reading = Reading(words="no")
    try:
        return _cells(open_source(path, reading))
    except OptionsNeeded as error:
        named = Reading.from_dict(error.reading.to_dict()).id_column
        if named is None:
            raise
        return _cells(open_source(path, reading.but(id_column=named)))


def _cells(source: Source) -> tuple[Source, NDArray[np.float64], list[str] | None]:
    chunks = list(source.chunks())
    if source.dimension > 1 or not chunks:
        raise InputError(f"{source.name}: give names and one column of factors")
    names = [name for chunk in chunks for name in chunk.ids or ()]
    return source, np.concatenate([chunk.values[:, :, 0] for chunk in chunks]), names or None


def _array_of(path: Path) -> NDArray[Any] | None:
    """An array of one axis of numbers; None if the file holds anything else."""
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError):
        return None
    return array if isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype.kind in "biuf" else None
