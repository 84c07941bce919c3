"""Lines of a long table about a finished run on responses: those without a response are predicted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from disnplbm.data.classes import read_labels
from disnplbm.data.covariates import RESPONSES, GivenCovariates
from disnplbm.data.long import LongSource
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.matched import load_draws
from disnplbm.errors import InputError
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.families.responses.table import covariates_of
from disnplbm.model.statistics import Floats
from disnplbm.notes import Note, plural
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.response_prediction import Asked, Predicted, predict_responses

Places = NDArray[np.int64]


#: What is told of each cell that is predicted.
HEADER = ["row", "column", "mean", "sd", "low", "high"]


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines of a long table, M of them.

    Parameters
    ----------
    rows, columns : sequence of str
        Names.
    responses : ndarray of shape (M,)
        NaN where it is to be predicted.
    covariates : ndarray of shape (M, c)
        Of the cells.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    responses: Floats
    covariates: Floats


class Answer(NamedTuple):
    """Which lines were predicted, what of them, and notes."""

    lines: Places
    predicted: Predicted
    notes: list[str]


class _Axis(NamedTuple):
    """Known and new rows (columns), and their covariates in the working units."""

    place: dict[str, int]
    n_known: int
    covariates: Floats  # (known + new, a)

    @property
    def n_new(self) -> int:
        return len(self.place) - self.n_known

    def places(self, names: Sequence[str]) -> Places:
        return np.array([self.place[name] for name in names], dtype=np.int64)


def predict_lines(
    draws: Draws,
    row_names: Sequence[str],
    lines: Lines,
    row_covariates: GivenCovariates | None = None,
    column_covariates: GivenCovariates | None = None,
) -> Answer:
    """Predict the lines that have no response.

    Responses of a new row in known columns, or of a new column in known rows, say where it belongs.

    Parameters
    ----------
    row_names : sequence of str
        Of the fitted rows.
    row_covariates, column_covariates : GivenCovariates, optional
        Of the new rows, and of the new columns, by their names.

    Raises
    ------
    InputError
        A covariate is lacking or missing, or there is nothing to predict.
    """
    facts = draws.meta.facts
    centre, scale = np.array(facts["centre"]), np.array(facts["scale"])
    fitted = covariates_of(facts)
    a, b = len(fitted.row_names), len(fitted.column_names)
    if lines.covariates.shape[1] != len(facts["names"]) - a - b:
        named = ", ".join(facts["names"][a + b :]) or "none"
        raise InputError(
            f"a line has {plural(lines.covariates.shape[1], 'covariate')} of its cell; the run has {named}"
        )
    column_names = draws.meta.column_names or [str(j) for j in range(draws.n_columns)]
    rows = _axis("row", row_names, lines.rows, fitted.rows, fitted.row_names, row_covariates, centre[:a], scale[:a])
    columns = _axis(
        "column", column_names, lines.columns, fitted.columns, fitted.column_names, column_covariates,
        centre[a : a + b], scale[a : a + b],
    )  # fmt: skip
    at_rows, at_columns = rows.places(lines.rows), columns.places(lines.columns)
    of_cells = (lines.covariates - centre[a + b : -1]) / scale[a + b : -1]
    responses = (lines.responses - centre[-1]) / scale[-1]
    asked = np.flatnonzero(np.isnan(responses))
    if not len(asked):
        raise InputError(
            "every line has a response, so there is nothing to predict: leave it blank where it is asked for"
        )
    u = np.column_stack([np.ones(len(at_rows)), rows.covariates[at_rows], columns.covariates[at_columns], of_cells])
    missing = np.argwhere(np.isnan(u))
    if len(missing):
        line, at = missing[0]
        raise InputError(
            f"covariate {facts['names'][at - 1]} of row {lines.rows[line]} and column {lines.columns[line]} is missing:"
            " give it, or leave the line out"
        )
    seen = ~np.isnan(responses)
    new_row, new_column = at_rows >= rows.n_known, at_columns >= columns.n_known
    given = responses, of_cells
    of_rows = _cells(
        seen & new_row & ~new_column, at_rows - rows.n_known, at_columns, *given, rows, columns, first=False
    )
    of_columns = _cells(
        seen & new_column & ~new_row, at_columns - columns.n_known, at_rows, *given, columns, rows, first=True
    )
    found = predict_responses(draws, Asked(at_rows[asked], at_columns[asked], u[asked]), of_rows, of_columns)
    unused = int((seen & (new_row == new_column)).sum())
    notes = (
        [f"{plural(unused, 'response')} of known rows in known columns, or of new in new ones, left out"]
        if unused
        else []
    )
    return Answer(asked, found, notes)


def is_of_responses(folder: Path) -> bool:
    """Whether a finished run was fitted to responses."""
    return bool(RunFolder(folder).load_record()["data"].get("cells") == RESPONSES)


def predict_file(
    folder: Path,
    path: Path,
    reading: Reading,
    row_covariates: GivenCovariates | None = None,
    column_covariates: GivenCovariates | None = None,
) -> tuple[list[tuple[Any, ...]], list[str | Note]]:
    """Predict the lines of a long table that have no response, by a finished run: records of :data:`HEADER`, and notes.

    Raises
    ------
    InputError
        As :func:`predict_lines`, or the file is no long table, or the run kept no draws.
    """
    draws = load_draws(folder)
    several = len(draws.meta.facts["names"]) > sum(len(names) for names in covariates_of(draws.meta.facts)[2:])
    source = open_source(path, reading.but(layout="long", words="no", cell_covariates=several))
    assert isinstance(source, LongSource)
    parts = list(source.read_lines())
    rows = [name for names, _, _ in parts for name in names]
    columns = [name for _, names, _ in parts for name in names]
    numbers = np.concatenate([values for _, _, values in parts])
    lines = Lines(rows, columns, numbers[:, 0], numbers[:, 1:])
    known = read_labels(folder / "rows.csv").ids or [str(i) for i in range(draws.n_rows)]
    answer = predict_lines(draws, known, lines, row_covariates, column_covariates)
    told = zip(*(part.tolist() for part in answer.predicted), strict=True)
    records = [(rows[line], columns[line], *numbers) for line, numbers in zip(answer.lines, told, strict=True)]
    return records, [*source.notes, *answer.notes]


def _axis(
    noun: str,
    known: Sequence[str],
    asked: Sequence[str],
    fitted: Floats,
    names: Sequence[str],
    given: GivenCovariates | None,
    centre: Floats,
    scale: Floats,
) -> _Axis:
    place = {name: i for i, name in enumerate(known)}
    new = [name for name in dict.fromkeys(asked) if name not in place]
    values = np.empty((len(new), len(names)))
    if new and names:
        values = _covariates_of_new(noun, new, names, given)
    place |= {name: len(known) + i for i, name in enumerate(new)}
    return _Axis(place, len(known), (np.concatenate([fitted, values]) - centre) / scale)


def _covariates_of_new(noun: str, new: Sequence[str], names: Sequence[str], given: GivenCovariates | None) -> Floats:
    if given is None or given.ids is None:
        raise InputError(
            f"{noun} {new[0]} is new, and responses depend on {', '.join(names)}: give the covariates of new {noun}s by"
            " name"
        )
    there = {name.removeprefix(f"{noun} "): j for j, name in enumerate(given.names)}
    lacking = [name for name in names if name.removeprefix(f"{noun} ") not in there]
    if lacking:
        raise InputError(f"the covariates of new {noun}s lack {lacking[0]}, which the run has: give the same ones")
    places = given.places()
    unknown = [name for name in new if name not in places]
    if unknown:
        raise InputError(f"{noun} {unknown[0]} is new, and has no covariates: give them, by its name")
    order = [there[name.removeprefix(f"{noun} ")] for name in names]
    return np.asarray(given.values[[places[name] for name in new]][:, order])


def _cells(
    used: NDArray[np.bool_],
    items: Places,
    others: Places,
    responses: Floats,
    of_cells: Floats,
    axis: _Axis,
    other: _Axis,
    *,
    first: bool,
) -> SparseResponses:
    """The seen responses of new items among the fitted others."""
    at = np.flatnonzero(used)
    places: Any = csr_array((at + 1, (items[at], others[at])), (axis.n_new, other.n_known))
    if places.nnz < len(at):
        raise InputError(
            "a new row and a column, or a row and a new column, have two responses: keep one line for each"
        )
    places.sort_indices()
    at = places.data - 1
    return SparseResponses(
        places.indptr.astype(np.int64),
        places.indices.astype(np.int32),
        responses[at],
        np.nan_to_num(axis.covariates[axis.n_known :]),
        np.nan_to_num(other.covariates[: other.n_known]),
        of_cells[at],
        others_first=first,
    )
