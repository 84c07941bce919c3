"""Tables of categories, and of yes and no."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.families.base import Cells, Family
from disnplbm.families.categories import Categories
from disnplbm.families.categories.cells import MISSING, SparseCodes
from disnplbm.families.cell_type import REMEDY, Arrays, CellType, Facts, csr_arrays


class CategoryTable(CellType):
    """One of at most 255 values a cell."""

    noun = "categories"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return ~np.isfinite(cells), "numbers"

    def weights(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the prior, from the shares of the categories in the whole table."""
        return shares

    def describe(self, parts: Sequence[csr_array], exposure: str) -> tuple[Facts, list[Arrays]]:  # noqa: ARG002
        found: dict[float, int] = {}
        for part in parts:
            stored, times = np.unique(part.data[~np.isnan(part.data)], return_counts=True)
            for level, number in zip(stored.tolist(), times.tolist(), strict=True):
                found[level] = found.get(level, 0) + number
        zeros = sum(part.shape[0] * part.shape[1] - part.nnz for part in parts)
        if zeros:
            found[0.0] = found.get(0.0, 0) + zeros
        levels = self.levels(sorted(found))
        numbers = np.array([found.get(level, 0) for level in levels], dtype=np.float64)
        facts = {
            "levels": levels,
            "shares": (numbers / numbers.sum()).tolist(),
            "base": levels.index(0.0) if 0.0 in levels else 0,
            "n_columns": parts[0].shape[1],
            "log_constant": 0.0,
        }
        return facts, [csr_arrays(part, _codes(part.data, levels)) for part in parts]

    def levels(self, found: list[float]) -> list[float]:
        """The categories that there are, of the different values of a table."""
        if not 2 <= len(found) <= MISSING:
            raise InputError(
                f"the table has {len(found):,} different values, and categories are from 2 to {MISSING}", *REMEDY
            )
        return found

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> Cells:
        return SparseCodes(
            arrays["indptr"],
            arrays["indices"],
            arrays["values"],
            facts["n_columns"],
            len(facts["levels"]),
            base=facts["base"],
            complete=complete,
        )

    def family(self, facts: Facts, power: float) -> Family:
        return Categories(self.weights(np.array(facts["shares"])), power)


class BinaryTable(CategoryTable):
    """Yes or no: 1 or 0."""

    noun = "0/1 cells"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return (cells != 0.0) & (cells != 1.0), "0 or 1"

    def weights(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        return 2.0 * shares

    def levels(self, found: list[float]) -> list[float]:
        if len(found) < 2:
            raise InputError("every cell has the same value, so there is nothing to tell clusters apart", *REMEDY)
        return [0.0, 1.0]


def _codes(values: NDArray[np.float64], levels: list[float]) -> NDArray[np.uint8]:
    missing = np.isnan(values)
    codes = np.searchsorted(levels, np.where(missing, levels[0], values)).astype(np.uint8)
    codes[missing] = MISSING
    return codes


CATEGORIES, BINARY = CategoryTable(), BinaryTable()
