"""Tables of counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.errors import InputError
from disnplbm.families.base import Cells, Family
from disnplbm.families.cell_type import REMEDY, Arrays, CellType, Facts, csr_arrays, narrowed, sums_of
from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts
from disnplbm.kernels.choice import log_gammas, logs
from disnplbm.model.statistics import Floats


class CountTable(CellType):
    """Whole numbers from 0, with an exposure: what the row's and the column's totals let expect, or 1."""

    noun = "counts"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return (cells < 0.0) | (cells != np.floor(cells)), "whole numbers from 0"

    def describe(self, parts: Sequence[csr_array], exposure: str) -> tuple[Facts, list[Arrays]]:
        totals = list(sums_of(parts, axis=1))
        of_others = np.sum(list(sums_of(parts, axis=0)), axis=0)
        total = float(of_others.sum())
        if total == 0.0:
            raise InputError("every count is 0, so there is nothing to tell clusters apart", *REMEDY)
        missing = sum(int(np.isnan(part.data).sum()) for part in parts)
        mean = total / (sum(part.shape[0] for part in parts) * len(of_others) - missing)
        constant = -sum(_log_factorials(part.data) for part in parts)
        if exposure == "margins":
            factors = of_others / total
            constant += sum(map(_entropy, totals)) + _entropy(of_others) - _entropy(np.array([total]))
        else:
            factors, totals = np.ones(len(of_others)), [np.ones(len(each)) for each in totals]
        facts = {"exposure": exposure, "mean": mean, "log_constant": constant}
        shards = [
            csr_arrays(part, narrowed(part.data)) | {"row_factors": rows, "column_factors": factors}
            for part, rows in zip(parts, totals, strict=True)
        ]
        return facts, shards

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> Cells:  # noqa: ARG002 - shards know all
        return SparseCounts(
            arrays["indptr"],
            arrays["indices"],
            arrays["values"],
            arrays["row_factors"],
            arrays["column_factors"],
            complete=complete,
        )

    def family(self, facts: Facts, power: float) -> Family:
        return Counts(1.0, 1.0 if facts["exposure"] == "margins" else 1.0 / facts["mean"], power)


def _log_factorials(counts: Floats) -> float:
    """Sum of log x! over counts, without missing ones."""
    different, times = np.unique(counts[~np.isnan(counts)], return_counts=True)
    return float(times @ log_gammas(different + 1.0)) if len(different) else 0.0


def _entropy(totals: Floats) -> float:
    """Sum of x log x."""
    seen = totals[totals > 0.0]
    return float(seen @ logs(seen)) if len(seen) else 0.0


CELL_TYPE = CountTable()
