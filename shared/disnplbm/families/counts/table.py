"""Tables of counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.dealing import slice_of
from disnplbm.errors import InputError
from disnplbm.families.base import Family, SparseCells
from disnplbm.families.cell_type import (
    REMEDY,
    Arrays,
    Exposure,
    Factors,
    Facts,
    csr_arrays,
    pack_numbers,
    sums_of,
    unpack_numbers,
)
from disnplbm.families.counts import Counts
from disnplbm.families.counts.cells import SparseCounts, log_constants
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.predicting import Axis, CellMoments, NewItems, Positions, PredictingType
from disnplbm.kernels.choice import log_gammas, logs
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint
from disnplbm.smallest import narrowed


class CountTable(PredictingType):
    """Whole numbers from 0, with an exposure: what the totals of row and column let expect, 1, or given factors."""

    noun = "counts"

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return (cells < 0.0) | (cells != np.floor(cells)), "whole numbers from 0"

    def describe(self, parts: Sequence[csr_array], exposure: Exposure) -> tuple[Facts, list[Arrays]]:
        totals = list(sums_of(parts, axis=1))
        of_others = np.sum(list(sums_of(parts, axis=0)), axis=0)
        total = float(of_others.sum())
        missing = sum(int(np.isnan(part.data).sum()) for part in parts)
        cells = sum(part.shape[0] for part in parts) * len(of_others)
        if total == 0.0:
            raise InputError("every count is 0, so there is nothing to tell clusters apart", *REMEDY)
        mean = total / (cells - missing)
        constant = -sum(_log_factorials(part.data) for part in parts)
        facts: Facts = {"exposure": exposure, "mean": mean}
        if isinstance(exposure, Factors):
            factors, of_shards = exposure.columns, [exposure.rows[slice_of(e, len(parts))] for e in range(len(parts))]
            exposed = sum(map(_exposed, parts, of_shards, [factors] * len(parts)))
            facts |= {"exposure": "given", "mean": total / exposed, "totals": [*map(pack_numbers, exposure)]}
            constant += float(of_others @ logs(factors)) + sum(
                float(of_each @ logs(of_shard)) for of_each, of_shard in zip(totals, of_shards, strict=True)
            )
            totals = of_shards
        elif exposure == "margins":
            of_items = np.empty(sum(map(len, totals)))
            for shard, of_shard in enumerate(totals):
                of_items[slice_of(shard, len(parts))] = of_shard
            facts |= {"totals": [pack_numbers(narrowed(of_each)) for of_each in (of_items, of_others)]}
            factors = of_others / total
            constant += sum(map(_entropy, totals)) + _entropy(of_others) - _entropy(np.array([total]))
        else:
            factors, totals = np.ones(len(of_others)), [np.ones(len(each)) for each in totals]
        facts["log_constant"] = constant
        shards = [
            csr_arrays(part, narrowed(part.data)) | {"row_factors": of_shard, "column_factors": factors}
            for part, of_shard in zip(parts, totals, strict=True)
        ]
        return facts, shards

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> SparseCells:  # noqa: ARG002 - shards know all
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

    def new_items(self, items: csr_array, facts: Facts, axis: Axis, own: Floats | None = None) -> NewItems:
        if own is not None and facts["exposure"] != "given":
            raise InputError(
                f"the run was not fitted with factors, but with exposure = {facts['exposure']}: leave out ",
                Hint("exposure"),
            )
        ignored = 0
        if facts["exposure"] == "none":
            own, factors = np.ones(items.shape[0]), np.ones(items.shape[1])
        elif facts["exposure"] == "given":
            factors = _totals(facts, "columns" if axis == "rows" else "rows")
            if own is None:
                raise InputError(
                    f"the run was fitted with factors of rows and columns, so new {axis} need theirs: ",
                    Hint("exposure"),
                )
        else:
            of_others = _totals(facts, "columns" if axis == "rows" else "rows")
            factors = of_others / of_others.sum()
            # Where the fitted ones hold nothing but 0, nothing is expected, and a count says nothing.
            items, ignored = _without(items, factors == 0.0)
            (own,) = sums_of([items], axis=1)
        stored = items.indptr.astype(np.int64), items.indices.astype(np.int32), items.data.astype(np.float64)
        cells = SparseCounts(*stored, own, factors, complete=False)
        return NewItems(cells, log_constants(*stored, own, factors), ignored)

    def single_cells(self, rows: Positions, columns: Positions, values: Floats, facts: Facts) -> tuple[Sums, Floats]:
        expected = _expected(rows, columns, facts)
        seen = np.where(expected > 0.0, expected, 1.0)
        constants = values * logs(seen) - log_gammas(values + 1.0)
        constants[(expected == 0.0) & (values > 0.0)] = -np.inf
        return Sums(np.stack([values, expected], axis=-1)), constants

    def moments(self, family: Family, blocks: Sums, rows: Positions, columns: Positions, facts: Facts) -> CellMoments:
        rate, variance = cast(Counts, family).parameter_moments(blocks)
        expected = _expected(rows, columns, facts)[:, None]
        return CellMoments(expected * rate, expected * rate + expected**2 * variance)


def _totals(facts: Facts, axis: Axis) -> Floats:
    """Totals of the fitted rows or columns, or the factors that were given."""
    if "totals" not in facts:
        raise InputError(
            f"the run does not say what its {axis} add up to, as runs of an earlier version do not; fit again"
        )
    of_items, of_others = facts["totals"]
    return unpack_numbers(of_items if axis == facts["axis"] else of_others).astype(np.float64)


def _expected(rows: Positions, columns: Positions, facts: Facts) -> Floats:
    """Exposure of cells of the fitted table."""
    if facts["exposure"] == "none":
        return np.ones(len(rows))
    of_rows, of_columns = _totals(facts, "rows"), _totals(facts, "columns")
    if facts["exposure"] == "given":
        return np.asarray(of_rows[rows] * of_columns[columns])
    return np.asarray(of_rows[rows] * (of_columns[columns] / of_columns.sum()))


def _without(items: csr_array, others: NDArray[np.bool_]) -> tuple[csr_array, int]:
    """Items without their stored cells at some of the others, and how many of these are counts above 0."""
    left_out = others[items.indices]
    if not left_out.any():
        return items, 0
    indptr = np.append(0, np.cumsum(~left_out))[items.indptr]
    ignored = int(np.count_nonzero(items.data[left_out] > 0.0))
    return csr_array((items.data[~left_out], items.indices[~left_out], indptr), items.shape), ignored


def _log_factorials(counts: Floats) -> float:
    """Sum of log x! over counts, without missing ones."""
    different, times = np.unique(counts[~np.isnan(counts)], return_counts=True)
    return float(times @ log_gammas(different + 1.0)) if len(different) else 0.0


def _exposed(part: csr_array, of_rows: Floats, of_columns: Floats) -> float:
    """Sum of the exposure of observed cells."""
    missing = np.flatnonzero(np.isnan(part.data))
    rows = np.searchsorted(part.indptr, missing, side="right") - 1
    return float(of_rows.sum() * of_columns.sum() - of_rows[rows] @ of_columns[part.indices[missing]])


def _entropy(totals: Floats) -> float:
    """Sum of x log x."""
    seen = totals[totals > 0.0]
    return float(seen @ logs(seen)) if len(seen) else 0.0


CELL_TYPE = CountTable()
