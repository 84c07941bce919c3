"""What a finished run says of new rows and columns, and of the cells that its table lacks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import some_names
from disnplbm.data.classes import read_labels
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.matching import find_order, is_counted
from disnplbm.data.named import id_name_of
from disnplbm.data.rechunk import rechunk
from disnplbm.data.table import Source
from disnplbm.data.transform import Transform, fit_transform
from disnplbm.data.transforms.rows import StandardizeRows
from disnplbm.data.written import Fitted
from disnplbm.engine.as_fitted import written_for
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, plural
from disnplbm.objects.store import open_store
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.imputation import impute
from disnplbm.posterior.predictive import log_density, predict_proba

Record = tuple[Any, ...]

NOTHING_MISSING = "no cell is missing, so there is nothing to impute"

#: Whole numbers below are exact as floating point numbers.
EXACT = 2**53

_Part = tuple[list[str], Floats, list[str] | None]

#: Cells of new rows that are judged at a time.
CHUNK_BYTES = 64 * 2**20


def predict_table(
    folder: Path, source: Source, threads: int, axis: Axis = "rows", *, classed: bool = False
) -> tuple[list[str], Iterator[Record]]:
    """Assign the rows (or columns) of a table to clusters by a run's draws; header and records.

    A record holds the name, the likeliest cluster (-1 for none of them), its probability, the probability of
    none of them, the log density of the observed cells and, if asked for, the row's class.

    Parameters
    ----------
    folder : Path
        Of a finished run that kept draws.
    source : Source
        New rows of the fitted columns; with ``axis="columns"`` new columns of the fitted rows, in memory as a whole.
    threads : int
        The result does not depend on it.
    axis : {"rows", "columns"}
    classed : bool
        Whether the source has a column of classes, and records end with it.

    Raises
    ------
    InputError
        The run kept no draws, or the columns (rows) are others.
    """
    draws = _load_draws(folder)
    labels = _load_reported(folder, draws, axis)
    parts = _new_rows(folder, draws, source) if axis == "rows" else _new_columns(folder, draws, source)

    def records() -> Iterator[Record]:
        for names, values, classes in parts:
            shares = predict_proba(draws, labels, values, axis=axis, threads=threads)
            density = log_density(draws, values, axis=axis, threads=threads)
            best = shares.argmax(axis=1)
            for i, name in enumerate(names):
                label = int(best[i]) if best[i] < shares.shape[1] - 1 else -1
                sure, none = round(float(shares[i, best[i]]), 6), round(float(shares[i, -1]), 6)
                yield name, label, sure, none, density[i], *([classes[i]] if classed and classes else [])

    return ["id", "label", "probability", "none", "log_density", *(["class"] if classed else [])], records()


def new_columns(draws: Draws, source: Source) -> tuple[Dataset, Floats]:
    """New columns of the fitted rows, each transformed by what it holds itself, as the fitted ones were.

    Returns
    -------
    dataset : Dataset
    values : ndarray of shape (n, m, d)

    Raises
    ------
    InputError
        There are other rows than were fitted, cells of another kind, or a value outside of the transform's domain.
    """
    dataset = ingest(source, open_store("memory://"), "new")
    if dataset.n != draws.n_rows:
        raise InputError(
            f"{source.name} has {dataset.n} rows, and the run was fitted to {draws.n_rows}; give the same rows"
        )
    _check_dimension(draws, source)
    fitted = Transform.from_json(draws.meta.transform).name
    if StandardizeRows.kind in fitted.split(","):
        raise InputError(
            f"new columns cannot be judged after {fitted}: {StandardizeRows.kind} goes by whole rows, and a new column"
            " has one cell of each; fit again without it"
        )
    transform, _ = fit_transform(dataset, fitted)
    return dataset, np.concatenate([transform.apply(values) for _, values in dataset.arrays()])


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
        if not columns:
            return NOTHING_MISSING
        shown = some_names((self.column_names[j] for j in columns), len(columns))
        where = f"{plural(len(columns), 'column')} ({shown})"
        left = f", {blank:,} of them blank: nothing is known of their blocks" if blank else ""
        return f"{plural(int(places.sum()), 'missing cell')} of {where} {what}{left}"

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


def impute_table(folder: Path, source: Source) -> Imputed:
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
    draws = _load_draws(folder)
    order, transform = _match_columns(draws, source), Transform.from_json(draws.meta.transform)
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values[:, order] for chunk in chunks])
    if len(values) != draws.n_rows:
        raise InputError(
            f"{source.name} has {len(values)} rows and the run in {folder} was fitted to {draws.n_rows};"
            " give the table that was fitted"
        )
    fitted = Fitted(written_for(folder), "columns", _column_names(draws))
    fitted.check(source, order, np.arange(len(values)), _observed(values).T)
    names = [name for chunk in chunks for name in chunk.ids or ()] or [str(i) for i in range(len(values))]
    row_order = _row_order(folder, names, source)
    values, names = values[row_order], np.array(names, dtype=object)[row_order].tolist()
    found = impute(draws, transform.apply(values))
    place = found.row, found.column, found.component
    mean, sd = np.full_like(values, np.nan), np.full_like(values, np.nan)
    mean[place], sd[place] = found.mean, found.sd
    missing = np.zeros(values.shape, dtype=np.bool_)
    missing[place] = True
    filled = np.where(missing, transform.inverse(mean, values), values)
    mean, sd = transform.in_plain_units(mean, sd, values)
    return Imputed(id_name_of(source) or "id", names, _column_names(draws), missing, mean, sd, filled)


def _format_number(number: float) -> float | int | str:
    """Write a number for a table of text: a whole one without a point, a missing one as a blank."""
    if np.isnan(number):
        return ""
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def _new_rows(folder: Path, draws: Draws, source: Source) -> Iterator[_Part]:
    """Names, transformed cells and classes of new rows, some at a time."""
    order, transform = _match_columns(draws, source), Transform.from_json(draws.meta.transform)
    fitted = Fitted(written_for(folder), "columns", _column_names(draws))

    def parts() -> Iterator[_Part]:
        start = 0
        # Every draw is read once for each chunk.
        for chunk in rechunk(source.chunks(), max(1, CHUNK_BYTES // (8 * draws.n_columns * draws.dimension))):
            values = chunk.values[:, order]
            fitted.check(source, order, np.arange(start, start + len(values)), _observed(values).T)
            values = transform.apply(values)
            yield chunk.ids or [str(start + i) for i in range(len(values))], values, chunk.classes
            start += len(values)

    return parts()


def _new_columns(folder: Path, draws: Draws, source: Source) -> Iterator[_Part]:
    """Names and transformed cells of new columns, all at once."""
    dataset, values = new_columns(draws, source)
    names = dataset.row_names if dataset.has_row_names else None
    order = _row_order(folder, names, source)
    values = values[order]
    fitted = Fitted(written_for(folder), "rows", read_labels(folder / "rows.csv").ids or dataset.row_names)
    fitted.check(source, np.arange(dataset.n)[order], np.arange(dataset.p), _observed(values))
    return iter([(list(source.column_names), values, None)])


def _row_order(folder: Path, names: list[str] | None, source: Source) -> NDArray[np.intp] | slice:
    """Where the fitted rows stand in a table; a note of the source says if they are not in their order."""
    fitted = read_labels(folder / "rows.csv").ids
    order = find_order(names, fitted, "row", f"rows of {source.name}", f"the run in {folder}")
    if not isinstance(order, slice) and (np.diff(order) != 1).any():
        source.notes.append(_other_order("rows", source))
    return order


def _other_order(noun: str, source: Source) -> str:
    return f"the {noun} of {source.name} are in another order than those fitted: matched by their names"


def _load_reported(folder: Path, draws: Draws, axis: Axis) -> NDArray[np.int64]:
    """Load the reported labels of the fitted rows or columns."""
    path = folder / f"{axis}.csv"
    words = read_labels(path).labels
    if len(words) != draws.length(axis) or not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(f"{path} is damaged or not of the run that draws.npz is of; fit again with ", Hint("force"))
    return np.array(words, dtype=np.int64)


def _load_draws(folder: Path) -> Draws:
    if not (folder / "run.json").is_file():
        raise InputError(f"{folder} holds no finished run; give the output folder of `disnplbm fit`")
    path = RunFolder(folder).draws
    if not path.is_file():
        raise InputError(
            f"the run in {folder} kept no draws; fit again with ", Hint("burn_in", 100), ", which keeps some"
        )
    draws = open_draws(path)
    # Those that the reported partitions come from; runs before this was written have the draws of all chains.
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    chains = record.get("posterior", {}).get("chains")
    return draws if chains is None else draws.select(np.flatnonzero(np.isin(draws.numbers().chain, chains)))


def _match_columns(draws: Draws, source: Source) -> NDArray[np.intp]:
    """Find where the fitted columns stand in a table: by their names, or by position where one of the two has none."""
    names = list(source.column_names)
    fitted = list(draws.meta.column_names or names)
    _check_dimension(draws, source)
    if len(names) != draws.n_columns:
        # What the reader says of columns of text is of more use.
        next(iter(source.chunks()), None)
        raise InputError(
            f"{source.name} has {len(names)} columns, and the run was fitted to {draws.n_columns}; give the same"
            " columns",
            *_differences(names, fitted),
        )
    place = {name: j for j, name in enumerate(names)}
    unknown = [name for name in fitted if name not in place]
    counted = is_counted(names) or is_counted(fitted)
    by_position = len(place) < len(names) or bool(unknown and counted)
    if by_position or (counted and names == fitted):
        why = f"{source.name} has no column names"
        if not is_counted(names):
            why = "the run's table had no column names" if counted else f"names of columns repeat in {source.name}"
        source.notes.append(f"{why}: its columns are taken in the order of those that were fitted")
        return np.arange(len(names))
    if unknown:
        raise InputError(f"{source.name} has no column {unknown[0]!r}, which was fitted; give the same columns")
    if names != fitted:
        source.notes.append(_other_order("columns", source))
    return np.array([place[name] for name in fitted])


def _column_names(draws: Draws) -> Sequence[str]:
    return draws.meta.column_names or [str(j) for j in range(draws.n_columns)]


def _observed(values: Floats) -> NDArray[np.bool_]:
    return ~np.isnan(values[:, :, 0])


def _differences(names: Sequence[str], fitted: Sequence[str]) -> tuple[str | Hint, ...]:
    """What to change in a table with another number of columns."""
    theirs, known = set(names), set(fitted)
    extra, lost = [name for name in names if name not in known], [name for name in fitted if name not in theirs]
    if lost and not is_counted(fitted) and not is_counted(names):
        shown = some_names(map(repr, lost), len(lost))
        swapped = (
            *("; if rows and columns are swapped in it, add ", Hint("transpose", True), " (or "),
            *(Hint("transpose", False), ", where the run was fitted with ", Hint("transpose", True), ")"),
        )
        return (f" (it lacks {shown})", *(swapped if len(lost) == len(fitted) else ()))
    if len(names) <= len(fitted) or is_counted(fitted) != is_counted(names) or not extra:
        return ()
    shown = some_names(map(repr, extra), len(extra))
    return (f", without {shown} (", Hint("drop_columns"), ", or ", Hint("id_column"), " if it names the rows)")


def _check_dimension(draws: Draws, source: Source) -> None:
    if source.dimension != draws.dimension:
        raise InputError(
            f"{source.name} has cells of {source.dimension} numbers, and the run was fitted to cells of"
            f" {draws.dimension}; give the same kind of cells"
        )
