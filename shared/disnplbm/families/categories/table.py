"""Tables of categories, and of yes and no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.families.base import Family, SparseCells
from disnplbm.families.categories import Categories
from disnplbm.families.categories.cells import MISSING, SparseCodes
from disnplbm.families.category_names import category_names, listed
from disnplbm.families.cell_type import (
    REMEDY,
    Arrays,
    Exposure,
    Facts,
    csr_arrays,
    refusal,
)
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.predicting import CORRECT, Axis, CellMoments, NewItems, Positions, PredictingType
from disnplbm.model.statistics import Floats


class CategoryTable(PredictingType):
    """One of at most 255 values a cell."""

    noun = "categories"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return ~np.isfinite(cells), "numbers"

    def weights(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of the prior, from the shares of the categories in the whole table."""
        return shares

    def describe(self, parts: Sequence[csr_array], exposure: Exposure) -> tuple[Facts, list[Arrays]]:  # noqa: ARG002
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

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> SparseCells:
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

    def refuse_new(self, cells: Floats, facts: Facts) -> tuple[NDArray[np.bool_], str]:
        return ~np.isin(cells, facts["levels"]), listed(category_names(facts))

    def check_new(self, rows: csr_array, first: int, column_names: Sequence[str], facts: Facts) -> None:
        super().check_new(rows, first, column_names, facts)
        lacking = np.flatnonzero(np.diff(rows.indptr) < rows.shape[1])
        if 0.0 not in facts["levels"] and len(lacking):
            stored = rows.indices[rows.indptr[lacking[0]] : rows.indptr[lacking[0] + 1]]
            column = column_names[int(np.setdiff1d(np.arange(rows.shape[1]), stored)[0])]
            raise refusal(self.noun, first + int(lacking[0]), column, 0.0, listed(category_names(facts)), CORRECT)

    def new_items(
        self,
        items: csr_array,
        facts: Facts,
        axis: Axis,  # noqa: ARG002 - the same for both
        own: Floats | None = None,  # noqa: ARG002 - of counts
    ) -> NewItems:
        stored = items.indptr.astype(np.int64), items.indices.astype(np.int32), _codes(items.data, facts["levels"])
        n_categories, base = len(facts["levels"]), facts["base"]
        cells = SparseCodes(*stored, items.shape[1], n_categories, base=base, complete=False)
        return NewItems(cells, np.zeros(items.shape[0]), 0)

    def single_cells(
        self,
        rows: Positions,  # noqa: ARG002 - a category is one wherever it is
        columns: Positions,  # noqa: ARG002
        values: Floats,
        facts: Facts,
    ) -> tuple[Sums, Floats]:
        return Sums(np.equal.outer(values, facts["levels"]).astype(np.float64)), np.zeros(len(values))

    def moments(
        self,
        family: Family,
        blocks: Sums,
        rows: Positions,  # noqa: ARG002
        columns: Positions,  # noqa: ARG002
        facts: Facts,  # noqa: ARG002
    ) -> CellMoments:
        shares, _ = cast(Categories, family).parameter_moments(blocks)
        return CellMoments(shares, shares * (1.0 - shares))

    def fill(self, mixed: CellMoments, facts: Facts) -> tuple[Floats, dict[str, Floats]]:
        likeliest = mixed.means.argmax(axis=1)
        probability = np.take_along_axis(mixed.means, likeliest[:, None], axis=1)[:, 0]
        return np.array(facts["levels"])[likeliest], {"probability": probability}


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

    def fill(self, mixed: CellMoments, facts: Facts) -> tuple[Floats, dict[str, Floats]]:  # noqa: ARG002
        share = mixed.means[:, 1]
        return share, {"mean": share, "sd": np.sqrt(mixed.variances[:, 1])}


def _codes(values: NDArray[np.float64], levels: list[float]) -> NDArray[np.uint8]:
    missing = np.isnan(values)
    codes = np.searchsorted(levels, np.where(missing, levels[0], values)).astype(np.uint8)
    codes[missing] = MISSING
    return codes


CATEGORIES, BINARY = CategoryTable(), BinaryTable()
