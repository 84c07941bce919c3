"""Columns asked for by name: the row names and the classes."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from disnplbm.data.cells import some_names
from disnplbm.data.table import Source
from disnplbm.errors import InputError
from disnplbm.notes import Hint


class NoSuchColumn(InputError):
    """A table lacks a column that was asked for."""

    def __init__(self, column: str, *parts: str | Hint) -> None:
        super().__init__(*parts)
        self.column = column


def find_column(names: Sequence[str], wanted: str | None, option: str, source: str) -> int | None:
    """Position of the first column of this name, None if none is wanted; NoSuchColumn if there is none."""
    if wanted is None:
        return None
    if wanted in names:
        return list(names).index(wanted)
    close = difflib.get_close_matches(wanted, names, n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {some_names(names, len(names))}"
    raise NoSuchColumn(wanted, f"{source} has no column {wanted!r} for ", Hint(option), f": {hint}")


def id_name_of(source: Source) -> str | None:
    """What a table calls its column of row names; None where the file gives it no name."""
    found: str | None = getattr(source, "id_name", None)
    return found


def number_names_of(source: Source) -> tuple[str, ...]:
    """What the numbers of a cell are called; empty where they have no names."""
    return tuple(getattr(source, "number_names", ()))
