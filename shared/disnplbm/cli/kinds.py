"""A file that is refused for its words may be a table of columns of several kinds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disnplbm.cell_types import MIXED
from disnplbm.cli.asked import Asked, parse_request
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.reading import Reading
from disnplbm.data.roles import is_class_name
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Hint, Note

#: Columns of words from which a table is rather one of several kinds; one alone is rather that of the known classes.
FEWEST_WORDY = 2

#: What the advice for a file of numbers sets where nothing but columns of words stands in the way.
_LEFT_OUT: dict[str, Any] = {"id_column": None, "class_column": None, "drop_columns": ()}

_AS_IT_HOLDS = "; to take each column as what it holds: "


def as_several_kinds(refused: OptionsNeeded, paths: Sequence[Path], given: dict[str, Any]) -> Asked:
    """The same request for a table of several kinds of columns, with a note that says so.

    Parameters
    ----------
    refused : OptionsNeeded
        How the file is refused as a table of numbers, or of words.

    Raises
    ------
    OptionsNeeded
        As it was, since a type of cells is asked for, or some columns fit no kind; or with ``--cells mixed`` as another
        way, since the words may be the known classes.
    """
    if given["cells"] != "auto" or not isinstance(refused.reading, Reading):
        raise refused
    try:
        asked = parse_request(paths, given | {"cells": MIXED})
    except OptionsNeeded as odd:
        raise _with_another_way(refused, odd) from None
    except InputError:
        raise refused from None
    source, advised = asked.source, refused.reading
    assert isinstance(source, SourceOfParts)
    if advised.but(**_LEFT_OUT) != asked.reading.but(**_LEFT_OUT):
        # Other options read its numbers.
        raise refused
    wordy = [name for name in (advised.class_column, *advised.drop_columns) if name in source.column_names]
    if len(wordy) < FEWEST_WORDY or any(map(is_class_name, wordy)):
        raise OptionsNeeded(Note(refused.problem, _AS_IT_HOLDS, Hint("cells", MIXED)), advised)
    taken = "some columns hold words, others do not: each is taken as what it holds (to leave the words out: "
    source.notes.insert(0, Note(taken, Hint("drop_columns", tuple(wordy)), ")", kind="cells"))
    return asked


def _with_another_way(refused: OptionsNeeded, odd: OptionsNeeded) -> OptionsNeeded:
    """A refusal that names the table of several kinds too, where it only takes leaving out the odd columns."""
    if not (isinstance(refused.reading, Reading) and isinstance(odd.reading, Reading)):
        return refused
    left_out = odd.reading.drop_columns
    words = {refused.reading.class_column, *refused.reading.drop_columns} - {None, *left_out}
    if not words or odd.reading.missing != refused.reading.missing:
        return refused
    problem = Note(refused.problem, _AS_IT_HOLDS, Hint("cells", MIXED), " ", Hint("drop_columns", left_out))
    return OptionsNeeded(problem, refused.reading)
