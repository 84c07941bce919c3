"""What a column holds, by a look at its cells as they stream by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from disnplbm.families.category_names import MOST_CATEGORIES

#: The number in a cell, NaN if the cell is missing, None if it holds a word.
Parse = Callable[[str], float | None]


@dataclass
class ColumnLook:
    """A column and what it holds.

    Parameters
    ----------
    name : str
    parse : callable
        How its cells are read as numbers; None where its type says that they are words.
    typed : str, optional
        The kind of cells that its type says it has.
    declared : tuple of str, optional
        All its categories, where its type names them.

    Attributes
    ----------
    numbers, words, zeros : int
        Cells that hold a number, a word, and the number 0.
    whole : bool
        Whether all numbers are whole and from 0 on.
    values : set of float
        Different numbers, three at most.
    texts : Counter
        Different cells as they are written, and how often; one more than there may be categories, at most.
    first_word : str
        The first cell that is a word.
    """

    name: str
    parse: Parse | None
    typed: str | None = None
    declared: tuple[str, ...] | None = None
    numbers: int = 0
    words: int = 0
    zeros: int = 0
    whole: bool = True
    values: set[float] = field(default_factory=set)
    texts: Counter[str] = field(default_factory=Counter)
    first_word: str = ""

    def add(self, cells: Iterable[str], is_missing: Callable[[str], bool]) -> None:
        """Take in the next cells."""
        for cell, times in Counter(cells).items():
            if is_missing(cell):
                continue
            cell = cell.strip()
            if len(self.texts) <= MOST_CATEGORIES or cell in self.texts:
                self.texts[cell] += times
            number = None if self.parse is None else self.parse(cell)
            if number is None:
                self.words += times
                self.first_word = self.first_word or cell
                continue
            self.numbers += times
            self.zeros += times if number == 0.0 else 0
            self.whole = self.whole and number >= 0.0 and number.is_integer()
            if len(self.values) < 3:
                self.values.add(number)

    @property
    def filled(self) -> int:
        """Cells that are not missing."""
        return self.numbers + self.words

    @property
    def categories(self) -> frozenset[str]:
        """The different words, or what the type declares."""
        return frozenset(self.texts if self.declared is None else self.declared)

    @property
    def many_texts(self) -> bool:
        """Whether there are more different cells than there may be categories."""
        return len(self.texts) > MOST_CATEGORIES
