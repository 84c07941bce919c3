"""Files of named columns of several kinds."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from disnplbm.data.formats import find_format
from disnplbm.data.mixed.columns import ColumnReader, SourceOfParts, find_parts
from disnplbm.data.mixed.kinds import parse_columns_as
from disnplbm.data.reading import Reading
from disnplbm.data.roles import FEWEST_ROWS, names_note
from disnplbm.errors import InputError
from disnplbm.notes import Hint


def has_columns(path: Path) -> bool:
    """Whether a file is of a format with named columns of any kind."""
    return hasattr(find_format(path)[1].load(), "open_columns")


def open_parts(path: Path, reading: Reading, transform: str | None) -> SourceOfParts:
    """Open a file as a table of parts; see :func:`disnplbm.data.mixed.columns.find_parts`.

    Raises
    ------
    InputError
        The file cannot be read, has no names of columns, or a column fits no kind.
    """
    reader, reading = _open_reader(path, reading)
    asked = parse_columns_as(reading.columns_as, reader.column_names, reader.name)
    return find_parts(reader, reading, asked, transform)


def _open_reader(path: Path, reading: Reading) -> tuple[ColumnReader, Reading]:
    """The columns of a file; a first one of words of which no two are the same names its rows."""
    reader = _open_columns(path, reading)
    if reading.id_column is not None or reader.id_name is not None:
        return reader, reading
    first = next(reader.word_chunks(), None)
    if first is None or first.ids is not None or len(reader.column_names) < 2:
        return reader, reading
    cells = [cell.strip() for cell in first.columns[0]]
    look = reader.looks()[0]
    look.add(cells, reader.is_missing)
    if look.numbers or look.filled < max(len(cells), FEWEST_ROWS) or len(set(cells)) < len(cells):
        return reader, reading
    reading = reading.but(id_column=reader.column_names[0])
    reader = _open_columns(path, reading)
    reader.notes.insert(0, names_note("no two of its words are the same"))
    return reader, reading


def _open_columns(path: Path, reading: Reading) -> ColumnReader:
    what, found = find_format(path)
    if not has_columns(path):
        raise InputError(f"{path}: a {what} has no columns of several kinds: leave out ", Hint("cells", "mixed"))
    for option, given in (("transpose", reading.transpose), ("layout", reading.layout == "long")):
        if given:
            raise InputError(
                f"{path}: the columns of a table of several kinds are as they are in its file: leave out ",
                Hint(option, getattr(reading, option)),
            )
    reading.refuse_all_but((*found.fields, "columns_as"), f"{path}: a {what} has no lines of text")
    return cast(ColumnReader, found.load().open_columns(path, reading))
