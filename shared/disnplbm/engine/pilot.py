"""A few iterations on a sample of a table: how many clusters a run will have, for the forecast of its time."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import DENSE
from disnplbm.data.advice import Advice
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.forecast import Clusters
from disnplbm.data.moments import Moments
from disnplbm.data.responses import deal_responses
from disnplbm.data.sample import Sample
from disnplbm.data.sharding import Axis, cut_axis
from disnplbm.data.transform import fit_transform
from disnplbm.data.typed import deal_cells
from disnplbm.engine.drive import InMemory, Step, run_one
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem, problem_of_dealt
from disnplbm.engine.warmup import warm_up
from disnplbm.model.statistics import Floats, Labels
from disnplbm.posterior.scores import contingency

ITERATIONS = 10
"""After so many the numbers of clusters are about those that stay."""

TYPED_ITERATIONS = 40
"""The same of counts, 0/1 and categories, whose iterations take turns."""

BETWEEN = 5
"""Iterations between the two states that say which items move."""

THINNED, LEAST = 4, 64
"""Where the table is larger than the sample, a second pilot on every so-manieth row, of at least so many."""

STEEPEST = 0.75
"""Clusters grow at most with this power of the number of rows or columns."""

WHOLE, PART, UNKNOWN = 1.5, 2.0, 4.0
"""Factors by which times may be off: the sample is the whole table, a part of it, or there was no pilot."""

GUESS = Clusters(rows=10, columns=10, rows_moved=0.05, columns_moved=0.05, uncertainty=UNKNOWN)
"""For cells of several numbers, whose kernels would take minutes to compile first."""


def pilot(sample: Sample, rows: int, columns: int, advice: Advice, cells: str = DENSE) -> Clusters:
    """Expect clusters of a table.

    Parameters
    ----------
    rows, columns : int
        Of the table.
    advice : Advice
        Its transform is applied.
    cells : str
        Type of the cells.
    """
    here = sample.cells
    if here.shape[2] > 1 or not np.isfinite(here).any() or (cells != DENSE and not np.nansum(here)):
        return GUESS
    warm_up(1, Options(cells=cells).resolved(1, cells), complete=bool(np.isfinite(here).all()))
    values = fit_transform(_InMemory(here, sample.columns), advice.transform)[0].apply(here)
    cut = cut_axis(rows, columns, cells)
    found, moved = _run(values, cut, cells)
    for axis, length in ((0, rows), (1, columns)):
        size = values.shape[axis]
        thin = values[::THINNED] if axis == 0 else values[:, ::THINNED]
        if length > size and thin.shape[axis] >= LEAST:
            fewer, _ = _run(thin, cut, cells)
            steepness = np.clip(np.log(found / fewer) / math.log(size / thin.shape[axis]), 0.0, STEEPEST)
            found = found * (length / size) ** steepness
    whole = (rows, columns) == values.shape[:2]
    of_rows, of_columns = np.minimum(found, [rows, columns]).tolist()
    return Clusters(of_rows, of_columns, *moved, WHOLE if whole else PART)


def _run(values: Floats, axis: Axis, cells: str) -> tuple[Floats, tuple[float, float]]:
    """Numbers of row and column clusters, shape (2,), and shares of rows and of columns that moved."""
    build, length = (_problem, ITERATIONS) if cells == DENSE else (_typed_problem, TYPED_ITERATIONS)
    problem = build(values, axis, Options(iterations=length, cells=cells))
    states = list[tuple[Labels, Labels]]()

    def see(step: Step) -> bool:
        if step.iteration in (length - BETWEEN, length):
            result = problem.result(step.state, step.trace)
            states.append((result.row_labels, result.column_labels))
        return False

    run_one(problem, length, problem.start("random"), InMemory(see))
    rows, columns = (
        float(1 - contingency(before, after).max(axis=1).sum() / len(after))
        for before, after in zip(*states, strict=True)
    )
    return np.array([len(np.unique(labels)) for labels in states[-1]], dtype=np.float64), (rows, columns)


def _problem(values: Floats, axis: Axis, options: Options) -> Problem:
    moments = Moments(1)
    moments.add(values)
    shard = np.ascontiguousarray(values if axis == "rows" else values.transpose(1, 0, 2))
    complete = moments.count == values.size
    return build_problem([shard], 1, options, axis, moments.mean, moments.covariance, moments.count, complete=complete)


def _typed_problem(values: Floats, axis: Axis, options: Options) -> Problem:
    table = _InMemory(values, np.arange(values.shape[1]))
    if options.cells == RESPONSES:
        dealt = deal_responses(table, lambda: [(0, values)], covariates=None, transform="none", n_shards=1, axis=axis)
        return problem_of_dealt(dealt.prepared, dealt.shards, options)
    dealt = deal_cells(
        table,
        lambda: [(0, csr_array(values[..., 0]))],
        table.column_names,
        cells=options.cells,
        exposure=options.exposure,
        transform="none",
        n_shards=1,
        axis=axis,
    )
    return problem_of_dealt(dealt.prepared, dealt.shards, options)


class _InMemory:
    """A sample as a table to fit a transform to."""

    def __init__(self, cells: Floats, columns: np.ndarray) -> None:
        self.n, self.p, self.dimension = cells.shape
        self.column_names = [str(j) for j in columns]
        self._cells = cells

    def arrays(self) -> Iterator[tuple[int, Floats]]:
        """All of it."""
        yield 0, self._cells
