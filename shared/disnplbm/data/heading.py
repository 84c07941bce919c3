"""What the columns of a text file are: their names, and which hold row names, classes, or nothing that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from disnplbm.data.cells import some_names
from disnplbm.data.head import Head
from disnplbm.data.header import names_columns
from disnplbm.data.long import long_columns, long_note, refuse_long
from disnplbm.data.marks import is_marked
from disnplbm.data.named import find_column
from disnplbm.data.numerals import Numerals
from disnplbm.data.reading import Reading
from disnplbm.data.roles import (
    MOST_SUSPECTS,
    find_suspects,
    is_unnamed,
    left_out_note,
    names_note,
    row_names_reason,
    suspect_notes,
    words_reason,
)
from disnplbm.errors import InputError
from disnplbm.notes import Hint, Note, plural


@dataclass(frozen=True)
class Heading:
    """The columns of a file.

    Attributes
    ----------
    present : bool
        Whether the first record names the columns.
    plain : bool
        Whether that is beyond doubt: the first record holds words only.
    names : list of str
        One for each column; "0", "1", ... if none are in the file, "unnamed_3" where one is blank.
    id_at, class_at : int or None
        Columns of row names and of classes.
    dropped : tuple of int
        Columns that were asked to be left out.
    blank : tuple of int
        Columns without a name and, as far as was looked, without a value; they are left out too.
    data : list of int
        The other columns.
    notes : list of str
        What was assumed.
    class_like : tuple of str
        Columns of data that look like known classes.
    """

    present: bool
    plain: bool
    names: list[str]
    id_at: int | None
    class_at: int | None
    dropped: tuple[int, ...]
    blank: tuple[int, ...]
    data: list[int]
    notes: list[str]
    class_like: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Cells of a row."""
        return len(self.names)

    @property
    def id_name(self) -> str | None:
        """What the file calls the column of row names; None where it gives it no name."""
        if not self.present or self.id_at is None or self.names[self.id_at] == _unnamed(self.id_at):
            return None
        return self.names[self.id_at]


@dataclass(frozen=True)
class _Beginning:
    """The first records of a file, names of columns apart from rows.

    Attributes
    ----------
    first : sequence of str
        The first record, with a cell for each column.
    raw, names : list of str
        Names of columns as they are in the file, and as they are in :class:`Heading`.
    rows : list of sequence of str
        The records that have a cell for each column.
    present : bool
        As in :class:`Heading`.
    short : bool
        Whether the name of the first column is left out, as R does.
    """

    first: Sequence[str]
    raw: list[str]
    names: list[str]
    rows: list[Sequence[str]]
    present: bool
    short: bool
    numerals: Numerals
    source: str

    @property
    def plain(self) -> bool:
        """Whether the first record holds words only."""
        return not any(self.numerals.is_number(cell) or is_marked(cell, self.numerals) for cell in self.first)

    def find(self, wanted: str | None, option: str) -> int | None:
        """Where the column is that an option names."""
        return find_column(self.names if wanted in self.names else self.raw, wanted, option, self.source)

    def columns(self, which: Sequence[int]) -> list[list[str]]:
        """Cells of some columns."""
        return [[row[j] for row in self.rows] for j in which]


def find_heading(head: Head, reading: Reading, source: str) -> Heading:
    """Find out what the columns are, from what was asked for and by a look at the first records.

    Raises
    ------
    InputError
        A column that was asked for is not there, or no data are left.
    """
    beginning = _find_names(head, reading, source)
    heading = _find_asked(beginning, reading)
    if reading.layout == "long":
        return _long(heading, reading, source)
    if reading.layout == "auto" and reading.id_column is None and len(heading.data) == 3:
        names = [heading.names[j] for j in heading.data]
        refuse_long(names, beginning.columns(heading.data), reading, head.numerals, source)
    looked_at = heading.data[:MOST_SUSPECTS]
    if reading.id_column is None and len(heading.data) > 1 and heading.data[0] == 0:
        heading = _find_row_names(heading, beginning, looked_at)
    if not heading.data:
        asked = [name for name in (reading.id_column, reading.class_column, *reading.drop_columns) if name]
        raise InputError(f"{source} has no data column besides {' and '.join(asked)}; check ", Hint("id_column"))
    if not heading.present:
        return heading
    return _find_suspects(heading, beginning, looked_at, may_name=reading.id_column is None)


def with_word_names(heading: Heading, reading: Reading, rows: Sequence[Sequence[str]]) -> Heading:
    """The columns of a table of words: a first column of words of which no two are the same names the rows.

    Parameters
    ----------
    rows : sequence of sequence of str
        The first rows, with a cell for each column.
    """
    if reading.id_column is not None or heading.id_at is not None or heading.data[0] != 0:
        return heading
    reason = words_reason([[row[j] for row in rows] for j in heading.data])
    if reason is None:
        return heading
    return replace(heading, id_at=0, data=heading.data[1:], notes=[*heading.notes, names_note(reason)])


def _find_names(head: Head, reading: Reading, source: str) -> _Beginning:
    first = head.records[0].cells
    rows: list[Sequence[str]] = [record.cells for record in head.records[1:]]
    names, short = (first, False) if reading.header is False else _filled_up(first, rows, head.numerals)
    alike = [row for row in rows if len(row) == len(names)]
    present = short or _has_header(names, alike, reading, head.numerals)
    if present:
        first = names
    if present and len(head.records) == 1:
        raise InputError(f"{source} has a header but no rows: give a file with at least one row of numbers")
    rows = [row for row in rows if len(row) == len(first)]
    raw = [cell.strip() for cell in first] if present else [str(j) for j in range(len(first))]
    names = [name or _unnamed(j) for j, name in enumerate(raw)]
    return _Beginning(first, raw, names, rows if present else [first, *rows], present, short, head.numerals, source)


def _unnamed(j: int) -> str:
    """What a column without a name is called."""
    return f"unnamed_{j}"


def _find_asked(beginning: _Beginning, reading: Reading) -> Heading:
    """The columns by what was asked for, and those that hold nothing."""
    present, plain = beginning.present, beginning.plain
    sure = reading.header != "auto" or (plain and present)
    notes: list[str] = [] if sure else [_assumed(beginning.first, present)]
    id_at = beginning.find(reading.named_column, "id_column")
    class_at = beginning.find(reading.class_column, "class_column")
    dropped = tuple(j for name in reading.drop_columns if (j := beginning.find(name, "drop_columns")) is not None)
    data = [j for j in range(len(beginning.names)) if j not in (id_at, class_at, *dropped)]
    blank = _blank(beginning, data)
    if blank:
        data = [j for j in data if j not in blank]
        notes.append(left_out_note(len(blank)))
    return Heading(present, plain, beginning.names, id_at, class_at, dropped, blank, data, notes)


def _find_row_names(heading: Heading, beginning: _Beginning, looked_at: Sequence[int]) -> Heading:
    """The first column of data names the rows if there is a reason to take it so."""
    columns, labels = beginning.columns(looked_at), [beginning.raw[j] for j in looked_at]
    reason = (
        "the header is one name short, as R writes it"
        if beginning.short
        else row_names_reason(labels[0], columns[0], labels[1:], columns[1:], named=heading.present)
        or _corner_reason(labels, columns[0], heading.present, beginning.numerals)
    )
    if reason is None:
        return heading
    return replace(heading, id_at=0, data=heading.data[1:], notes=[*heading.notes, names_note(reason)])


def _find_suspects(heading: Heading, beginning: _Beginning, looked_at: Sequence[int], *, may_name: bool) -> Heading:
    """Note the columns of data that look like row names or classes, or have no name."""
    data, names = heading.data, heading.names
    looked_at = looked_at[looked_at[0] != data[0] :]
    id_like, class_like = find_suspects(
        [names[j] for j in looked_at], beginning.columns(looked_at), first=may_name and data[0] == 0
    )
    unnamed = [names[j] for j in data if is_unnamed(beginning.raw[j])]
    notes = [*heading.notes, *suspect_notes(id_like, class_like), *_unnamed_note(unnamed)]
    return replace(heading, notes=notes, class_like=tuple(class_like))


def _blank(beginning: _Beginning, data: Sequence[int]) -> tuple[int, ...]:
    """Columns of data without a name in which no value is found: as a delimiter at the end of each line makes one.

    Without column names that is the last one alone, and only if nothing is in it, not even a mark of missing cells.
    """
    raw, rows = beginning.raw, beginning.rows
    if beginning.present:
        is_missing = beginning.numerals.is_missing
        found = [j for j in data if is_unnamed(raw[j]) and all(is_missing(row[j]) for row in rows)]
    else:
        found = [j for j in data[-1:] if j == len(raw) - 1 and not any(row[j].strip() for row in rows)]
    # A table without anything in it is refused as such.
    return tuple(found) if len(found) < len(data) else ()


def _unnamed_note(names: Sequence[str]) -> list[str]:
    if not names:
        return []
    what = f"{plural(len(names), 'column')} without a name {'is' if len(names) == 1 else 'are'} taken as data"
    leaves_out = (Hint("drop_columns", (names[0],)), " leaves it out)")
    return [Note(f"{what}: {some_names(names, len(names))} (", *leaves_out, kind="unnamed", place=names)]


def _long(heading: Heading, reading: Reading, source: str) -> Heading:
    """The columns of a long table: names of rows, names of columns, values."""
    row, column, values = long_columns(heading.data, source, reading)
    notes = [*heading.notes, long_note(heading.names[row], heading.names[column], reading.absent)]
    return replace(heading, id_at=row, class_at=column, data=values, notes=notes)


def _has_header(first: Sequence[str], rows: Sequence[Sequence[str]], reading: Reading, numerals: Numerals) -> bool:
    if reading.header != "auto":
        return bool(reading.header)
    # A name asked for decides, whatever the other cells look like.
    words = {cell.strip() for cell in first if not numerals.is_number(cell)}
    asked = {reading.id_column, reading.class_column, *reading.drop_columns}
    return bool(words & asked) or names_columns(first, rows, numerals)


def _filled_up(first: Sequence[str], rows: Sequence[Sequence[str]], numerals: Numerals) -> tuple[list[str], bool]:
    """The first record with a cell for each column, if it holds names; and whether the first name had to be added.

    R leaves out the name of the first column. Other programs end each line by a delimiter, or each but the first, or
    the first alone.
    """
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        return list(first), False
    width = widths.pop()
    trailing = width > 1 and all(not row[-1].strip() for row in rows)
    columns = width - trailing
    names = list(first)
    if (trailing or len(names) > columns) and not names[-1].strip():
        names.pop()
    short = len(names) == columns - 1 and _lacks_first(names, rows, numerals)
    if short:
        names = ["", *names]
    return ([*names, *[""] * trailing], short) if len(names) == columns else (list(first), False)


def _lacks_first(names: Sequence[str], rows: Sequence[Sequence[str]], numerals: Numerals) -> bool:
    """Whether a first record that is one cell short lacks the name of the first column."""
    filled = [cell for cell in names if not numerals.is_missing(cell)]
    words = not any(map(numerals.is_number, filled))
    named = not any(numerals.is_number(row[0]) for row in rows)
    return bool(filled) and (words or (named and len(set(names)) == len(names)))


def _corner_reason(names: Sequence[str], cells: Sequence[str], present: bool, numerals: Numerals) -> str | None:
    """Why a first column of text holds row names where the other columns have numbers for names."""
    if not present or numerals.is_number(names[0]) or not all(map(numerals.is_number, names[1:])):
        return None
    if any(numerals.is_number(cell) or numerals.is_missing(cell) for cell in cells) or len(set(cells)) < len(cells):
        return None
    return "it is the only one that has a word for a name"


def _assumed(first: Sequence[str], present: bool) -> Note:
    shown = some_names((cell.strip() or "blank" for cell in first), len(first))
    if present:
        taken, otherwise = f"the first line is taken as column names ({shown}); ", " reads it as data"
    else:
        taken, otherwise = (
            f"no column names were found: the first line ({shown}) is read as data; ",
            " takes it as names",
        )
    return Note(taken, Hint("header", not present), otherwise, kind="header")
