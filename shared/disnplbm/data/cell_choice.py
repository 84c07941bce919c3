"""Which type of cells a table has, where nobody says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.notes import Hint, Note

#: Share of zeros from which whole numbers are taken as counts.
MANY_ZEROS = 0.5

#: Share of ones below which 0/1 cells are taken as counts.
FEW_ONES = 0.1


class Chosen(NamedTuple):
    """A type of cells, and why it was chosen; no note where real numbers were."""

    cells: str
    notes: tuple[Note, ...] = ()


def choose_cells(chunks: Callable[[], Iterable[tuple[int, csr_array]]], n: int, p: int) -> Chosen:
    """Choose the type of the cells of a table by looking at them.

    Whole numbers from 0 are counts if many of them are 0. Where there is nothing but 0 and 1, few ones are counts too:
    then the totals of rows and columns say most, and counts allow for these. All else are real numbers.

    Parameters
    ----------
    chunks : callable
        Gives the first row and the cells of each stretch of rows.
    """
    ones = others = missing = 0
    for _, rows in chunks():
        cells = rows.data[~np.isnan(rows.data)]
        if (cells < 0.0).any() or (cells != np.floor(cells)).any():
            return Chosen(DENSE)
        missing += rows.nnz - len(cells)
        ones += int(np.count_nonzero(cells == 1.0))
        others += int(np.count_nonzero(cells > 1.0))
    observed = n * p - missing
    zeros = observed - ones - others
    if min(zeros, ones + others) == 0:
        return Chosen(DENSE)
    if others:
        if zeros < MANY_ZEROS * observed:
            return Chosen(DENSE)
        return _chosen(
            "counts",
            f"the cells are taken as counts: they are whole numbers, {_share(zeros, observed)} of"
            " them 0 (for real numbers: ",
            DENSE,
        )
    share = _share(ones, observed)
    if ones < FEW_ONES * observed:
        return _chosen(
            "counts",
            f"the cells are 0 or 1, {share} of them 1, and are taken as counts: with so few ones,"
            " the totals of rows and columns matter, and counts allow for them (for yes and no: ",
            "binary",
        )
    return _chosen(
        "binary", f"the cells are taken as yes and no: they are 0 or 1, {share} of them 1 (for real numbers: ", DENSE
    )


def _chosen(cells: str, why: str, other: str) -> Chosen:
    return Chosen(cells, (Note(why, Hint("cells", other), ")", kind="cells"),))


def _share(part: int, whole: int) -> str:
    share = 100.0 * part / whole
    return f"{share:.0f}%" if 1.0 <= share <= 99.0 else f"{share:.3g}%"
