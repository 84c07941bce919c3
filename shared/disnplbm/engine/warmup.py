"""Compile the kernels before a chain runs, so that first use is said and timed apart from sampling."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from threading import Thread
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.cell_types import CELL_TYPES, DENSE
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.prepared import Prepared
from disnplbm.data.responses import deal_responses
from disnplbm.data.sparse_numbers import deal_numbers
from disnplbm.data.table import Source, is_sparse
from disnplbm.data.typed import deal_cells
from disnplbm.dealing import slice_of
from disnplbm.engine.drive import InMemory, run_one
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, build_problem, join_parts, problem_of_dealt
from disnplbm.kernels.choice import choose, log_gammas
from disnplbm.model.statistics import Floats

#: Rows and columns of the tables.
SHAPE = (8, 4)

#: After the first iteration split-merge draws given parameters, and proposes.
ITERATIONS = 4


def warm_up(dimension: int, asked: Options, *, complete: bool, sparse: bool = False) -> None:
    """Run short chains on a tiny table of the same kind, with one shard and with two.

    Takes milliseconds where Numba's cache on disk holds the kernels, and some seconds a kind where it does not.

    Parameters
    ----------
    dimension : int
        Numbers in a cell.
    asked : Options
        Of the run: its sampler and covariance say which kernels it takes.
    complete : bool
        That no cell is missing.
    sparse : bool
        Whether real numbers are kept without their zeros.
    """
    _run(_tables(dimension, asked, complete=complete, sparse=sparse))


def warm_up_parts(parts: Sequence[Prepared], asked: Options) -> None:
    """The same on a tiny table of such parts; see :func:`warm_up`."""
    tables = (
        _tables(part.dimension, replace(asked, cells=part.cells), complete=part.missing == 0, sparse=part.sparse)
        for part in parts
    )
    options = Options(sampler=asked.sampler, covariance=asked.covariance, iterations=ITERATIONS, burn_in=1)
    _run(join_parts(each, options) for each in zip(*tables, strict=True))


def _run(problems: Iterable[Problem]) -> None:
    for problem in problems:
        run_one(problem, ITERATIONS, problem.start("random"), InMemory())
    # What the join needs for new clusters, and merges after their first iterations.
    choose(np.zeros(2), 0.5)
    log_gammas([2.0])


def _tables(dimension: int, asked: Options, *, complete: bool, sparse: bool) -> Iterator[Problem]:
    """Tiny tables of a kind, in one shard and in two."""
    make = _problems if asked.cells in ("auto", DENSE) else _typed_problems
    return (_sparse_problems if sparse else make)(dimension, asked, complete=complete)


def warm_up_beside(source: Source, asked: Options) -> None:
    """Begin to load the kernels while a table of real numbers is read, which keeps no thread busy.

    It comes before anybody knows whether cells are missing; :func:`warm_up` loads what is left, and waits for what is
    being compiled here.
    """
    if asked.cells in ("auto", DENSE) and not is_sparse(source):
        Thread(target=_warm_up_quietly, args=(source.dimension, asked), name="warm-up", daemon=True).start()


def _warm_up_quietly(dimension: int, asked: Options) -> None:
    # The call that has to succeed meets the same fault, and says so.
    with contextlib.suppress(Exception):
        warm_up(dimension, asked.resolved(dimension), complete=True)


def _problems(dimension: int, asked: Options, *, complete: bool) -> Iterator[Problem]:
    """Tables of real numbers, in one shard and in two."""
    if asked.diagonal:
        # One kernel takes the numbers of a cell one by one, however many there are.
        dimension = min(dimension, 2)
    values = np.random.default_rng(0).normal(size=(*SHAPE, dimension))
    if not complete:
        values[0, 0] = np.nan
    observed = 31 if not complete else 32
    options = Options(sampler=asked.sampler, covariance=asked.covariance, iterations=ITERATIONS, burn_in=1)
    for n_shards in (1, 2):
        yield build_problem(
            [values[slice_of(index, n_shards)].copy() for index in range(n_shards)],
            n_shards,
            options,
            "rows",
            np.zeros(dimension),
            np.eye(dimension),
            observed,
            complete=complete,
        )


def _sparse_problems(dimension: int, asked: Options, *, complete: bool) -> Iterator[Problem]:
    """Tables of real numbers without their zeros, in one shard and in two."""
    values = np.random.default_rng(0).normal(size=SHAPE)
    values[::2, ::2] = 0.0
    if not complete:
        values[0, 1] = np.nan
    options = Options(sampler=asked.sampler, cells=DENSE, iterations=ITERATIONS, burn_in=1)
    table = _Tiny(*SHAPE, dimension, [""] * SHAPE[1], values[..., None])
    chunks = [(0, csr_array(values))]
    for n_shards in (1, 2):
        dealt = deal_numbers(table, lambda: chunks, transform="none", n_shards=n_shards, axis="rows").dealt
        yield problem_of_dealt(dealt.prepared, dealt.shards, options)


def _typed_problems(dimension: int, asked: Options, *, complete: bool) -> Iterator[Problem]:
    """Tables of other cells, in one shard and in two."""
    values = np.random.default_rng(0).integers(2, size=SHAPE).astype(np.float64)
    if not complete:
        values[0, 0] = np.nan
    exposure = "none" if asked.exposure == "given" else asked.exposure
    options = Options(sampler=asked.sampler, cells=asked.cells, iterations=ITERATIONS, burn_in=1)
    table, chunks = _Tiny(*SHAPE, dimension, [""] * SHAPE[1], values[..., None]), [(0, csr_array(values))]
    for n_shards in (1, 2):
        if asked.cells == RESPONSES:
            dealt = deal_responses(
                table, table.arrays, covariates=None, transform="none", n_shards=n_shards, axis="rows"
            )
            yield problem_of_dealt(dealt.prepared, dealt.shards, options)
            continue
        dealt = deal_cells(
            table,
            lambda: chunks,
            [""] * SHAPE[1],
            cells=asked.cells,
            exposure=exposure,
            transform="none",
            n_shards=n_shards,
            axis="rows",
        )
        yield problem_of_dealt(dealt.prepared, dealt.shards, options)


class _Tiny(NamedTuple):
    """A table to warm up on."""

    n: int
    p: int
    dimension: int
    column_names: list[str]
    cells: Floats

    def arrays(self) -> Iterator[tuple[int, Floats]]:
        """All rows."""
        yield 0, self.cells


def warm_up_usual() -> None:
    """Compile what most runs need, for an image that starts without a wait: ``python -m disnplbm.engine.warmup``."""
    for complete in (True, False):
        for sampler in ("collapsed", "split-merge"):
            for dimension in (1, 2, 3):
                warm_up(dimension, Options(sampler=sampler), complete=complete)
            warm_up(1, Options(sampler=sampler), complete=complete, sparse=True)
        for cells in CELL_TYPES:
            warm_up(1, Options(cells=cells).resolved(1, cells), complete=complete)


if __name__ == "__main__":
    warm_up_usual()
