"""The missing cells of the table that a run was fitted to, by its draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.data.cells import some_names
from disnplbm.data.named import id_name_of
from disnplbm.data.table import Source, is_sparse
from disnplbm.data.transform import Transform, keeps_zeros
from disnplbm.data.written import Fitted
from disnplbm.engine.as_fitted import written_for
from disnplbm.engine.matched import fitted_columns, load_draws, match_columns, observed_cells, order_rows
from disnplbm.engine.typed_tables import check_signs, read_whole, take_columns
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, plural
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.imputation import impute, impute_cells
from disnplbm.posterior.typed_imputation import TypedImputation, find_missing, impute_typed

Record = tuple[Any, ...]

#: Positions of cells along an axis.
Positions = NDArray[np.int64]

NOTHING_MISSING = "no cell is missing, so there is nothing to impute"

#: Whole numbers below are exact as floating point numbers.
EXACT = 2**53


@dataclass(frozen=True, slots=True, eq=False)
class Imputed:
    """The table that a run was fitted to, and what its draws say of the missing cells.

    The filled values are in the units of the data. Mean and sd are in the same units; with log, log1p or boxcox they
    are in those after it, since moments have no simple way back, and the value is the mean taken back, a number near
    the median.

    Parameters
    ----------
    id_name : str
        What the table calls its column of row names; "id" where it has no name.
    missing : ndarray of bool, shape (n, p, d)
    mean, sd : ndarray of shape (n, p, d)
        NaN where the draws tell none: the mean (the sd) of a block of hardly any observed cells does not exist.
    filled : ndarray of shape (n, p, d)
        The table with a value in every cell that has one.
    """

    id_name: str
    row_names: Sequence[str]
    column_names: Sequence[str]
    missing: NDArray[np.bool_]
    mean: Floats
    sd: Floats
    filled: Floats

    def cells(self) -> tuple[list[str], Iterator[Record]]:
        """Header and records of the missing cells: row, column, component, mean, sd and value."""

        def records() -> Iterator[Record]:
            for i, j, c in np.argwhere(self.missing).tolist():
                numbers = (float(table[i, j, c]) for table in (self.mean, self.sd, self.filled))
                yield self.row_names[i], self.column_names[j], c, *map(_format_number, numbers)

        return ["row", "column", "component", "mean", "sd", "value"], records()

    def summary(self, what: str) -> str:
        """How many missing cells are filled (or listed), and how many are left blank.

        Parameters
        ----------
        what : {"filled", "listed"}
        """
        places = self.missing.any(axis=2)
        columns = np.flatnonzero(places.any(axis=0)).tolist()
        blank = int((self.missing & np.isnan(self.filled)).any(axis=2).sum())
        return _summary(int(places.sum()), [self.column_names[j] for j in columns], what, blank)

    @property
    def any_missing(self) -> bool:
        """Whether there is a missing cell."""
        return bool(self.missing.any())

    def table(self) -> tuple[list[str], Iterator[Record]]:
        """Header and records of the filled table.

        Raises
        ------
        InputError
            A cell holds more than one number, for which a table in text has no place; or there is nothing to fill.
        """
        if self.filled.shape[2] > 1:
            if not self.missing.any():
                raise InputError(NOTHING_MISSING)
            raise InputError(
                f"cells of {self.filled.shape[2]} numbers do not fit into a table of text; add ",
                Hint("cells"),
                " to list the missing cells",
            )

        def records() -> Iterator[Record]:
            for name, row in zip(self.row_names, self.filled[:, :, 0], strict=True):
                yield name, *map(_format_number, row.tolist())

        return [self.id_name, *self.column_names], records()


@dataclass(frozen=True, slots=True, eq=False)
class SparseImputed:
    """A table in sparse form, and what a run's draws say of the missing cells; as :class:`Imputed`.

    Cells are counts, 0/1, categories, or real numbers whose transform keeps zeros.

    Parameters
    ----------
    observed : csr_array of shape (n, p)
        NaN where missing.
    found : TypedImputation
        Of all missing cells.
    words : sequence of str, optional
        What categories are called, where they are words.
    """

    id_name: str
    row_names: Sequence[str]
    column_names: Sequence[str]
    observed: csr_array
    found: TypedImputation
    words: Sequence[str] | None = None

    def cells(self) -> tuple[list[str], Iterator[Record]]:
        """Header and records of the missing cells: row, column, component, figures and value."""
        figures = self.found.figures

        def records() -> Iterator[Record]:
            for place, (i, j) in enumerate(zip(self.found.row, self.found.column, strict=True)):
                numbers = (_format_number(float(of_cells[place])) for of_cells in figures.values())
                value = self._format(float(self.found.value[place]))
                yield self.row_names[i], self.column_names[j], 0, *numbers, value

        return ["row", "column", "component", *figures, "value"], records()

    def summary(self, what: str) -> str:
        """How many missing cells are filled (or listed), and how many are left blank.

        Parameters
        ----------
        what : {"filled", "listed"}
        """
        columns = np.unique(self.found.column).tolist()
        blank = int(np.isnan(self.found.value).sum())
        return _summary(len(self.found), [self.column_names[j] for j in columns], what, blank)

    @property
    def any_missing(self) -> bool:
        """Whether there is a missing cell."""
        return len(self.found) > 0

    def table(self) -> tuple[list[str], Iterator[Record]]:
        """Header and records of the filled table, a row at a time."""
        starts = np.searchsorted(self.found.row, np.arange(len(self.row_names) + 1))

        def records() -> Iterator[Record]:
            for i, name in enumerate(self.row_names):
                row, missing = self.observed[[i]].toarray()[0], slice(starts[i], starts[i + 1])
                row[self.found.column[missing]] = self.found.value[missing]
                yield name, *map(self._format, row.tolist())

        return [self.id_name, *self.column_names], records()

    def _format(self, number: float) -> float | int | str:
        return _format_number(number) if self.words is None else self.words[int(number)]


def _summary(number: int, columns: Sequence[str], what: str, blank: int) -> str:
    if not number:
        return NOTHING_MISSING
    shown = some_names(columns, len(columns))
    left = f", {blank:,} of them blank: nothing is known of their blocks" if blank else ""
    return f"{plural(number, 'missing cell')} of {plural(len(columns), 'column')} ({shown}) {what}{left}"


def impute_table(folder: Path, source: Source) -> Imputed | SparseImputed:
    """Fill in the missing cells of the table that a run was fitted to, by its draws.

    Parameters
    ----------
    folder : Path
        Of a finished run that kept draws.
    source : Source
        The table that was fitted.

    Raises
    ------
    InputError
        The run kept no draws, or the table is another.
    """
    draws = load_draws(folder)
    stays_sparse = is_sparse(source) and keeps_zeros(Transform.from_json(draws.meta.transform).name)
    if draws.meta.cells != DENSE or (draws.dimension == 1 and stays_sparse):
        return _impute_sparse(folder, draws, source)
    return _impute_numbers(folder, draws, source)


def _impute_numbers(folder: Path, draws: Draws, source: Source) -> Imputed:
    order, transform = match_columns(draws, source), Transform.from_json(draws.meta.transform)
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values[:, order] for chunk in chunks])
    _check_rows(len(values), folder, draws, source)
    fitted = Fitted(written_for(folder), "columns", fitted_columns(draws))
    fitted.check(source, order, np.arange(len(values)), observed_cells(values).T)
    names = [name for chunk in chunks for name in chunk.ids or ()] or [str(i) for i in range(len(values))]
    row_order = order_rows(folder, names, source)
    values, names = values[row_order], np.array(names, dtype=object)[row_order].tolist()
    found = impute(draws, transform.apply(values))
    place = found.row, found.column, found.component
    mean, sd = np.full_like(values, np.nan), np.full_like(values, np.nan)
    mean[place], sd[place] = found.mean, found.sd
    missing = np.zeros(values.shape, dtype=np.bool_)
    missing[place] = True
    filled = np.where(missing, transform.inverse(mean, values), values)
    mean, sd = transform.in_plain_units(mean, sd, values)
    return Imputed(id_name_of(source) or "id", names, fitted_columns(draws), missing, mean, sd, filled)


def _impute_sparse(folder: Path, draws: Draws, source: Source) -> SparseImputed:
    order = match_columns(draws, source)
    rows, ids = read_whole(source)
    rows = take_columns(rows, order)
    _check_rows(rows.shape[0], folder, draws, source)
    check_signs(Fitted(written_for(folder), "columns", fitted_columns(draws)), source, order, 0, rows)
    names = ids or [str(i) for i in range(draws.n_rows)]
    row_order = order_rows(folder, names, source)
    rows, names = rows[row_order], np.array(names, dtype=object)[row_order].tolist()
    impute_at = impute_stored if draws.meta.cells == DENSE else impute_typed
    found = impute_at(draws, *find_missing(rows))
    words = draws.meta.facts.get("words")
    return SparseImputed(id_name_of(source) or "id", names, fitted_columns(draws), rows, found, words)


def impute_stored(draws: Draws, rows: Positions, columns: Positions) -> TypedImputation:
    """What the draws say of cells of a table of real numbers whose transform keeps zeros; as :func:`impute_typed`."""
    found, transform = impute_cells(draws, rows, columns), Transform.from_json(draws.meta.transform)
    values = transform.inverse(found.mean.reshape(1, -1, 1), np.zeros((1, len(found), 1))).reshape(-1)
    return TypedImputation(found.row, found.column, values, {"mean": found.mean, "sd": found.sd})


def _check_rows(n: int, folder: Path, draws: Draws, source: Source) -> None:
    if n != draws.n_rows:
        raise InputError(
            f"{source.name} has {n} rows and the run in {folder} was fitted to {draws.n_rows};"
            " give the table that was fitted"
        )


def _format_number(number: float) -> float | int | str:
    """Write a number for a table of text: a whole one without a point, a missing one as a blank."""
    if np.isnan(number):
        return ""
    return int(number) if number.is_integer() and abs(number) < EXACT else number
