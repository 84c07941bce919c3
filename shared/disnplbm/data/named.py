"""Columns asked for by name: the row names and the classes."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from disnplbm.data.cells import some_names
from disnplbm.errors import InputError

ID_OPTION = "--id-column"
CLASS_OPTION = "--row-classes"
DROP_OPTION = "--drop-column"


class ColumnNote(str):
    """A note on columns that are taken as data, with what leaves them out.

    Attributes
    ----------
    columns : tuple of str
    """

    __slots__ = ("columns",)
    columns: tuple[str, ...]

    @classmethod
    def on(cls, columns: Sequence[str], note: str) -> ColumnNote:
        """The note with the columns that it is on."""
        made = cls(note)
        made.columns = tuple(columns)
        return made

    def is_on(self, columns: Sequence[str]) -> bool:
        """Whether all its columns are among these."""
        return set(self.columns) <= set(columns)


class NoSuchColumn(InputError):
    """A table lacks a column that was asked for."""

    def __init__(self, message: str, column: str) -> None:
        super().__init__(message)
        self.column = column


def find_column(names: Sequence[str], wanted: str | None, option: str, source: str) -> int | None:
    """Position of the first column of this name, None if none is wanted; NoSuchColumn if there is none."""
    if wanted is None:
        return None
    if wanted in names:
        return list(names).index(wanted)
    close = difflib.get_close_matches(wanted, names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {some_names(names, len(names))}"
    raise NoSuchColumn(f"{source} has no column {wanted!r} for {option}: {hint}", wanted)
