"""Covariates of rows and of columns, as they are given beside a table."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import numpy as np

from disnplbm.errors import InputError
from disnplbm.families.cell_type import pack_numbers, unpack_numbers
from disnplbm.model.statistics import Floats

#: Covariates that rows, columns and cells may have together: a block has as many coefficients.
MOST_COVARIATES = 50


class Covariates(NamedTuple):
    """Numbers that are known of each row and of each column, in the order of the table; NaN where missing."""

    rows: Floats  # (n, a)
    columns: Floats  # (p, b)
    row_names: tuple[str, ...] = ()  # (a,) of the covariates
    column_names: tuple[str, ...] = ()  # (b,)

    @classmethod
    def none(cls, n: int, p: int) -> Covariates:
        """A table that has none."""
        return cls(np.empty((n, 0)), np.empty((p, 0)))

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        packed = {"rows": pack_numbers(self.rows), "columns": pack_numbers(self.columns)}
        return {**packed, "row_names": list(self.row_names), "column_names": list(self.column_names)}

    @classmethod
    def from_plain(cls, given: dict[str, Any]) -> Covariates:
        """Read what :meth:`to_plain` wrote."""
        names = tuple(given["row_names"]), tuple(given["column_names"])
        return cls(unpack_numbers(given["rows"]), unpack_numbers(given["columns"]), *names)

    @property
    def digest(self) -> str:
        """Tells these covariates from others; 32 hexadecimal digits."""
        return hashlib.sha256(json.dumps(self.to_plain()).encode()).hexdigest()[:32]


def name_all(of_rows: tuple[str, ...], of_columns: tuple[str, ...], of_cells: tuple[str, ...]) -> tuple[str, ...]:
    """Names of all covariates; one that is there twice says what it is of.

    Raises
    ------
    InputError
        Two have one name, or there are too many.

    >>> name_all(("age", "dose"), ("age",), ())
    ('row age', 'dose', 'column age')
    """
    of_each = [
        (noun, name) for noun, names in (("row", of_rows), ("column", of_columns), ("cell", of_cells)) for name in names
    ]
    there = [name for _, name in of_each]
    if len(there) > MOST_COVARIATES:
        raise InputError(f"there are {len(there)} covariates, and a fit takes {MOST_COVARIATES}: leave some out")
    names = tuple(name if there.count(name) == 1 else f"{noun} {name}" for noun, name in of_each)
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two covariates are called {name}: name each differently")
    return names
