"""Whether the first line of a text file names the columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from disnplbm.data.marks import is_marked
from disnplbm.data.numerals import Numerals, whole
from disnplbm.data.roles import is_class_name, is_id_name

LONG_RUN = 5
"""So many numbers that only rise or only fall are no chance."""

SHORT_RUN = 3
"""So many whole numbers with equal steps are likely names: years, points of time, a count."""

FEW = 0.2
"""Share of the rows that may look as the first line does without being like it."""


def names_columns(first: Sequence[str], rows: Sequence[Sequence[str]], numerals: Numerals) -> bool:
    """Judge whether the first line of a file names its columns.

    It does if all its cells are words other than those below, or if most columns that hold a number in the second line
    hold a word in the first. A line of numbers names the columns (years, masses, points of time) if it starts with the
    name of the first column or with a blank corner, and otherwise if the numbers are clearly of another kind than those
    below.

    Parameters
    ----------
    first : sequence of str
        Cells of the first line.
    rows : sequence of sequence of str
        Some lines after it, of the same length.
    """
    filled = [cell for cell in first if not numerals.is_missing(cell)]
    if filled and not any(numerals.is_number(cell) or is_marked(cell, numerals) for cell in filled):
        return not _are_entries(first, rows, numerals)
    if not rows:
        return False
    numeric = [a for a, b in zip(first, rows[0], strict=False) if numerals.is_number(b)]
    if sum(_is_word(cell, numerals) for cell in numeric) > len(numeric) / 2:
        return True
    return _numbers_name_columns(first, rows, numerals)


def _are_entries(first: Sequence[str], rows: Sequence[Sequence[str]], numerals: Numerals) -> bool:
    """Whether most words of the first line are among the words below them: the table is one of words."""
    known = 0
    for word, column in zip(first, zip(*rows, strict=True), strict=False):
        known += word.strip() in {cell.strip() for cell in column} and _is_text(column, numerals)
    return 2 * known > len(first)


def _numbers_name_columns(first: Sequence[str], rows: Sequence[Sequence[str]], numerals: Numerals) -> bool:
    columns = list(zip(*rows, strict=True))
    labels = [j for j in range(len(first)) if not numerals.is_number(first[j])]
    named = [j for j in range(len(first)) if numerals.is_number(first[j])]
    texts = [j for j in labels if _is_text(columns[j], numerals)]
    # What is no number must be the corner, or head a column of text.
    over_numbers = [j for j in labels if j not in texts]
    corner = 0 in labels and over_numbers in ([], [0]) and _holds_ids(columns[0], numerals)
    if not named or (over_numbers and not corner):
        return False
    if any(first[j].strip() and numerals.is_missing(first[j]) for j in labels):
        return False
    names, below = [first[j] for j in named], [columns[j] for j in named]
    if len(set(names)) < len(names):
        return False
    if corner and _corner_decides(first[0], columns[0], names, over_numbers=bool(over_numbers)):
        return True
    if any(_heads(first[j], columns[j]) for j in texts):
        return True
    if labels:
        return _differ_in_kind(names, below) or _steady(names, rows, named, numerals)
    return _runs(names, rows, named, numerals) and (
        _differ_in_kind(names, below) or _lie_outside(names, below, numerals)
    )


def _corner_decides(word: str, column: Sequence[str], names: Sequence[str], *, over_numbers: bool) -> bool:
    """Whether the corner of a first line shows that the line names columns: a word over numbers, or a blank."""
    if word.strip():
        return over_numbers
    return not over_numbers or _count(column) or _count(names)


def _is_word(cell: str, numerals: Numerals) -> bool:
    return not numerals.is_number(cell) and not numerals.is_missing(cell)


def _is_text(column: Sequence[str], numerals: Numerals) -> bool:
    """Whether a column holds text and no number."""
    filled = [cell for cell in column if not numerals.is_missing(cell)]
    return bool(filled) and not any(map(numerals.is_number, filled))


def _holds_ids(column: Sequence[str], numerals: Numerals) -> bool:
    """Whether a column can name rows: text, or whole numbers, no two the same, and never blank."""
    if any(not cell.strip() for cell in column):
        return False
    if _is_text(column, numerals):
        return True
    numbers = [whole(cell) for cell in column]
    return None not in numbers and len(set(numbers)) == len(numbers)


def _heads(cell: str, column: Sequence[str]) -> bool:
    """Whether a word is the heading of a column of text and not a further entry of it."""
    if is_id_name(cell) or is_class_name(cell):
        return True
    entries = {entry.strip() for entry in column}
    if cell.strip() in entries:
        return False
    if len(column) >= 2 * len(entries):
        return True
    masks = {_mask(entry) for entry in entries}
    return len(column) > 1 and len(masks) == 1 and _mask(cell) not in masks


def _mask(cell: str) -> str:
    """The kinds of signs in a word: "Ax07" is "Aa#"."""
    return re.sub(r"[0-9]+", "#", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", cell.strip())))


def _differ_in_kind(names: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether the names are whole numbers and most columns hold fractions."""
    if any(whole(name) is None for name in names):
        return False
    fractions = sum(any("." in cell or "," in cell for cell in column) for column in below)
    return 2 * fractions > len(below)


def _count(cells: Sequence[str]) -> bool:
    """Whether cells hold whole numbers that count up by one."""
    numbers = [whole(cell) for cell in cells]
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))] if numbers[0] is not None else False


def _numbers(cells: Sequence[str], numerals: Numerals) -> list[float]:
    return [number for cell in cells if (number := numerals.parse(cell)) is not None]


def _monotone(numbers: Sequence[float]) -> bool:
    steps = [b - a for a, b in pairwise(numbers)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


def _equal_steps(numbers: Sequence[float]) -> bool:
    steps = {b - a for a, b in pairwise(numbers)}
    return len(steps) == 1 and 0 not in steps and all(number == int(number) for number in numbers)


def _runs(names: Sequence[str], rows: Sequence[Sequence[str]], named: Sequence[int], numerals: Numerals) -> bool:
    """Whether the names only rise or only fall, and the rows below rarely do."""
    if len(names) < LONG_RUN or not _monotone(_numbers(names, numerals)):
        return False
    alike = sum(_monotone(_numbers([row[j] for j in named], numerals)) for row in rows)
    return alike <= FEW * len(rows)


def _steady(names: Sequence[str], rows: Sequence[Sequence[str]], named: Sequence[int], numerals: Numerals) -> bool:
    """Whether the names are whole numbers with equal steps, or a long run, and the rows below rarely are."""
    if _runs(names, rows, named, numerals):
        return True
    if len(names) < SHORT_RUN or not _equal_steps(_numbers(names, numerals)):
        return False
    alike = sum(_equal_steps(_numbers([row[j] for j in named], numerals)) for row in rows)
    return alike <= FEW * len(rows)


def _lie_outside(names: Sequence[str], below: Sequence[Sequence[str]], numerals: Numerals) -> bool:
    """Whether nearly every name lies outside the range of the numbers below it."""
    outside = 0
    for name, column in zip(_numbers(names, numerals), below, strict=True):
        numbers = [number for number in _numbers(column, numerals) if number == number]
        outside += not numbers or name < min(numbers) or name > max(numbers)
    return outside >= (1 - FEW / 2) * len(names)
