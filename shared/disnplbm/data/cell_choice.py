"""Which type of cells a table has, where nobody says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.data.cells import some_names
from disnplbm.data.reading import Words
from disnplbm.errors import InputError
from disnplbm.families.category_names import listed
from disnplbm.notes import Hint, Note

#: Words of a table are categories.
CATEGORICAL = "categorical"

COUNTS, BINARY = "counts", "binary"

#: Share of zeros from which whole numbers are taken as counts.
MANY_ZEROS = 0.5

#: Share of ones below which 0/1 cells are taken as counts.
FEW_ONES = 0.1


class Chosen(NamedTuple):
    """A type of cells, and why it was chosen; no note where real numbers were."""

    cells: str
    notes: tuple[Note, ...] = ()


class Look:
    """A look at the cells of a table, as they stream by.

    Whole numbers from 0 are counts if many of them are 0. Where there is nothing but 0 and 1, few ones are counts too:
    then the totals of rows and columns say most, and counts allow for these. All else are real numbers.
    """

    def __init__(self) -> None:
        self._zeros = self._ones = self._others = 0
        self._real = False

    def add(self, stored: NDArray[np.float64], cells: int) -> bool:
        """Take in some cells; False if they settle that the table is one of real numbers.

        Parameters
        ----------
        stored : ndarray
            All that are not 0, and NaN for each that is missing.
        cells : int
            How many there are, with those that are 0 and missing.
        """
        there = stored[~np.isnan(stored)]
        self._real = self._real or bool((there < 0.0).any() or (there != np.floor(there)).any())
        if not self._real:
            ones = int(np.count_nonzero(there == 1.0))
            self._ones, self._others = self._ones + ones, self._others + len(there) - ones
            self._zeros += cells - len(stored)
        return not self._real

    def chosen(self) -> Chosen:
        """What the cells are taken for."""
        zeros, ones, others = self._zeros, self._ones, self._others
        observed = zeros + ones + others
        if self._real or min(zeros, ones + others) == 0 or (others and zeros < MANY_ZEROS * observed):
            return Chosen(DENSE)
        if others:
            shown = f"they are whole numbers, {_share(zeros, observed)} of them 0"
            return _chosen(COUNTS, f"the cells are taken as counts: {shown} (for real numbers: ", DENSE)
        share = _share(ones, observed)
        if ones < FEW_ONES * observed:
            shown = f"the cells are 0 or 1, {share} of them 1, and are taken as counts"
            why = "with so few ones, the totals of rows and columns matter, and counts allow for them"
            return _chosen(COUNTS, f"{shown}: {why} (for yes and no: ", BINARY)
        shown = f"they are 0 or 1, {share} of them 1"
        return _chosen(BINARY, f"the cells are taken as yes and no: {shown} (for real numbers: ", DENSE)


def choose_cells(chunks: Iterable[tuple[int, csr_array]]) -> Chosen:
    """Choose the type of the cells of a table by looking at them.

    Parameters
    ----------
    chunks : iterable
        First row and cells of each stretch of rows.
    """
    look = Look()
    for _, rows in chunks:
        if not look.add(rows.data, rows.shape[0] * rows.shape[1]):
            break
    return look.chosen()


def words_for(cells: str) -> Words:
    """Whether a table may be one of words, by the type of cells that is asked for."""
    return {"auto": "auto", CATEGORICAL: "yes"}.get(cells, "no")  # type: ignore[return-value]


def choose_for_words(cells: str, words: Sequence[str]) -> Chosen:
    """The type of the cells of a table of words: they are categories.

    Parameters
    ----------
    cells : str
        The type that was asked for, or "auto".

    Raises
    ------
    InputError
        Another type was asked for.
    """
    notes = _alike(words)
    if cells == "auto":
        why = f"the cells are taken as categories: they are words, {listed(words)} (for real numbers: "
        return Chosen(CATEGORICAL, (*_chosen(CATEGORICAL, why, DENSE).notes, *notes))
    if cells != CATEGORICAL:
        raise InputError(
            f"the cells are words ({listed(words)}), and these are categories: ",
            Hint("cells", CATEGORICAL),
            "; for other cells, write them as numbers",
        )
    return Chosen(cells, notes)


def _alike(words: Sequence[str]) -> tuple[Note, ...]:
    """A note on words that differ in capitals only, which may be meant to be the same."""
    of_folded: dict[str, list[str]] = {}
    for word in words:
        of_folded.setdefault(word.casefold(), []).append(word)
    alike = [" and ".join(found) for found in of_folded.values() if len(found) > 1]
    if not alike:
        return ()
    shown = some_names(alike, len(alike))
    return (Note(f"words that differ in capitals only are categories of their own: {shown}", kind="words"),)


def _chosen(cells: str, why: str, other: str) -> Chosen:
    return Chosen(cells, (Note(why, Hint("cells", other), ")", kind="cells"),))


def _share(part: int, whole: int) -> str:
    share = 100.0 * part / whole
    return f"{share:.0f}%" if 1.0 <= share <= 99.0 else f"{share:.3g}%"
