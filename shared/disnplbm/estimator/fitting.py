"""A fit: from a table and the options of a run to its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from disnplbm.cell_types import DENSE
from disnplbm.data.array import ArraySource
from disnplbm.data.cell_choice import Chosen, choose_cells, choose_for_words
from disnplbm.data.covariates import check_for_responses
from disnplbm.data.factors import check_for_counts
from disnplbm.data.fitted_table import FittedTable
from disnplbm.data.memory import available_bytes, check_memory, needed_bytes
from disnplbm.data.prepared import Prepared
from disnplbm.data.sparse_numbers import is_kept_sparse
from disnplbm.data.transform import NONE, Transform, check_transform, keeps_zeros
from disnplbm.data.typed import count_stored, csr_chunks
from disnplbm.data.working import SparseTable, TypedTable, WorkingTable
from disnplbm.engine.drive import Ended, InMemory, Step, drive
from disnplbm.engine.findings import Findings, find
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem, problem_of_dealt
from disnplbm.engine.stages import Stages
from disnplbm.engine.summary import notes_on
from disnplbm.engine.warmup import warm_up
from disnplbm.errors import InputError
from disnplbm.families.cell_type import Factors
from disnplbm.families.responses.covariates import Covariates
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Labels
from disnplbm.notes import Hint
from disnplbm.posterior.draws import Axis, Draw, Draws
from disnplbm.sampler.starts import RANDOM_CLUSTERS


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """What comes of a fit.

    Parameters
    ----------
    findings : Findings
        Of the chains.
    table : FittedTable
    transform : Transform
        Fitted to the table.
    options : Options
        With the type of cells that was found.
    warnings, notes : list of str
        What is odd about the table, and about the clusters.
    created : str
        The moment, in ISO 8601.
    """

    findings: Findings
    table: FittedTable
    transform: Transform
    options: Options
    warnings: list[str]
    notes: Sequence[str]
    created: str


def fit_table(
    source: ArraySource,
    options: Options,
    start: tuple[Labels | None, Labels | None],
    stages: Stages,
    *,
    n_shards: int | str,
    axis: str,
    transform: Any,
    prior: NIWPrior | None,
    threads: int,
    compile_first: bool,
    factors: Factors | None = None,
    covariates: Covariates | None = None,
) -> Fitted:
    """Run the chains on a table in memory.

    Parameters
    ----------
    options : Options
    start : tuple
        Labels of rows and of columns, where they are given.
    n_shards, axis
        As :func:`disnplbm.data.sharding.choose_sharding` takes them.
    prior : NIWPrior, optional
        In the user's units, instead of the one that the options describe.
    compile_first : bool
        Whether to compile the kernels as a stage of its own.
    factors : Factors, optional
        Of the rows and the columns, where the exposure is given.
    covariates : Covariates, optional
        Of the rows and the columns, where cells are responses.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with stages("reading"):
        chosen = _choose(source, options, transform)
        options = options.resolved(source.dimension, chosen.cells)
        if factors is not None:
            check_for_counts(chosen.cells)
        if covariates is not None:
            check_for_responses(chosen.cells)
        beside = factors, covariates
        read = _read(source, options, start, beside, n_shards=n_shards, axis=axis, transform=transform, prior=prior)
    if compile_first:
        with stages("compiling"):
            warm_up(read.prepared.dimension, options, complete=read.complete, sparse=read.sparse)
    problem, fitted = read.problem(), read.transform
    findings = sample_and_find(problem, options, start, fitted.to_json(), source.column_names, stages, threads)
    n_shards = problem.parameters.n_shards
    table = FittedTable(
        (read.prepared,), n_shards, read.sha256, source.row_names, source.column_names, source.words or ()
    )
    notes = notes_on(findings.result, options, n_shards, table.cells)
    return Fitted(findings, table, fitted, options, [*read.notes, *chosen.notes], notes, created)


def sample_and_find(
    problem: Problem,
    options: Options,
    start: tuple[Labels | None, Labels | None],
    transform: str,
    column_names: Sequence[str],
    stages: Stages,
    threads: int,
) -> Findings:
    """Run the chains on a problem, and say what they find; the transform is as its draws keep it."""
    ended, kept = _sample(problem, options, start, stages, threads)
    meta = problem.draws_meta(options, transform, column_names)
    load_draws = partial(Draws.of, kept, meta) if kept else None
    return find(problem, ended, meta, load_draws, options, stages)


def read_problem(
    source: ArraySource,
    options: Options,
    *,
    axis: Axis,
    transform: Any,
    prior: NIWPrior | None = None,
    factors: Factors | None = None,
    covariates: Covariates | None = None,
) -> Problem:
    """A table in memory as one shard over an axis, as a fit with these options reads it."""
    options = options.resolved(source.dimension, options.cells)
    nowhere, beside = (None, None), (factors, covariates)
    read = _read(source, options, nowhere, beside, n_shards=1, axis=axis, transform=transform, prior=prior)
    warm_up(read.prepared.dimension, options, complete=read.complete, sparse=read.sparse)
    return read.problem()


def _read(
    source: ArraySource,
    options: Options,
    start: tuple[Labels | None, Labels | None],
    beside: tuple[Factors | None, Covariates | None],
    **how: Any,
) -> _Read:
    if options.cells == DENSE:
        return _read_numbers(source, options, start, **how)
    factors, covariates = beside
    return _read_typed(source, options, start, factors=factors, covariates=covariates, **how)


def _choose(source: ArraySource, options: Options, transform: Any) -> Chosen:
    """The type of the cells: the one asked for, or what they look like."""
    if source.words is not None:
        return choose_for_words(options.cells, source.words)
    if options.cells != "auto":
        return Chosen(options.cells)
    if source.dimension > 1 or check_transform(transform) != "none":
        return Chosen(DENSE)
    return choose_cells(csr_chunks(source))


class _Read(NamedTuple):
    """A table that was read."""

    problem: Callable[[], Problem]
    prepared: Prepared
    transform: Transform
    notes: list[str]
    sha256: str

    @property
    def complete(self) -> bool:
        """Whether no cell is missing."""
        return self.prepared.missing == 0

    @property
    def sparse(self) -> bool:
        """Whether real numbers are kept without their zeros."""
        return self.prepared.sparse


def _read_numbers(
    source: ArraySource,
    options: Options,
    start: tuple[Labels | None, Labels | None],
    *,
    n_shards: int | str,
    axis: str,
    transform: Any,
    prior: NIWPrior | None,
) -> _Read:
    """Read a table of real numbers."""
    name = check_transform(transform)
    stored = count_stored(source) if is_kept_sparse(_shape(source), 0, NONE) else None
    mostly_zero = stored is not None and is_kept_sparse(_shape(source), stored, NONE)
    _check_room(source, options, start, name, stored if mostly_zero else None)
    if mostly_zero and keeps_zeros(name):
        sparse = SparseTable(source, transform=name, n_shards=n_shards, axis=axis)
        build = partial(problem_of_dealt, sparse.prepared, sparse.shards, options, prior)
        return _Read(build, sparse.prepared, sparse.transform, sparse.notes, sparse.sha256)
    table = WorkingTable(source, n_shards=n_shards, axis=axis)
    cells, fitted = table.transform(transform)
    build = partial(
        build_problem,
        table.shards,
        len(table.shards),
        options,
        cells.axis,
        cells.mean,
        cells.covariance,
        cells.observed,
        complete=cells.missing == 0,
        prior=prior,
    )
    return _Read(build, cells, fitted, table.notes, table.sha256)


def _read_typed(
    source: ArraySource,
    options: Options,
    start: tuple[Labels | None, Labels | None],  # noqa: ARG001 - a sparse table takes what it takes
    *,
    n_shards: int | str,
    axis: str,
    transform: Any,
    prior: NIWPrior | None,
    factors: Factors | None,
    covariates: Covariates | None,
) -> _Read:
    """Read a table of other cells."""
    if prior is not None:
        remedy = "leave it out, or have the cells taken as real numbers: "
        raise InputError(
            f"prior is for real numbers, and the cells are {options.cells}: {remedy}", Hint("cells", DENSE)
        )
    table = TypedTable(
        source,
        cells=options.cells,
        exposure=options.exposure if factors is None else factors,
        covariates=covariates,
        transform=check_transform(transform),
        n_shards=n_shards,
        axis=axis,
    )
    build = partial(problem_of_dealt, table.prepared, table.shards, options)
    return _Read(build, table.prepared, table.transform, table.notes, table.sha256)


def _sample(
    problem: Problem, options: Options, start: tuple[Labels | None, Labels | None], stages: Stages, threads: int
) -> tuple[list[Ended], list[Draw]]:
    """Run the chains to their ends, and keep draws of all."""
    kept, total = list[Draw](), options.chains * options.iterations

    def see(step: Step) -> bool:
        if step.draw is not None:
            kept.append(step.draw)
        if step.stream.short is None:
            done = step.stream.chain * options.iterations + step.iteration
            stages.progress("sampling", done, total, step.trace.latest())
        return False

    with stages("sampling"):
        ended = drive(problem, options, problem.start(options.first_start, *start), InMemory(see), threads)
    return ended, kept


def _shape(source: ArraySource) -> tuple[int, int, int]:
    return source.rows, len(source.column_names), source.dimension


def _check_room(
    source: ArraySource,
    options: Options,
    start: tuple[Labels | None, Labels | None],
    transform: str,
    stored: int | None,
) -> None:
    """Refuse a table that does not fit into memory.

    Parameters
    ----------
    stored : int, optional
        Cells of a table that would be kept without its zeros; None for all others.
    """
    shape = _shape(source)
    given = [int(labels.max()) + 1 for labels in start if labels is not None]
    clusters = max(shape[:2]) if options.start == "singletons" else max([RANDOM_CLUSTERS, *given])
    sparse = stored if keeps_zeros(transform) else None
    needed = needed_bytes(*shape, clusters, diagonal=options.diagonal, stored=sparse) + options.bytes_of_draws(*shape)
    shown = " x ".join(f"{length:,}" for length in shape[: 2 if shape[2] == 1 else 3])
    if sparse is not None:
        check_memory(needed, available_bytes(), f"X ({shown})", "without its zeros")
    elif stored is not None:
        check_memory(needed, available_bytes(), f"{transform} leaves no zeros, and X ({shown})")
    else:
        check_memory(needed, available_bytes(), f"X ({shown})")
