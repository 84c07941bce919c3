"""Tables that the estimator is given: X, and labels to start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from disnplbm.data.array import ArraySource
from disnplbm.data.covariates import GivenCovariates, match_covariates
from disnplbm.data.factors import checked
from disnplbm.data.in_memory import in_memory, index_names, is_named
from disnplbm.data.matching import LabelList, find_order
from disnplbm.data.memory import available_bytes, check_memory
from disnplbm.errors import InputError, first_line
from disnplbm.families.cell_type import Factors
from disnplbm.families.responses.covariates import Covariates
from disnplbm.model.statistics import Labels


def read_table(estimator: BaseEstimator, given: Any, *, words: str = "no", reset: bool = True) -> ArraySource:
    """X as a table; the estimator gets the names and number of its columns.

    Parameters
    ----------
    words : {"auto", "yes", "no", "only"}
        Whether it may be a table of words.
    """
    if is_named(given):
        # Converted a few rows at a time, and the columns are known by name in messages.
        fitted = () if reset else getattr(estimator, "feature_names_in_", ())
        source = ArraySource(given, kept=fitted, words=words)
        whole = hasattr(given, "iloc") and len(source.column_names) == given.shape[1]
        header = given if whole else _Header(source.column_names)
        try:
            validate_data(estimator, header, skip_check_array=True, reset=reset)
        except ValueError as error:
            if sorted(fitted) != sorted(source.column_names):
                raise
            # scikit-learn asks that such a table is refused, and for its own words in front.
            place, name, due = next(
                (j, *pair)
                for j, pair in enumerate(zip(source.column_names, fitted, strict=True), 1)
                if pair[0] != pair[1]
            )
            raise InputError(
                f"{error}Column {place} of X is {name!r} and was {due!r} in the fit: X[model.feature_names_in_] has"
                " the columns of a DataFrame in their order"
            ) from error
        return source
    table: Any = given
    if not sp.issparse(given):
        found = in_memory(given, "X", words)
        table = found.rows(0, found.shape[0])
        if found.words is not None:
            validate_data(estimator, table, ensure_all_finite=False, reset=reset)
            return ArraySource(found)
    return ArraySource(
        validate_data(estimator, table, accept_sparse=True, allow_nd=True, ensure_all_finite=False, reset=reset)
    )


class _Header:
    """Names of columns, as scikit-learn asks a table for them."""

    def __init__(self, names: list[str]) -> None:
        self.shape, self._names = (1, len(names)), names

    def __dataframe__(self) -> Self:
        return self

    def column_names(self) -> list[str]:
        return self._names


def check_dense_copies(source: ArraySource) -> None:
    """Refuse a sparse table that does not fit into memory as a dense one, and once more as a transform leaves it."""
    rows, columns = source.rows, len(source.column_names)
    what = f"X ({rows:,} x {columns:,})"
    check_memory(16 * rows * columns, available_bytes(), what, remedy="give fewer rows at a time")


def start_labels(
    start: Any, row_names: Sequence[str] | None, n_rows: int, column_names: Sequence[str]
) -> tuple[Labels | None, Labels | None]:
    """Row and column labels to start from, if start is a pair of them."""
    if isinstance(start, str):
        return None, None
    if len(start) != 2:
        raise InputError(f"start has {len(start)} parts; give (row_labels, column_labels)")
    rows, columns = start
    return _codes(rows, row_names, n_rows, "row"), _codes(columns, column_names, len(column_names), "column")


def given_factors(exposure: Any, source: ArraySource) -> Factors | None:
    """The factors of rows and columns, if exposure is factors of rows, or a pair of both."""
    if isinstance(exposure, str):
        return None
    rows, columns = exposure if isinstance(exposure, tuple) and len(exposure) == 2 else (exposure, None)
    names = source.row_names or [str(i) for i in range(source.rows)]
    return Factors(factors_of(rows, names, "row"), factors_of(columns, source.column_names, "column"))


def factors_of(given: Any, names: list[str], axis: str) -> NDArray[np.float64]:
    """Factors in the order of a table: by their index where both have names, else as they come; 1 if there are none."""
    if given is None:
        return np.ones(len(names))
    try:
        factors = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"exposure: factors of the {axis}s are numbers above 0 ({first_line(error)})") from error
    if factors.shape != (len(names),):
        raise InputError(f"exposure: factors of shape {factors.shape} for {len(names)} {axis}s; give one for each")
    ids = index_names(given.index) if hasattr(given, "iloc") else None
    order = find_order(ids, names, axis, f"factors of the {axis}s", "X")
    return np.array(checked(LabelList(factors[order].tolist()), "exposure").labels)


def given_covariates(rows: Any, columns: Any, source: ArraySource) -> Covariates | None:
    """The covariates of rows and columns, if there are some: tables with a line for each."""
    row_names = source.row_names or [str(i) for i in range(source.rows)]
    of_rows = None if rows is None else covariates_in(rows, "row_covariates")
    of_columns = None if columns is None else covariates_in(columns, "column_covariates")
    return match_covariates(of_rows, of_columns, row_names, source.column_names, "X")[0]


def covariates_in(table: Any, name: str) -> GivenCovariates:
    """Covariates in a table in memory: its columns are named, or counted."""
    if np.ndim(table) == 1 and not hasattr(table, "columns"):
        table = table.to_frame() if hasattr(table, "to_frame") else np.asarray(table)[:, None]
    found = ArraySource(table, name=name)
    named = is_named(table)
    names = found.column_names if named else [f"{name.split('_')[0]}{j}" for j in range(len(found.column_names))]
    return GivenCovariates(names, np.concatenate([chunk.values[:, :, 0] for chunk in found.chunks()]), found.row_names)


def _codes(given: Any, names: Sequence[str] | None, length: int, axis: str) -> Labels | None:
    """Labels as numbers from 0, in the order of the table: by their index where both have names, else as they come."""
    if given is None:
        return None
    labels = np.asarray(given)
    if labels.shape != (length,):
        raise InputError(f"start: {axis} labels of shape {labels.shape} for {length} {axis}s; give one for each")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise InputError(
            f"start: {axis} label {np.flatnonzero(np.isnan(labels))[0] + 1} is missing; give every {axis} one"
        )
    ids = index_names(given.index) if hasattr(given, "iloc") else None
    order = find_order(ids, names, axis, f"{axis} labels to start from", "X")
    return np.unique(labels[order], return_inverse=True)[1].astype(np.int32)
