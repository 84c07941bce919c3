"""Covariates of rows and of columns that somebody gives, for responses that depend on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from disnplbm.data.cells import some_names
from disnplbm.data.factors import read_named
from disnplbm.data.matching import is_counted
from disnplbm.errors import InputError
from disnplbm.families.responses.covariates import MOST_COVARIATES as MOST_COVARIATES
from disnplbm.families.responses.covariates import Covariates
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, plural

#: The type of cells that covariates are for.
RESPONSES = "responses"


@dataclass(frozen=True, slots=True, eq=False)
class GivenCovariates:
    """Covariates of some rows, or columns, as they are given.

    Parameters
    ----------
    names : sequence of str
        Of the covariates.
    values : ndarray of shape (m, a)
        NaN where missing.
    ids : sequence of str, optional
        Names of the rows (columns); None: they are in the order of the table.
    """

    names: Sequence[str]
    values: Floats
    ids: Sequence[str] | None = None

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it: lists, with null where a value is missing."""
        values = [[None if np.isnan(value) else value for value in row] for row in self.values.tolist()]
        return {"names": list(self.names), "values": values, "ids": None if self.ids is None else list(self.ids)}

    @classmethod
    def from_plain(cls, given: Any) -> GivenCovariates:
        """Read what :meth:`to_plain` wrote.

        Raises
        ------
        InputError
            There is not one value for each name, or not one name for each row.
        """
        rows, names, ids = given["values"], given["names"], given.get("ids")
        if any(len(row) != len(names) for row in rows) or (ids is not None and len(ids) != len(rows)):
            raise InputError(
                "covariates are a list of values for each row, one value for each name: check their lengths"
            )
        values = np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=np.float64)
        return cls(names, values.reshape(len(rows), len(names)), ids)

    def matched(self, names: Sequence[str], noun: str, table: str) -> tuple[Floats, list[str]]:
        """The covariates in the order of a table's rows (columns), and notes that say how they were matched.

        Covariates of others are left out.

        Raises
        ------
        InputError
            A row (column) has none, or, without names, there are more or fewer.
        """
        if self.ids is None or is_counted(names):
            if len(self.values) != len(names):
                raise InputError(
                    f"there are covariates of {plural(len(self.values), noun)}, and {table} has"
                    f" {plural(len(names), noun)}: give them for each, in the same order, or by their names"
                )
            return self.values, []
        place = self.places()
        lacking = [name for name in names if name.strip() not in place]
        if lacking:
            shown = some_names(lacking, len(lacking))
            raise InputError(
                f"the covariates of the {noun}s lack {shown} of {table}: give them for each {noun}, by name"
            )
        left_out = len(place) - len({name.strip() for name in names})
        notes = [f"covariates of {plural(left_out, noun)} that {table} does not have are left out"] if left_out else []
        return self.values[[place[name.strip()] for name in names]], notes

    def places(self) -> dict[str, int]:
        """Where each name is; InputError if one is there twice."""
        ids = [name.strip() for name in self.ids or ()]
        twice = [name for name, number in Counter(ids).items() if number > 1]
        if twice:
            raise InputError(f"covariates are given twice for {some_names(twice, len(twice))}: keep one line for each")
        return {name: i for i, name in enumerate(ids)}


def read_covariates(path: str | Path) -> GivenCovariates:
    """Read covariates of rows, or of columns: a table with a line for each, and perhaps a column of names.

    Raises
    ------
    InputError
        The file cannot be read, or a covariate is text.
    """
    path = Path(path)
    try:
        source, values, ids = read_named(path)
    except InputError as error:
        if not path.is_file():
            raise
        raise InputError(
            error.note, "; covariates are numbers: write yes and no as 1 and 0, and a category as a column of these"
        ) from error
    return GivenCovariates(list(source.column_names), values, ids)


def match_covariates(
    rows: GivenCovariates | None,
    columns: GivenCovariates | None,
    row_names: Sequence[str],
    column_names: Sequence[str],
    table: str,
) -> tuple[Covariates | None, list[str]]:
    """Covariates in the order of a table, None if there are none; and how they were matched."""
    if rows is None and columns is None:
        return None, []
    of_rows, said_of_rows = _matched(rows, row_names, "row", table)
    of_columns, said_of_columns = _matched(columns, column_names, "column", table)
    named = (tuple(given.names) if given is not None else () for given in (rows, columns))
    return Covariates(of_rows, of_columns, *named), [*said_of_rows, *said_of_columns]


def _matched(given: GivenCovariates | None, names: Sequence[str], noun: str, table: str) -> tuple[Floats, list[str]]:
    return (np.empty((len(names), 0)), []) if given is None else given.matched(names, noun, table)


def check_for_responses(cells: str) -> None:
    """Refuse covariates for other cells than responses."""
    if cells != RESPONSES:
        raise InputError(
            f"covariates are for responses, and the cells are {cells}: add ",
            *(Hint("cells", RESPONSES), ", or leave the covariates out"),
        )
