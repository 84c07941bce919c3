"""Tables of words that are in memory: arrays and lists of text, and columns of text in data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.head import ROWS
from disnplbm.data.numerals import PLAIN
from disnplbm.data.reading import Reading
from disnplbm.data.words import FoundWords, codes_of, encode
from disnplbm.data.wordy import holds_words


def find_words(
    columns: Sequence[Sequence[Any]], names: Sequence[str], name: str, words: str, *, named: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]] | None:
    """The numbers of the words in the cells, shape (n, p), and the words; None if it is no table of words.

    Parameters
    ----------
    columns : sequence of sequence
        Cells that are words, numbers, truth values or nothing.
    names : sequence of str
        Of the columns.
    name : str
        What to call the table in messages.
    words : {"auto", "yes", "no", "only"}
        As a :class:`~disnplbm.data.reading.Reading` has it.
    named : bool
        Whether the columns have names.

    Raises
    ------
    InputError
        There are too many different words for categories.
    """
    reading = Reading(words=words)  # type: ignore[arg-type]
    if words == "auto" and not holds_words(
        ([word_of(cell) for cell in cells[:ROWS]] for cells in columns), PLAIN, reading
    ):
        return None
    texts = [[word_of(cell) for cell in cells] for cells in columns]
    if words == "yes" and not holds_words(texts, PLAIN, reading):
        return None
    found = FoundWords(name, names, PLAIN.is_missing)
    found.add(texts)
    found.check(None, has_names=not named)
    return encode(texts, codes_of(found.words))[:, :, 0], found.words


def word_of(cell: Any) -> str:
    """A cell as a text file would have it; blank if it is missing."""
    if isinstance(cell, str):
        return cell
    if cell is None or cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(cell, float | np.floating):
        if np.isnan(cell):
            return ""
        return str(int(cell)) if float(cell).is_integer() else repr(float(cell))
    return str(cell)


def is_wordy(cells: Sequence[Any]) -> bool:
    """Whether there are words among cells that are not of one type, and nothing but words, numbers and missing ones."""
    some = False
    for cell in cells:
        if isinstance(cell, str):
            some = True
        elif not (cell is None or isinstance(cell, bool | int | float | np.number | np.bool_) or word_of(cell) == ""):
            return False
    return some
