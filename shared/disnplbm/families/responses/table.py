"""Tables of responses with covariates: of rows, of columns, and of cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.dealing import items_of, slice_of
from disnplbm.errors import InputError
from disnplbm.families.base import Family
from disnplbm.families.cell_type import (
    REMEDY,
    Arrays,
    CellType,
    Exposure,
    Facts,
    csr_arrays,
    pack_numbers,
    unpack_numbers,
)
from disnplbm.families.responses import Responses, Units
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.families.responses.covariates import Covariates, name_all
from disnplbm.kernels.choice import logs
from disnplbm.model.regression import RegressionPrior
from disnplbm.model.statistics import Floats


class ResponseTable(CellType):
    """A number that depends on covariates; a cell that is not stored is missing."""

    noun = "responses"
    absent_is_missing = True
    instead = (
        ": give the cells to predict as lines of a long table to `disnplbm predict`, or to NPLBM.predict_responses",
    )

    def refuse(self, cells: NDArray[np.float64]) -> tuple[NDArray[np.bool_], str]:
        return ~np.isfinite(cells), "finite numbers"

    def describe(self, parts: Sequence[csr_array], exposure: Exposure) -> tuple[Facts, list[Arrays]]:  # noqa: ARG002
        """Of responses without covariates; see :meth:`describe_all`."""
        none = Covariates.none(sum(part.shape[0] for part in parts), parts[0].shape[1])
        return self.describe_all(parts, [np.empty((part.nnz, 0)) for part in parts], (), none, "rows")

    def describe_all(
        self,
        parts: Sequence[csr_array],
        of_cells: Sequence[Floats],
        names: tuple[str, ...],
        covariates: Covariates,
        axis: str,
    ) -> tuple[Facts, list[Arrays]]:
        """What is known of all cells, and what the shards hold; as :meth:`describe`.

        Parameters
        ----------
        parts : sequence of csr_array of shape (items, others)
            The seen cells of the shards.
        of_cells : sequence of ndarray of shape (N, c)
            Covariates of these, of so many names.
        covariates : Covariates
            Of the rows and of the columns of the table.
        axis : {"rows", "columns"}
            What the items are.

        Raises
        ------
        InputError
            A covariate is missing where a response is seen, is the same wherever one is, or varies too far; all
            responses are alike; or two covariates have one name.
        """
        by_rows = axis == "rows"
        names = name_all(covariates.row_names, covariates.column_names, names)
        _refuse_missing(parts, covariates, axis)
        of_items, of_others = (covariates.rows, covariates.columns)[:: 1 if by_rows else -1]
        items = [of_items[slice_of(e, len(parts))] for e in range(len(parts))]
        moments = _Moments()
        for part, own, of_each in zip(parts, items, of_cells, strict=True):
            at = np.repeat(np.arange(part.shape[0]), np.diff(part.indptr))
            given = own[at], of_others[part.indices]
            moments.add(np.column_stack([*given[:: 1 if by_rows else -1], of_each, part.data]))
        centre, scale = moments.finish(names)
        units = Units(centre, scale)
        a, b = len(covariates.row_names), len(covariates.column_names)
        shown = slice(0, a), slice(a, a + b)
        of_axis = [_standardised(part, units, at) for part, at in zip(covariates[:2], shown, strict=True)]
        framed_items, framed_others = of_axis[:: 1 if by_rows else -1]
        shards = []
        for e, (part, of_each) in enumerate(zip(parts, of_cells, strict=True)):
            values = (part.data - centre[-1]) / scale[-1]
            shards.append(
                csr_arrays(part, values)
                | {
                    "item_covariates": framed_items[slice_of(e, len(parts))],
                    "other_covariates": framed_others,
                    "cell_covariates": _standardised(of_each, units, slice(a + b, len(names))),
                }
            )
        facts: Facts = {
            "names": list(names),
            "centre": centre.tolist(),
            "scale": scale.tolist(),
            "row_covariates": pack_numbers(covariates.rows),
            "column_covariates": pack_numbers(covariates.columns),
            "axis": axis,
            "log_constant": -float(moments.number * logs(scale[-1:])[0]),
        }
        return facts, shards

    def cells(self, arrays: Arrays, facts: Facts, *, complete: bool) -> SparseResponses:  # noqa: ARG002 - shards know
        return SparseResponses(
            arrays["indptr"],
            arrays["indices"],
            arrays["values"],
            arrays["item_covariates"],
            arrays["other_covariates"],
            arrays["cell_covariates"],
            others_first=facts["axis"] == "columns",
            response_units=(facts["centre"][-1], facts["scale"][-1]),
        )

    def family(self, facts: Facts, power: float) -> Family:
        names, units = tuple(facts["names"]), Units(np.array(facts["centre"]), np.array(facts["scale"]))
        return Responses(RegressionPrior.standard(1 + len(names)), names, units, power)


class _Moments:
    """Mean and spread of covariates and responses over the seen cells, which come part by part."""

    def __init__(self) -> None:
        self.number = 0
        self._parts = list[Floats]()

    def add(self, cells: Floats) -> None:
        """Take in cells, shape (N, q)."""
        self._parts.append(cells)
        self.number += len(cells)

    def finish(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Mean and standard deviation, shape (q,); InputError names a covariate that does not vary, or too far."""
        cells = np.concatenate(self._parts)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = cells.mean(axis=0)
            scale = np.sqrt(((cells - centre) ** 2).mean(axis=0))
        for name, spread in zip((*names, "the responses"), scale, strict=True):
            if not np.isfinite(spread):
                raise InputError(f"the values of {name} are too far apart: give them in another unit")
        for name, spread in zip(names, scale, strict=False):
            if spread == 0.0:
                raise InputError(f"covariate {name} is the same wherever a response is seen: leave it out")
        if not scale[-1] > 0.0:
            raise InputError("every response is the same, so there is nothing to tell clusters apart", *REMEDY)
        return centre, scale


def _refuse_missing(parts: Sequence[csr_array], covariates: Covariates, axis: str) -> None:
    """Refuse a row (column) that has responses and lacks a covariate."""
    number = sum(part.shape[0] for part in parts)
    items = np.concatenate([items_of(e, number, len(parts)) for e in range(len(parts))])
    of_items = np.concatenate([np.diff(part.indptr) for part in parts])[np.argsort(items)]
    of_others = np.sum([np.bincount(part.indices, minlength=part.shape[1]) for part in parts], axis=0)
    of_rows, of_columns = (of_items, of_others) if axis == "rows" else (of_others, of_items)
    for noun, seen, values, names in (
        ("row", of_rows, covariates.rows, covariates.row_names),
        ("column", of_columns, covariates.columns, covariates.column_names),
    ):
        lacking = np.argwhere(np.isnan(values) & (seen > 0)[:, None])
        if len(lacking):
            place, at = lacking[0]
            raise InputError(
                f"covariate {names[at]} of {noun} {place + 1} is missing, and {noun} {place + 1} has responses: give"
                " it, or leave these out"
            )


def _standardised(covariates: Floats, units: Units, at: slice) -> Floats:
    """Covariates in the working units; one that is missing, where no response is seen, is put at the mean."""
    return np.nan_to_num((covariates - units.centre[:-1][at]) / units.scale[:-1][at])


def covariates_of(facts: Facts) -> Covariates:
    """The covariates of the rows and columns of a fitted table, in its units."""
    rows, columns = unpack_numbers(facts["row_covariates"]), unpack_numbers(facts["column_covariates"])
    names = tuple(facts["names"])
    return Covariates(rows, columns, names[: rows.shape[1]], names[rows.shape[1] : rows.shape[1] + columns.shape[1]])


CELL_TYPE = ResponseTable()
