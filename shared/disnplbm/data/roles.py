"""Which columns look like names or classes of the rows: one rule for all formats with named columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from disnplbm.data.cells import NAMED, some_names
from disnplbm.data.numerals import whole
from disnplbm.data.reading import ASSUMED, NO_COLUMN
from disnplbm.notes import Hint, Note, plural

FEWEST_ROWS = 3
"""With fewer rows, distinct whole numbers mean nothing."""

FEWEST_ROWS_UNNAMED = 10
"""Likewise where the columns have no names."""

MOST_CLASSES = 20

MOST_SUSPECTS = 1000
"""In wider tables only so many columns are looked at for names and classes that pass as data."""

_ID = re.compile(
    r"(unnamed(: ?\d+)?|index|id|ids|(sample|row)s?[ _.-]?(id|name|names|index)?|(id|name|index)[ _.-]?(sample|row)s?"
    r"|names?|(patient|subject|participant|proband|donor|specimen|accession|barcode)([ _.-]?(id|no|nr|number|code))?"
    r"|.+[ _.-]ids?)",
    re.IGNORECASE,
)
_UNNAMED = re.compile(r"unnamed: ?\d+", re.IGNORECASE)
_CLASS = re.compile(
    r"(class|classes|label|labels|target|targets|group|groups|cluster|clusters|category|species|diagnosis|outcome"
    r"|subtype|(cell|tissue|tumou?r)[ _.-]?type|phenotype)([ _.-]?(id|name|label|code))?",
    re.IGNORECASE,
)


def is_id_name(name: str) -> bool:
    """Whether a column of this name holds row names: id, sample, patient, gene_id, name, index and the like."""
    return _ID.fullmatch(name.strip()) is not None and not is_class_name(name)


def is_unnamed(name: str) -> bool:
    """Whether a name is blank, or one that pandas gave a column without one ("Unnamed: 3")."""
    return not name.strip() or _UNNAMED.fullmatch(name.strip()) is not None


def left_out_note(count: int) -> str:
    """What was done with columns that have neither a name nor a value."""
    return f"left out {plural(count, 'column')} without a name and without values"


def is_class_name(name: str) -> bool:
    """Whether a column of this name holds classes: class, label, target, group and the like."""
    return _CLASS.fullmatch(name.strip()) is not None


def row_names_reason(
    name: str, cells: Sequence[str], other_names: Sequence[str], others: Sequence[Sequence[str]], *, named: bool = True
) -> str | None:
    """Why the first column of a table names its rows and is no data; None if it does not.

    It does if it is called so (and holds no fractions), or if it holds whole numbers of which no two are the same and
    which either count up by one or stand beside columns of fractions. A column that is one of a numbered series (x1,
    x2, ...) stays data, and so does the first of a table of whole numbers unless it counts.

    Parameters
    ----------
    name : str
        Of the first column; blank if it has none although others do.
    cells : sequence of str
        Its first cells.
    other_names : sequence of str
        Of the columns of data beside it, or of some of them.
    others : sequence of sequence of str
        Their first cells.
    named : bool
        Whether the columns have names.
    """
    filled = [cell for cell in cells if cell.strip()]
    if not filled or not others:
        return None
    numbers = [number for cell in cells if (number := whole(cell)) is not None]
    if named and (not name.strip() or is_id_name(name)):
        if len(numbers) < len(filled) and any(map(_is_fraction, filled)):
            return None
        return "it has no name" if not name.strip() else f"it is called {name.strip()!r}"
    if len(numbers) < len(cells) or len(cells) < (FEWEST_ROWS if named else FEWEST_ROWS_UNNAMED):
        return None
    if len(set(numbers)) < len(numbers) or (named and _series(name) in map(_series, other_names)):
        return None
    if _counts(numbers) and not any(_counts_up(column) for column in others):
        return "it counts the rows"
    fractions = sum(any(map(_is_fraction, column)) for column in others)
    if 2 * fractions > len(others) and not any(_distinct_whole(column) for column in others):
        return "it holds whole numbers, no two the same, beside columns of fractions"
    return None


def words_reason(columns: Sequence[Sequence[str]]) -> str | None:
    """Why the first column of a table of words names its rows; None if it does not.

    Parameters
    ----------
    columns : sequence of sequence of str
        The first cells of each.
    """
    first, *others = columns
    if len(first) < FEWEST_ROWS or not others or not all(cell.strip() for cell in first):
        return None
    again = sum(len(set(column)) < len(column) for column in others)
    if len(set(first)) < len(first) or 2 * again < len(others):
        return None
    return "no two of its words are the same, unlike those beside them"


def names_note(reason: str) -> Note:
    """What was done with the first column, and how to have it otherwise."""
    taken = f"the first column holds row names, not data: {reason} (to read it as data: "
    return Note(taken, Hint("id_column", NO_COLUMN), ")", kind=ASSUMED)


def find_suspects(
    names: Sequence[str], columns: Sequence[Sequence[str]], *, first: bool = False
) -> tuple[list[str], list[str]]:
    """Columns of data that are named or shaped like row names, and like classes.

    Parameters
    ----------
    names : sequence of str
        Of the columns of data.
    columns : sequence of sequence of str
        Their first cells.
    first : bool
        Whether the first of them is the first of the file, so that it may hold numbers that name the rows.
    """
    fractions = sum(any(map(_is_fraction, column)) for column in columns)
    measured = 2 * fractions > len(columns)
    ids = [
        name
        for name, column in zip(names, columns, strict=True)
        if (is_id_name(name) and not any(map(_is_fraction, column)))
        or (measured and len(column) >= FEWEST_ROWS_UNNAMED and _counts_up(column))
    ]
    if first and not ids and _alone_distinct(names, columns):
        ids = [names[0]]
    classes = [
        name
        for name, column in zip(names, columns, strict=True)
        if name not in ids and (is_class_name(name) or (measured and _few_codes(column)))
    ]
    return ids, classes


def suspect_notes(ids: Sequence[str], classes: Sequence[str]) -> list[str]:
    """Notes on the columns that :func:`find_suspects` found in a file, with the options that read them otherwise."""
    return [
        Note(
            f"{_taken(found, what)}: ",
            Hint(option, found[0]),
            f" {does}",
            kind="suspects",
            place=found,
        )
        for found, what, option, does in (
            (ids, "row names", "id_column", "makes it the row names"),
            (classes, "known classes", "class_column", "leaves it out"),
        )
        if found
    ]


def suspects_in_memory(
    names: Sequence[str], columns: Sequence[Sequence[str]], table: str, *, pandas: bool
) -> list[str]:
    """Notes on such columns of a table in memory; see :func:`find_suspects`.

    Parameters
    ----------
    names, columns
        As in :func:`find_suspects`.
    table : str
        What the table is called in Python.
    pandas : bool
        Whether it is a DataFrame of pandas, so that what to do can be written down.
    """
    ids, classes = find_suspects(names, columns, first=True)
    notes = []
    for found, what in ((ids, "row names"), (classes, "known classes")):
        if not found:
            continue
        these = "it" if len(found) == 1 else "them"
        remedy = f"leave {these} out of {table}"
        if pandas:
            index = f"{table}.set_index({found[0]!r}) makes it the row names, " if found is ids else ""
            remedy = f"{index}{table}.drop(columns={found[:NAMED]!r}) leaves {these} out"
        notes.append(f"{_taken(found, what)}: {remedy}")
    return notes


def _taken(names: Sequence[str], what: str) -> str:
    subject = f"column {names[0]} looks" if len(names) == 1 else f"columns {some_names(names, len(names))} look"
    return f"{subject} like {what} but {'is' if len(names) == 1 else 'are'} taken as data"


def _is_fraction(cell: str) -> bool:
    """Whether a cell holds a number with a fraction that is not zero."""
    cell = cell.strip().replace(",", ".")
    if not cell or not (cell[0].isdigit() or cell[0] in "+-."):
        return False
    try:
        number = float(cell)
    except ValueError:
        return False
    return number != number // 1


def _series(name: str) -> str:
    """A name without its numbers, which is the same for x1 and x2."""
    return re.sub(r"\d+", "#", name.strip())


def _counts(numbers: Sequence[int]) -> bool:
    return all(b - a == 1 for a, b in pairwise(numbers))


def _all_whole(column: Sequence[str]) -> list[int] | None:
    numbers = []
    for cell in column:
        number = whole(cell)
        if number is None:
            return None
        numbers.append(number)
    return numbers or None


def _counts_up(column: Sequence[str]) -> bool:
    return (numbers := _all_whole(column)) is not None and len(numbers) > 1 and _counts(numbers)


def _distinct_whole(column: Sequence[str]) -> bool:
    return (numbers := _all_whole(column)) is not None and len(set(numbers)) == len(numbers)


def _alone_distinct(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    """Whether the first column holds whole numbers of which no two are the same, and no other column does."""
    if len(columns) < 2 or len(columns[0]) < FEWEST_ROWS_UNNAMED or _series(names[0]) in map(_series, names[1:]):
        return False
    return _distinct_whole(columns[0]) and not any(map(_distinct_whole, columns[1:]))


def _few_codes(column: Sequence[str]) -> bool:
    """Whether a column holds a few whole numbers without a gap, from 0 or 1 on, each of them often."""
    numbers = _all_whole(column)
    if numbers is None:
        return False
    codes = sorted(set(numbers))
    few = 2 <= len(codes) <= MOST_CLASSES and len(numbers) >= 4 * len(codes)
    return few and codes[0] in (0, 1) and _counts(codes)
