"""Whether a table is one of words: by a look at its first rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from disnplbm.data.marks import find_marked
from disnplbm.data.numerals import Numerals
from disnplbm.data.reading import Reading
from disnplbm.data.refusal import find_style, is_mark
from disnplbm.data.roles import FEWEST_ROWS, MOST_CLASSES

#: Share of the cells from which words are the rule.
MANY_WORDS = 2 / 3

#: How often a word is there on average, at least, in a table that nobody said is one of categories.
REPEATED = 2


@dataclass
class _Found:
    """What a column holds, besides missing cells."""

    numbers: Counter[str] = field(default_factory=Counter)
    words: Counter[str] = field(default_factory=Counter)

    @property
    def measures(self) -> bool:
        """Whether it mostly holds numbers, and these are rather measured than codes of a few categories."""
        times = self.numbers.total()
        if times <= self.words.total():
            return False
        fractions = any("." in cell or "," in cell for cell in self.numbers)
        alone = times >= FEWEST_ROWS and len(self.numbers) == times
        return fractions or alone or len(self.numbers) > MOST_CLASSES


#: Filled cells that are looked at before columns are.
FIRST_CELLS = 100


def first_words(cells: Iterable[str], numerals: Numerals) -> bool:
    """Whether there is a word among the first filled cells of a table; without one, words are not the rule in it."""
    filled = (cell for cell in cells if not numerals.is_missing(cell))
    return not all(map(numerals.is_number, islice(filled, FIRST_CELLS)))


def holds_words(columns: Iterable[Sequence[str]], numerals: Numerals, reading: Reading) -> bool:
    """Whether a table with such columns is taken as one of words.

    By itself it is if at least two thirds of its cells are words, which come again, and no column looks measured: a few
    words in a table of numbers are rather a fault.

    Parameters
    ----------
    columns : iterable of sequence of str
        The first cells of each column of data.
    """
    if reading.words in ("no", "only"):
        return reading.words == "only"
    found = [_find(cells, numerals, reading) for cells in columns]
    words = Counter[str]()
    for column in found:
        words += column.words
    if reading.words == "yes":
        return bool(words)
    cells = words.total() + sum(column.numbers.total() for column in found)
    many = words.total() > 0 and words.total() >= MANY_WORDS * cells
    return many and words.total() >= REPEATED * len(words) and not any(column.measures for column in found)


def _find(cells: Sequence[str], numerals: Numerals, reading: Reading) -> _Found:
    """What a column holds; what can be read as numbers is a number, however it is written."""
    found = _Found()
    if not all(map(numerals.is_number, cells[:1])) and find_marked(cells, numerals) is not None:
        return found
    for cell in cells:
        cell = cell.strip()
        if numerals.is_number(cell):
            found.numbers[cell] += 1
        elif not numerals.is_missing(cell) and not is_mark(cell):
            found.words[cell] += 1
    points = [cell for cell in found.numbers if "." in cell]
    if found.words and find_style(list(found.words), points, numerals, reading) is not None:
        return _Found(found.numbers + found.words)
    return found
