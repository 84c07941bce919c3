"""What to say of a table whose columns do not all hold numbers: everything at once, and the options that read it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from disnplbm.data.cells import NAMED, some_names
from disnplbm.data.numerals import Numerals
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Hint, Note, joined

CELLS = 2_000_000
"""About as many cells are looked at before a table is refused."""

MOST_OPTIONS = 50
"""Columns of text that a command leaves out one by one; where there are more, the file is likely read wrongly."""

_WORDS = ("na", "nan", "-nan", "n/a", "#n/a", "#na", "n.a.", "null", "nil", "none", "missing", "nd", "n.d.")
_SIGNS = ("-", "--", "?", ".", "..", "*", "#null!", "#value!", "#div/0!")
_MARKS = frozenset((*_WORDS, *_SIGNS))
_TRUTH = frozenset({"true", "false", "t", "f", "yes", "no"})
_PERCENT = re.compile(r"[+-]?[\d.,]+\s*%")
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{2}|\d{4})|\d{1,2}[-/. ]+[a-z]{3,9}[-/., ]+\d{2,4})"
    r"([t ]+\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?",
    re.IGNORECASE,
)
_AS_WORDS = Hint("words", "yes")
_STYLES = ((".", ","), (",", "none"), (",", "."), (",", " "), (".", " "), (".", "'"), (",", "'"))


@dataclass
class TextColumn:
    """What a column holds besides numbers and missing cells.

    Attributes
    ----------
    name : str
    numbers : int
        Cells that hold a number.
    words : Counter
        The other cells.
    """

    name: str
    numbers: int = 0
    words: Counter[str] = field(default_factory=Counter)

    @property
    def distinct(self) -> bool:
        """Whether no two words are the same."""
        return len(self.words) == self.words.total()

    @property
    def few(self) -> bool:
        """Whether words come up again and again."""
        return 2 * len(self.words) <= self.words.total()


def is_mark(cell: str) -> bool:
    """Whether a cell is what people write where a number is missing."""
    return cell.strip().casefold() in _MARKS


def survey(
    names: Sequence[str], rows: Iterable[Sequence[str]], numerals: Numerals
) -> tuple[list[TextColumn], list[str]]:
    """Look for cells that hold neither a number nor nothing.

    Parameters
    ----------
    names : sequence of str
        Of the columns.
    rows : iterable of sequence of str
        Their cells; as many are taken as `CELLS` allows.

    Returns
    -------
    columns : list of TextColumn
        Those that hold such cells, in file order.
    points : list of str
        Some numbers written with a point.
    """
    columns = [TextColumn(name) for name in names]
    points: list[str] = []
    cells = 0
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            if (cell := cell.strip()) in numerals.missing:
                continue
            if numerals.is_number(cell):
                column.numbers += 1
                if "." in cell and len(points) < 100:
                    points.append(cell)
            else:
                column.words[cell] += 1
        cells += len(row)
        if cells > CELLS:
            break
    return [column for column in columns if column.words], points


def refuse(
    problem: str,
    columns: Sequence[TextColumn],
    reading: Reading,
    *,
    has_names: bool,
    only_text: bool,
    numerals: Numerals | None = None,
    points: Sequence[str] = (),
) -> InputError:
    """The error that names all columns that cannot be read, with the options that read the table if there are such.

    Parameters
    ----------
    problem : str
        The first cell that cannot be read, and its place.
    columns : sequence of TextColumn
        At least one.
    reading : Reading
        How the table is read now.
    has_names : bool
        Whether the rows have names already.
    only_text : bool
        Whether no other column holds data.
    numerals : Numerals, optional
        How numbers are written in a text file; None for a format without text, which has no marks to choose.
    points : sequence of str
        Numbers written with a point.
    """
    faults = _sort_faults(columns, reading, numerals, points)
    texts, strays, findings = faults.texts, faults.strays, faults.findings()
    if strays and not texts and not findings:
        return _refuse_stray(problem, strays[0][0], reading)
    new, missing = faults.reading, [*reading.missing, *faults.marks]
    if strays:
        shown = some_names((f"{word!r} in column {name}" for word, name in strays), len(strays))
        findings.append(f"{shown}: correct it, or read it as missing")
        missing += [word for word, _ in strays if word not in missing]
    if texts:
        said, new = _sorted_out(texts, new, has_names=has_names)
        findings.append(said)
    if (texts or strays) and reading.words == "auto":
        findings.append(Note("to take all cells as categories: ", _AS_WORDS))
    problem = joined("; ", [problem, *findings])
    if only_text and len(texts) == len(columns):
        return InputError(problem, "; no column holds numbers: check the file and ", Hint("delimiter"))
    if len(new.drop_columns) - len(reading.drop_columns) > MOST_OPTIONS or len(strays) > MOST_OPTIONS:
        return InputError(problem, "; check the file, and leave out columns of text by ", Hint("drop_columns"))
    return OptionsNeeded(problem, new.but(missing=tuple(missing)))


@dataclass
class _Faults:
    """What the columns that cannot be read hold.

    Attributes
    ----------
    reading : Reading
        In which their numbers are numbers.
    texts : list of TextColumn
        Columns that no way of reading makes numbers of.
    alike : dict
        By the way of writing numbers, what shows it in each column written so.
    marks : list of str
        Words that can be read as missing.
    strays : list of (str, str)
        Other words among numbers, each with the name of its column.
    """

    reading: Reading
    texts: list[TextColumn] = field(default_factory=list)
    alike: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    marks: list[str] = field(default_factory=list)
    strays: list[tuple[str, str]] = field(default_factory=list)

    def findings(self) -> list[str | Note]:
        """What to say of ways of writing numbers, and of marks."""
        said = list[str | Note]()
        for first, *others in self.alike.values():
            more = f" ({len(others)} other columns too)" if len(others) > 1 else " (another column too)"
            said.append(first + (more if others else ""))
        if self.marks:
            said.append(f"{some_names(map(repr, self.marks), len(self.marks))} can be read as missing")
        return said


def _sort_faults(
    columns: Sequence[TextColumn], reading: Reading, numerals: Numerals | None, points: Sequence[str]
) -> _Faults:
    faults = _Faults(reading)
    if numerals is None:
        faults.texts += columns
        return faults
    for column in columns:
        words = [word for word in column.words if not is_mark(word)]
        style = find_style(words, points, numerals, reading)
        if style:
            faults.alike.setdefault(style, []).append(_found(words, points, column.name, style))
            if style[0] != numerals.decimal:
                faults.reading = faults.reading.but(decimal=style[0])
            numerals, faults.reading = Numerals(*style), faults.reading.but(thousands=style[1])
        elif column.numbers:
            faults.strays += [(word, column.name) for word in words if not numerals.is_number(word)]
        elif words:
            faults.texts.append(column)
            continue
        known = (*reading.missing, *faults.marks)
        faults.marks += [word for word in column.words if is_mark(word) and word not in known]
    return faults


def _refuse_stray(problem: str, word: str, reading: Reading) -> InputError:
    """The error of a word among numbers, where nothing else is wrong."""
    # A word with a digit and a sign is rather a number that was mistyped.
    plain = len(word) <= 20 and (word.isalnum() or not any(map(str.isdigit, word)))
    remedy: list[str | Hint] = [" (or read it as missing: ", Hint("missing", (word,)), ")"] if plain else []
    if reading.words == "auto":
        remedy += ["; to take all cells as categories: ", _AS_WORDS]
    return InputError(f"{problem}; correct it, or leave the cell blank if it is missing", *remedy)


_STYLE_WORDS = {
    (".", ","): "has commas between groups of digits",
    (",", "none"): "has a decimal comma",
    (",", "."): "has a decimal comma, and points between groups of digits",
    (",", " "): "has a decimal comma, and blanks between groups of digits",
    (".", " "): "has blanks between groups of digits",
    (".", "'"): "has apostrophes between groups of digits",
    (",", "'"): "has a decimal comma, and apostrophes between groups of digits",
}


def find_style(
    words: Sequence[str], points: Sequence[str], numerals: Numerals, reading: Reading
) -> tuple[str, str] | None:
    """The way of writing numbers in which all words, and all numbers with a point, are numbers; None if there is none.

    What was asked for is kept.
    """
    if not words:
        return None
    for decimal, thousands in _STYLES:
        if reading.decimal not in ("auto", decimal) or reading.thousands not in ("none", thousands):
            continue
        if numerals.decimal == "," and decimal == ".":
            continue
        other = Numerals(decimal, thousands)
        if all(map(other.is_number, words)) and all(map(other.is_number, points)):
            return decimal, thousands
    return None


def _found(words: Sequence[str], points: Sequence[str], name: str, style: tuple[str, str]) -> str:
    """What words in a column show of the way in which numbers are written."""
    decimal, _ = style
    plain = Numerals(decimal)
    grouped = next((word for word in words if not plain.is_number(word)), None)
    if grouped is not None or style not in _STYLE_WORDS or (decimal, "none") not in _STYLE_WORDS:
        return f"{grouped or words[0]!r} in column {name} {_STYLE_WORDS[style]}"
    point = next((point for point in points if not plain.is_number(point)), None)
    so = f", so the point in {point!r} is between groups of digits" if point else ""
    return f"{words[0]!r} in column {name} {_STYLE_WORDS[decimal, 'none']}{so}"


def _sorted_out(columns: Sequence[TextColumn], reading: Reading, *, has_names: bool) -> tuple[Note, Reading]:
    """What columns of text may be, and how the table is read if they are that."""
    id_column, class_column, dropped = reading.id_column, reading.class_column, list(reading.drop_columns)
    free = not has_names and id_column != NO_COLUMN
    shown, alone = list[str](), len(columns) == 1
    for column in columns:
        words = [word.casefold() for word in column.words]
        if _TRUTH.issuperset(words):
            guess = f" ({' and '.join(list(column.words)[:2])}: write 1 and 0 to keep it)"
        elif all(map(_PERCENT.fullmatch, words)):
            guess = f" (percentages: write {next(iter(column.words))} without the sign to keep it)"
        elif all(map(_DATE.fullmatch, words)) and not (free and column.distinct and alone):
            guess = " (dates)"
        # As the name of a column of names, "none" says that there is none.
        elif free and column.distinct and column.name != NO_COLUMN:
            other = (" if not: ", Hint("class_column", column.name)) if alone else ()
            id_column, free, guess = column.name, False, Note(" (row names?", *other, ")")
        elif class_column is None and not reading.transpose and column.few:
            other = (" if not: ", Hint("id_column", column.name)) if alone and free and column.name != NO_COLUMN else ()
            class_column, guess = column.name, Note(" (known classes?", *other, ")")
        else:
            guess = ""
        if column.name not in (None if id_column == NO_COLUMN else id_column, class_column):
            dropped.append(column.name)
        shown.append(Note(column.name, guess))
    what = "column holds" if len(columns) == 1 else "columns hold"
    more = [f" and {len(shown) - NAMED} more"] if len(shown) > NAMED else []
    said = Note(f"{len(columns)} {what} text, not numbers: ", joined(", ", shown[:NAMED]), *more)
    return said, reading.but(id_column=id_column, class_column=class_column, drop_columns=tuple(dropped))
