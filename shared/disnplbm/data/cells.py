"""Rules about cells and names that hold for every format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import InputError
from disnplbm.notes import plural

NAMED = 5
"""How many rows or columns a warning names before it says "and N more"."""

LEAST_COMPLETE = 10
"""A table of cells of several numbers is refused if fewer than one in this many of its cells are complete."""


def check_finite(values: NDArray[np.float64], first_row: int, name: str, column_names: Sequence[str]) -> None:
    """Refuse infinite cells; the message names the first one, rows counted from 1.

    Parameters
    ----------
    values : ndarray, shape (c, p, d)
    first_row : int
        0-based index of the first of these rows in the table.
    """
    # One pass without a temporary: the sum is infinite or NaN whenever a cell is; only then look closer.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(values)):
            return
    infinite = np.isinf(values)
    if infinite.any():
        row, column, component = (int(i) for i in np.argwhere(infinite)[0])
        raise not_finite(values[row, column, component], first_row + row, column_names[column], name)


def not_finite(value: float, row: int, column: str, name: str) -> InputError:
    """What is wrong with an infinite cell; rows are counted from 0 here, and from 1 in the message."""
    return InputError(
        f"{name}: row {row + 1}, column {column}: {value} is not a finite number; replace it or leave the cell blank"
        " (NaN) if it is missing"
    )


def unify_missing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each cell with a NaN component NaN in all of them, all of one bit pattern, and turn -0.0 into 0.0.

    Works in place if it can; returns the array.
    """
    if not values.flags.writeable:
        values = values.copy()
    values += 0.0
    missing = np.isnan(values)
    if missing.any():
        values[missing.any(axis=2)] = np.nan
    return values


def not_numeric(others: Sequence[tuple[str, str]], table: str) -> str:
    """What is wrong with a table in which these columns, each with its type, hold no numbers."""
    (column, kind), *more = others
    alike = f" (likewise {some_names((name for name, _ in more), len(more))})" if more else ""
    return f"{table}: column {column} is of type {kind}, not numeric{alike}; convert it, or leave it out"


class PartlyMissing:
    """Counts cells of several numbers of which some are missing: such a cell is missing as a whole.

    Parameters
    ----------
    name : str
        What to call the table in messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._partly = self._complete = 0

    def unify(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What :func:`unify_missing` makes of cells (c, p, d), which are counted."""
        if values.shape[2] > 1:
            missing = np.isnan(values)
            complete, empty = int((~missing.any(axis=2)).sum()), int(missing.all(axis=2).sum())
            self._complete += complete
            self._partly += missing.shape[0] * missing.shape[1] - complete - empty
        return unify_missing(values)

    def notes(self) -> list[str]:
        """What to say once all cells are counted: nothing, or that some of them are lost.

        Raises
        ------
        InputError
            Fewer than one in :data:`LEAST_COMPLETE` of the cells that hold a number are complete.
        """
        filled = self._partly + self._complete
        lost = (
            f"{self._partly:,} of {filled:,} cells that hold a number miss some of their numbers, and such a cell is"
            " missing as a whole"
        )
        remedy = "cut all cells to the numbers that they share (X[:, :, :k]), or fill in the missing ones"
        if self._complete * LEAST_COMPLETE < filled:
            raise InputError(f"{self._name}: {lost}, which leaves {plural(self._complete, 'cell')}; {remedy}")
        return [f"{lost}; to use them, {remedy}"] if self._partly else []


def some_names(names: Iterable[str], total: int) -> str:
    """The first few names, and how many more there are.

    >>> some_names(["a", "b"], 2)
    'a, b'
    """
    shown: list[str] = []
    for name in names:
        if len(shown) == NAMED:
            break
        shown.append(name)
    rest = total - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def rounded(number: float) -> str:
    """A number of three digits as people write it.

    >>> rounded(1234567.0), rounded(0.5), rounded(2e-9)
    ('1,230,000', '0.5', '2e-09')
    """
    return f"{float(f'{number:.3g}'):,.0f}" if 1e3 <= abs(number) < 1e12 else f"{number:.3g}"
