"""What a finished run says of new rows and columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.data.classes import read_labels
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.factors import NewFactors, check_for_counts, match_factors
from disnplbm.data.matching import LabelList
from disnplbm.data.rechunk import rechunk, rechunk_sparse
from disnplbm.data.table import Source
from disnplbm.data.transform import Transform, fit_transform
from disnplbm.data.transforms.rows import StandardizeRows
from disnplbm.data.written import Fitted
from disnplbm.engine.as_fitted import written_for
from disnplbm.engine.matched import (
    check_dimension,
    fitted_columns,
    load_draws,
    load_reported,
    match_columns,
    observed_cells,
    order_rows,
)
from disnplbm.engine.typed_tables import check_new_columns, check_signs, read_whole, sparse_stretches, take_columns
from disnplbm.errors import InputError
from disnplbm.families.predicting import NewItems
from disnplbm.model.statistics import Floats
from disnplbm.notes import plural
from disnplbm.objects.store import open_store
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.predictive import log_density, predict_proba
from disnplbm.posterior.typed_predictive import judge, read_new

Record = tuple[Any, ...]

#: Cells of new rows that are judged at a time.
CHUNK_BYTES = 64 * 2**20

#: Probabilities of new rows that are held at a time, where rows are sparse.
PROBABILITIES_AT_ONCE = 2**25

#: Sparse rows that stay together when a table is cut.
STRETCH = 256


class _Part(NamedTuple):
    """New rows or columns; of real numbers transformed, shape (m, p, d) or (n, m, d)."""

    names: list[str]
    items: Floats | NewItems
    classes: list[str] | None


def predict_table(
    folder: Path,
    source: Source,
    threads: int,
    axis: Axis = "rows",
    *,
    classed: bool = False,
    factors: LabelList[float] | None = None,
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
    factors : LabelList of float, optional
        Of the new rows (columns), for a run on counts that was fitted with factors.

    Raises
    ------
    InputError
        The run kept no draws, or the columns (rows) are others.
    """
    draws = load_draws(folder)
    labels = load_reported(folder, draws, axis)
    if factors is not None:
        check_for_counts(draws.meta.cells)
    if draws.meta.cells == DENSE:
        parts = _new_rows(folder, draws, source) if axis == "rows" else _new_columns(folder, draws, source)
    else:
        new = _new_typed_rows if axis == "rows" else _new_typed_columns
        parts = new(folder, draws, source, int(labels.max()) + 1, factors)

    def records() -> Iterator[Record]:
        ignored = 0
        for names, items, classes in parts:
            if isinstance(items, NewItems):
                shares, density = judge(draws, labels, items, axis, threads)
                ignored += items.ignored
            else:
                shares = predict_proba(draws, labels, items, axis=axis, threads=threads)
                density = log_density(draws, items, axis=axis, threads=threads)
            best = shares.argmax(axis=1)
            for i, name in enumerate(names):
                label = int(best[i]) if best[i] < shares.shape[1] - 1 else -1
                sure, none = round(float(shares[i, best[i]]), 6), round(float(shares[i, -1]), 6)
                yield name, label, sure, none, density[i], *([classes[i]] if classed and classes else [])
        if ignored:
            source.notes.append(_ignored_note(ignored, source, axis))

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
        raise _other_rows(source, dataset.n, draws)
    check_dimension(draws, source)
    fitted = Transform.from_json(draws.meta.transform).name
    if StandardizeRows.kind in fitted.split(","):
        raise InputError(
            f"new columns cannot be judged after {fitted}: {StandardizeRows.kind} goes by whole rows, and a new column"
            " has one cell of each; fit again without it"
        )
    transform, _ = fit_transform(dataset, fitted)
    return dataset, np.concatenate([transform.apply(values) for _, values in dataset.arrays()])


def _new_rows(folder: Path, draws: Draws, source: Source) -> Iterator[_Part]:
    """Names, transformed cells and classes of new rows, some at a time."""
    order, transform = match_columns(draws, source), Transform.from_json(draws.meta.transform)
    fitted = Fitted(written_for(folder), "columns", fitted_columns(draws))

    def parts() -> Iterator[_Part]:
        start = 0
        # Every draw is read once for each chunk.
        for chunk in rechunk(source.chunks(), max(1, CHUNK_BYTES // (8 * draws.n_columns * draws.dimension))):
            values = chunk.values[:, order]
            fitted.check(source, order, np.arange(start, start + len(values)), observed_cells(values).T)
            values = transform.apply(values)
            yield _Part(chunk.ids or [str(start + i) for i in range(len(values))], values, chunk.classes)
            start += len(values)

    return parts()


def _new_columns(folder: Path, draws: Draws, source: Source) -> Iterator[_Part]:
    """Names and transformed cells of new columns, all at once."""
    dataset, values = new_columns(draws, source)
    names = dataset.row_names if dataset.has_row_names else None
    order = order_rows(folder, names, source)
    values = values[order]
    fitted = Fitted(written_for(folder), "rows", read_labels(folder / "rows.csv").ids or dataset.row_names)
    fitted.check(source, np.arange(dataset.n)[order], np.arange(dataset.p), observed_cells(values))
    return iter([_Part(list(source.column_names), values, None)])


def _new_typed_rows(
    folder: Path, draws: Draws, source: Source, n_clusters: int, factors: LabelList[float] | None
) -> Iterator[_Part]:
    """New rows of counts, 0/1 or categories, some at a time."""
    order = match_columns(draws, source)
    names = [source.column_names[j] for j in order]
    fitted = Fitted(written_for(folder), "columns", fitted_columns(draws))

    ahead = None if factors is None else NewFactors(factors, source.name)

    def parts() -> Iterator[_Part]:
        named = False
        start, most = 0, PROBABILITIES_AT_ONCE // (n_clusters + 1)
        # Every draw is read once for each chunk.
        for chunk in rechunk_sparse(sparse_stretches(source), STRETCH, max(most, 1)):
            rows = take_columns(chunk.values, order)
            check_signs(fitted, source, order, start, rows)
            own, named = None if ahead is None else ahead.take(chunk.ids, rows.shape[0]), chunk.ids is not None
            items = read_new(draws, rows, first=start, column_names=names, factors=own)
            yield _Part(chunk.ids or [str(start + i) for i in range(rows.shape[0])], items, chunk.classes)
            start += rows.shape[0]
        if ahead is not None:
            source.notes.append(ahead.finish(named=named))

    return parts()


def _new_typed_columns(
    folder: Path,
    draws: Draws,
    source: Source,
    n_clusters: int,  # noqa: ARG001 - they are there all at once
    factors: LabelList[float] | None,
) -> Iterator[_Part]:
    """New columns of counts, 0/1 or categories, all at once."""
    check_dimension(draws, source)
    rows, names = read_whole(source)
    if rows.shape[0] != draws.n_rows:
        raise _other_rows(source, rows.shape[0], draws)
    order = order_rows(folder, names, source)
    matched = rows[order]
    fitted = Fitted(written_for(folder), "rows", read_labels(folder / "rows.csv").ids or names or _counted(draws))
    check_signs(fitted, source, np.arange(draws.n_rows)[order], 0, csr_array(matched.T.tocsr()))
    # A cell that cannot be is named by its place in the file.
    check_new_columns(draws, source, rows)
    own = None
    if factors is not None:
        own, notes = match_factors(factors, source.column_names, "column", source.name)
        source.notes += notes
    return iter([_Part(list(source.column_names), read_new(draws, matched, "columns", factors=own), None)])


def _counted(draws: Draws) -> list[str]:
    return [str(i) for i in range(draws.n_rows)]


def _other_rows(source: Source, n: int, draws: Draws) -> InputError:
    return InputError(f"{source.name} has {n} rows, and the run was fitted to {draws.n_rows}; give the same rows")


def _ignored_note(number: int, source: Source, axis: Axis) -> str:
    """What is said of counts where the fitted table holds nothing but zeros."""
    where = "columns" if axis == "rows" else "rows"
    return (
        f"{plural(number, 'count')} of {source.name} left out: in the run's table, their {where} hold nothing but 0,"
        " so the run cannot tell how many to expect there"
    )
