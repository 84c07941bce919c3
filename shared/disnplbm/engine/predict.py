"""What a finished run says of new rows and columns, and of the cells that its table lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.cells import some_names
from disnplbm.data.classes import read_labels
from disnplbm.data.dataset import Dataset, ingest, rechunked
from disnplbm.data.matching import find_order, is_counted
from disnplbm.data.source import Source
from disnplbm.data.transform import Transform, fit_transform
from disnplbm.data.transforms.rows import StandardizeRows
from disnplbm.engine.folder import RunFolder
from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.imputation import impute
from disnplbm.posterior.predictive import log_density, predict_proba
from disnplbm.storage.objects import open_store

Record = tuple[Any, ...]

#: Cells of new rows that are judged at a time.
CHUNK_BYTES = 64 * 2**20


def predicted(folder: Path, source: Source, threads: int, axis: Axis = "rows") -> tuple[list[str], Iterator[Record]]:
    """Header and records of the rows (or columns) of a table, judged by a run's draws.

    A record holds the name, the likeliest cluster (-1 for none of them), its probability, that of none of them, and the
    log density of the observed cells.

    Parameters
    ----------
    folder : Path
        Of a finished run that kept draws.
    source : Source
        New rows of the fitted columns; with ``axis="columns"`` new columns of the fitted rows, in memory as a whole.
    threads : int
        The result does not depend on it.
    axis : {"rows", "columns"}

    Raises
    ------
    InputError
        The run kept no draws, or the columns (rows) are others.
    """
    draws = _draws(folder)
    labels = _reported(folder, draws, axis)
    parts = _new_rows(draws, source) if axis == "rows" else _new_columns(folder, draws, source)

    def records() -> Iterator[Record]:
        for names, values in parts:
            shares = predict_proba(draws, labels, values, axis=axis, threads=threads)
            density = log_density(draws, values, axis=axis, threads=threads)
            best = shares.argmax(axis=1)
            for i, name in enumerate(names):
                label = int(best[i]) if best[i] < shares.shape[1] - 1 else -1
                yield name, label, round(float(shares[i, best[i]]), 6), round(float(shares[i, -1]), 6), density[i]

    return ["id", "label", "probability", "none", "log_density"], records()


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


def imputed(folder: Path, source: Source) -> tuple[list[str], Iterator[Record]]:
    """Header and records of the missing cells of the table that a run was fitted to: posterior mean and sd.

    Each record has the value to fill the cell with, in the units of the data. Mean and sd are in the same units; with
    log, log1p or boxcox they are in those after it, since moments have no simple way back, and the value is the mean
    taken back, a number near the median.

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
    draws = _draws(folder)
    order, transform = _matched(draws, source), Transform.from_json(draws.meta.transform)
    chunks = list(source.chunks())
    values = np.concatenate([chunk.values[:, order] for chunk in chunks])
    if len(values) != draws.n_rows:
        raise InputError(
            f"{source.name} has {len(values)} rows and the run in {folder} was fitted to {draws.n_rows};"
            " give the table that was fitted"
        )
    names = [name for chunk in chunks for name in chunk.ids or ()] or [str(i) for i in range(len(values))]
    row_order = _row_order(folder, names, source.name)
    values, names = values[row_order], np.array(names, dtype=object)[row_order].tolist()
    columns = draws.meta.column_names or tuple(str(j) for j in range(draws.n_columns))
    found = impute(draws, transform.apply(values))
    place = found.row, found.column, found.component
    mean, sd = np.full_like(values, np.nan), np.full_like(values, np.nan)
    mean[place], sd[place] = found.mean, found.sd
    filled = transform.inverse(mean, values)
    mean, sd = transform.in_plain_units(mean, sd, values)

    def records() -> Iterator[Record]:
        for i, j, c, _, _ in found.records():
            cells = (float(table[i, j, c]) for table in (mean, sd, filled))
            yield (names[i], columns[j], c, *("" if np.isnan(cell) else cell for cell in cells))

    return ["row", "column", "component", "mean", "sd", "value"], records()


def _new_rows(draws: Draws, source: Source) -> Iterator[tuple[list[str], Floats]]:
    """Names and transformed cells of new rows, some at a time."""
    order, transform = _matched(draws, source), Transform.from_json(draws.meta.transform)

    def parts() -> Iterator[tuple[list[str], Floats]]:
        start = 0
        # Every draw is read once for each chunk.
        for chunk in rechunked(source.chunks(), max(1, CHUNK_BYTES // (8 * draws.n_columns * draws.dimension))):
            values = transform.apply(chunk.values[:, order])
            yield chunk.ids or [str(start + i) for i in range(len(values))], values
            start += len(values)

    return parts()


def _new_columns(folder: Path, draws: Draws, source: Source) -> Iterator[tuple[list[str], Floats]]:
    """Names and transformed cells of new columns, all at once."""
    dataset, values = new_columns(draws, source)
    names = dataset.row_names if dataset.has_row_names else None
    values = values[_row_order(folder, names, source.name)]
    return iter([(list(source.column_names), values)])


def _row_order(folder: Path, names: list[str] | None, table: str) -> NDArray[np.intp] | slice:
    """Where the fitted rows stand in a table."""
    fitted = read_labels(folder / "rows.csv").ids
    return find_order(names, fitted, "row", f"rows of {table}", f"the run in {folder}")


def _reported(folder: Path, draws: Draws, axis: Axis) -> NDArray[np.int64]:
    """The reported labels of the fitted rows or columns."""
    path = folder / f"{axis}.csv"
    words = read_labels(path).labels
    if len(words) != draws.length(axis) or not all(word.isascii() and word.isdigit() for word in words):
        raise InputError(f"{path} is damaged or not of the run that draws.npz is of; fit again with --force")
    return np.array(words, dtype=np.int64)


def _draws(folder: Path) -> Draws:
    if not (folder / "run.json").is_file():
        raise InputError(f"{folder} holds no finished run; give the output folder of `disnplbm fit`")
    path = RunFolder(folder).draws
    if not path.is_file():
        raise InputError(f"the run in {folder} kept no draws; fit again with --burn-in or --draws")
    return open_draws(path)


def _matched(draws: Draws, source: Source) -> NDArray[np.intp]:
    """Where the fitted columns stand in a table: by their names, or by position where one of the two has none."""
    names = list(source.column_names)
    fitted = list(draws.meta.column_names or names)
    _check_dimension(draws, source)
    if len(names) != draws.n_columns:
        # What the reader says of columns of text is of more use.
        next(iter(source.chunks()), None)
        known = set(fitted)
        extra = [name for name in names if name not in known] if len(names) > draws.n_columns else []
        shown = some_names(map(repr, extra), len(extra))
        hint = f", without {shown} (--drop-column, or --id-column if it names the rows)" if extra else ""
        raise InputError(
            f"{source.name} has {len(names)} columns, and the run was fitted to {draws.n_columns}; give the same"
            f" columns{hint}"
        )
    place = {name: j for j, name in enumerate(names)}
    unknown = [name for name in fitted if name not in place]
    if len(place) < len(names) or (unknown and (is_counted(names) or is_counted(fitted))):
        return np.arange(len(names))
    if unknown:
        raise InputError(f"{source.name} has no column {unknown[0]!r}, which was fitted; give the same columns")
    return np.array([place[name] for name in fitted])


def _check_dimension(draws: Draws, source: Source) -> None:
    if source.dimension != draws.dimension:
        raise InputError(
            f"{source.name} has cells of {source.dimension} numbers, and the run was fitted to cells of"
            f" {draws.dimension}; give the same kind of cells"
        )
