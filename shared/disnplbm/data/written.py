"""What the signs in a file make of its numbers: recorded for a run, and compared where it is asked about other tables.

81,2% is 0.812, and 81,2 is 81.2: where one of two tables has the sign and the other does not, their numbers differ by
a factor of 100, and nothing else tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import some_names
from disnplbm.data.table import Source
from disnplbm.errors import InputError

Axis = Literal["rows", "columns"]
Shown = Literal[".", ",", "unclear"]
Positions = NDArray[np.intp]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Written:
    """How the numbers of a text file are written.

    Parameters
    ----------
    decimal : {".", ",", "unclear"}, optional
        The decimal mark that the numbers show; "unclear" where all that have a point are like 1.234, which may be 1234.
        None: no number has a mark.
    percent : "all" or tuple of int
        Positions of the columns that hold percentages.
    axis : {"rows", "columns"}
        Where these columns are in the table: after ``--transpose`` they are its rows.
    """

    decimal: Shown | None = None
    percent: Literal["all"] | tuple[int, ...] = ()
    axis: Axis = "columns"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Written | None:
        """Read what `to_dict` wrote; None for a table that was no text, or one from before this was recorded."""
        if not stored:
            return None
        percent = stored["percent"]
        return cls(stored["decimal"], percent if percent == "all" else tuple(percent), stored["axis"])

    def percentages(self, axis: Axis, positions: Positions) -> Mask | None:
        """Whether the cells of these columns (rows) are percentages; None where that depends on the row (column)."""
        if self.percent in ("all", ()):
            return np.full(len(positions), self.percent == "all")
        return np.isin(positions, self.percent) if self.axis == axis else None


def written_of(source: Source) -> Written | None:
    """How the numbers of a table are written; None if it is no text."""
    found: Written | None = getattr(source, "written", None)
    return found


@dataclass(frozen=True)
class Fitted:
    """The rows or columns that a run was fitted to, for tables of which it is asked.

    Parameters
    ----------
    written : Written, optional
        How the numbers of the run's table were written.
    axis : {"rows", "columns"}
        By what the two tables match.
    """

    written: Written | None
    axis: Axis
    names: Sequence[str]

    def check(self, source: Source, along: Positions, across: Positions, seen: Mask) -> None:
        """Refuse cells that are percentages where the run's were not, or the other way round.

        A note of the source says so where its format has no such sign.

        Parameters
        ----------
        along : ndarray of int, shape (m,)
            Where the fitted columns (rows) stand in the source.
        across : ndarray of int, shape (k,)
            Which of its rows (columns) these are.
        seen : ndarray of bool, shape (m, k)
            Whether a cell has a value.

        Raises
        ------
        InputError
            It names the columns (rows).
        """
        due = None if self.written is None else self.written.percentages(self.axis, np.arange(len(self.names)))
        if due is None:
            return
        new = written_of(source)
        if new is None:
            self._note(source, due)
            return
        found = new.percentages(self.axis, along)
        cells = new.percentages(_OTHER[self.axis], across) if found is None else found[:, None]
        differ = (seen & (due[:, None] != cells)).any(axis=1)
        for percent in (True, False):
            where = np.flatnonzero(differ & (due == percent))
            if where.size:
                raise InputError(f"{source.name}: {self._shown(where)} {_DIFFER[percent]}")

    def _note(self, source: Source, due: Mask) -> None:
        where = np.flatnonzero(due)
        if not where.size:
            return
        note = f"{self._shown(where)} held percentages in the run's table, read as fractions (0.81 for 81%):"
        note = f"{note} the numbers of {source.name} are taken as fractions"
        if note not in source.notes:
            source.notes.append(note)

    def _shown(self, where: Positions) -> str:
        noun = self.axis.removesuffix("s") if len(where) == 1 else self.axis
        return f"{noun} {some_names((self.names[k] for k in where), len(where))}"


_OTHER: dict[Axis, Axis] = {"rows": "columns", "columns": "rows"}

_DIFFER = {
    True: "held percentages in the run's table, where 81% was read as 0.81; the sign is missing here: write it"
    " behind the numbers, as there",
    False: "held no percentages in the run's table, unlike here, where 81% is read as 0.81: write the cells as there,"
    " without the sign",
}
