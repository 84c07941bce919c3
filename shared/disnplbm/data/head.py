"""The first lines of a text file, and how its cells and numbers are told apart by looking at them."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from disnplbm.data.encoding import check_text
from disnplbm.data.limits import LONGEST_LINE, MOST_COLUMNS
from disnplbm.data.marks import is_marked
from disnplbm.data.numerals import PLAIN, Numerals
from disnplbm.data.reading import ASSUMED, Reading
from disnplbm.data.text import Record, open_bytes, records
from disnplbm.data.written import Shown
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.notes import Hint, Note

ROWS = 200
"""Lines looked at."""

CELLS = 200_000
"""About as many cells are looked at in a wide file, in at least `FEWEST_ROWS` lines."""

FEWEST_ROWS = 5

_LINES = 12
"""Lines that the delimiter is looked for in."""

_LINE_BYTES = 8 * 2**20
"""Fewer lines where they are longer than that together."""

_CELLS_OF_A_LINE = 1000

_COMMA = Numerals(decimal=",")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*%?\s*", re.ASCII)
_DECIMAL_POINT = re.compile(r"\s*[+-]?\d*\.\d+([eE][+-]?\d+)?\s*%?\s*", re.ASCII)
_GROUPS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*", re.ASCII)

_POINT_GROUPS = re.compile(r"\s*[+-]?[1-9]\d{0,2}\.\d{3}\s*", re.ASCII)

_SIGNS = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces", "|": "pipes (|)"}


@dataclass(frozen=True)
class Head:
    """The first records of a file.

    Attributes
    ----------
    delimiter : str
    numerals : Numerals
    records : list of Record
        At least one.
    notes : list of str
        What was assumed about them.
    decimal_shown : {".", ",", "unclear"}, optional
        As in :class:`disnplbm.data.written.Written`.
    """

    delimiter: str
    numerals: Numerals
    records: list[Record]
    notes: list[str]
    decimal_shown: Shown | None

    @property
    def is_full(self) -> bool:
        """Whether these are as many records as are looked at: the file may hold more."""
        return _are_enough(len(self.records), sum(len(record.cells) for record in self.records))


def read_head(path: Path, usual: str, reading: Reading) -> Head:
    """Read the first lines of a file.

    Parameters
    ----------
    usual : str
        The delimiter that the ending of the file's name stands for.
    reading : Reading
        What is given in it is not looked for.

    Raises
    ------
    InputError
        The file is no text, holds blank lines only, or its numbers can be read in two ways.
    """
    with open_bytes(path) as (stream, _):
        check_text(stream.read(2**16), path)
    notes: list[str] = []
    delimiter = reading.delimiter
    if delimiter == "auto":
        delimiter = _find_delimiter(path, usual)
        if delimiter != usual:
            taken = f"cells are separated by {_SIGNS[delimiter]} (for another sign: "
            notes.append(Note(taken, Hint("delimiter"), ")", kind=ASSUMED))
    with open_bytes(path) as (stream, _):
        found = list(_first(records(stream, path, delimiter)))
    if not found:
        raise InputError(f"{path} holds blank lines only: give a file with at least one row of numbers")
    decimal: str = reading.decimal
    if decimal == "auto":
        decimal = _find_decimal(found, delimiter, reading, path)
        if decimal == ",":
            taken = "numbers have a decimal comma (for a decimal point: "
            notes.append(Note(taken, Hint("decimal", "."), ")", kind=ASSUMED))
        elif delimiter == ";" and reading.thousands == "none":
            notes += _thousands_note(found)
    numerals = Numerals(decimal, reading.thousands, reading.missing)
    return Head(delimiter, numerals, found, notes, _shown(found, delimiter, decimal, reading))


def _first(found: Iterator[Record]) -> Iterator[Record]:
    cells = 0
    for i, record in enumerate(found):
        if _are_enough(i, cells):
            return
        cells += len(record.cells)
        yield record


def _are_enough(rows: int, cells: int) -> bool:
    return rows >= ROWS or (rows >= FEWEST_ROWS and cells >= CELLS)


def _find_delimiter(path: Path, usual: str) -> str:
    """The usual delimiter, unless another one cuts the first lines evenly and leaves more numbers."""
    try:
        lines = _first_lines(path)
    except UnicodeDecodeError:
        return usual
    best, most = usual, _evenness(lines, usual)
    # Blanks are in many cells: they separate only what nothing else does.
    for sign in (*(sign for sign in (",", "\t", ";", "|") if sign != usual), " "):
        if (sign != " " or most < 0) and any(sign in line for line in lines[:2]):
            share = _evenness(lines, sign)
            if share > most and (sign != " " or share > 0):
                best, most = sign, share
    return best


def _first_lines(path: Path) -> list[str]:
    lines: list[str] = []
    size = 0
    with open_bytes(path) as (stream, _):
        while len(lines) < _LINES and (len(lines) < 2 or size < _LINE_BYTES):
            # Two lines are needed, however long. A later one is looked at if it is whole.
            most = LONGEST_LINE if len(lines) < 2 else _LINE_BYTES
            line = stream.readline(most)
            if len(line) == most and len(lines) < 2:
                raise InputError(f"{path} has a line of more than {most // 2**20} MiB; check its line ends")
            if not line or len(line) == most:
                break
            size += len(line)
            if line.strip():
                lines.append(line.decode())
    return lines


def _evenness(lines: Sequence[str], delimiter: str) -> float:
    """Share of the cells below the first line that are numbers; -1 if the lines are of unequal lengths."""
    rows = _split(lines, delimiter)
    if not rows:
        return -1.0
    widths = {len(row) for row in rows[1:]} or {len(rows[0])}
    width = next(iter(widths))
    if len(widths) > 1 or width < 2 or len(rows[0]) not in (width, width - 1):
        return -1.0
    numerals = (PLAIN,) if delimiter == "," else (PLAIN, _COMMA)
    cells = [cell for row in rows[1:] or rows for cell in row[:_CELLS_OF_A_LINE]]
    fit = sum(
        any(each.is_number(cell) or each.is_missing(cell) or is_marked(cell, each) for each in numerals)
        for cell in cells
    )
    return fit / len(cells)


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Cells of the lines that are not blank; none at all where the delimiter cannot be one."""
    if any(line.count(delimiter) > MOST_COLUMNS for line in lines):
        return []
    if delimiter == " " and not any('"' in line for line in lines):
        rows = [line.split() for line in lines]
    else:
        try:
            rows = list(csv.reader(lines, delimiter=delimiter))
        except csv.Error:
            return []
    rows = [row for row in rows if row]
    # A quoted cell of the last one may go on in the next line.
    return rows[:-1] if len(rows) > _LINES // 2 else rows


def _shown(found: Sequence[Record], delimiter: str, decimal: str, reading: Reading) -> Shown | None:
    """The decimal mark that the numbers show."""
    if decimal == ",":
        return ","
    points = (cell for record in found[1:] or found for cell in record.cells if "." in cell)
    numbers = [cell for cell in points if _DECIMAL_POINT.fullmatch(cell)]
    if not numbers:
        return None
    plain = reading.decimal == "." or delimiter == "," or not all(map(_POINT_GROUPS.fullmatch, numbers))
    return "." if plain else "unclear"


def _thousands_note(found: Sequence[Record]) -> list[str]:
    """A note where all numbers with a point may be thousands: semicolons are used where the comma is decimal."""
    points = [cell.strip() for record in found[1:] for cell in record.cells if _DECIMAL_POINT.fullmatch(cell)]
    if not points or not all(map(_POINT_GROUPS.fullmatch, points)):
        return []
    cell = points[0]
    return [
        Note(
            f"{cell} and the like are taken as written with a decimal point; ",
            Hint("decimal", ","),
            " ",
            Hint("thousands", "."),
            f" reads {cell} as {cell.replace('.', '')}",
            kind="thousands",
        )
    ]


def _find_decimal(found: Sequence[Record], delimiter: str, reading: Reading, path: Path) -> str:
    """A comma, if it is no delimiter and numbers with one are in the cells, and none with a point is."""
    if "," in (delimiter, reading.thousands):
        return "."
    cells = [cell for record in found[1:] or found for cell in record.cells if "," in cell or "." in cell]
    commas = [cell.strip() for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    if not commas or any(map(_DECIMAL_POINT.fullmatch, cells)):
        return "."
    if all(map(_GROUPS.fullmatch, commas)):
        cell = commas[0]
        raise OptionsNeeded(
            Note(
                f"{path}: {cell!r} may be {cell.replace(',', '.')}, or {cell.replace(',', '')} (",
                Hint("thousands", ","),
                ")",
            ),
            reading.but(decimal=","),
        )
    return ","
