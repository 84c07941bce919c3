"""Classes, labels to start from, factors and covariates, in the order of the data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from disnplbm.data.covariates import GivenCovariates, check_for_responses, match_covariates
from disnplbm.data.dataset import Dataset
from disnplbm.data.factors import GIVEN, GivenFactors, check_for_counts
from disnplbm.data.matching import LabelList, match
from disnplbm.data.mixed.dataset import DatasetOfParts
from disnplbm.data.sharding import Axis
from disnplbm.errors import InputError
from disnplbm.families.cell_type import Exposure
from disnplbm.families.responses.covariates import Covariates
from disnplbm.notes import Hint
from disnplbm.runs.request import COVARIATE_FIELDS, FACTOR_FIELDS, Request

#: Fields of a :class:`Request` that hold labels: what they are, and of what.
_LABELS: tuple[tuple[str, Axis, str], ...] = (
    ("row_classes", "rows", "row classes"),
    ("column_classes", "columns", "column classes"),
    ("start_rows", "rows", "row labels to start from"),
    ("start_columns", "columns", "column labels to start from"),
)


def match_labels(dataset: Dataset | DatasetOfParts, asked: Request) -> tuple[Request, list[str]]:
    """Bring classes and labels to start from into the order of the data.

    Returns
    -------
    asked : Request
        Each of them is a list or None. Where the data have a column of classes, these are the row classes.
    notes : list of str
        How they were matched.

    Raises
    ------
    InputError
        They are not one for each row, or column.
    """
    found: dict[str, Any] = {}
    notes: list[str] = []
    for field, axis, what in _LABELS:
        given = getattr(asked, field)
        if given is None:
            continue
        names = dataset.row_names if axis == "rows" else dataset.column_names
        found[field], said = match(LabelList.from_plain(given), names, axis.removesuffix("s"), what, asked.name)
        notes += said
    if dataset.classes is not None:
        found.setdefault("row_classes", list(dataset.classes))
    return replace(asked, **found), notes


def check_factors(asked: Request, exposure: str, cells: str) -> None:
    """Raise InputError if there are factors and the exposure is not given, or the other way round; or no counts."""
    there = any(getattr(asked, field) is not None for field in FACTOR_FIELDS)
    if there and exposure != GIVEN:
        raise InputError("there are factors of rows or columns: add ", Hint("exposure", GIVEN), ", or leave them out")
    if exposure == GIVEN and not there:
        raise InputError(
            Hint("exposure", GIVEN), " needs factors of the rows or of the columns: add them, or take ",
            Hint("exposure", "margins"),
        )  # fmt: skip
    if there and cells != "auto":
        check_for_counts(cells)


def match_exposure(dataset: Dataset, asked: Request, exposure: str, cells: str) -> tuple[Exposure, list[str]]:
    """What counts are compared with, and how factors were matched.

    Parameters
    ----------
    exposure, cells : str
        As :class:`disnplbm.engine.options.Options` has them.

    Raises
    ------
    InputError
        Factors are missing, not above 0, not one for each row (column), or the cells are not counts.
    """
    check_factors(asked, exposure, cells)
    if exposure != GIVEN:
        return exposure, []
    given = GivenFactors.from_plain(asked.row_factors, asked.column_factors)
    return given.matched(dataset.row_names, dataset.column_names, asked.name)


def check_covariates(asked: Request, cells: str) -> None:
    """Raise InputError if there are covariates, and the cells are not responses."""
    if any(getattr(asked, field) is not None for field in COVARIATE_FIELDS):
        check_for_responses(cells)


def covariates_of(dataset: Dataset, asked: Request, cells: str) -> tuple[Covariates | None, list[str]]:
    """Covariates of the rows and columns, None if there are none; and how they were matched.

    Raises
    ------
    InputError
        They are lacking for a row (column), or the cells are not responses.
    """
    check_covariates(asked, cells)
    given = [getattr(asked, field) for field in COVARIATE_FIELDS]
    rows, columns = (None if plain is None else GivenCovariates.from_plain(plain) for plain in given)
    return match_covariates(rows, columns, dataset.row_names, dataset.column_names, asked.name)
