r"""New rows (or columns) under the posterior: which cluster they would join, and how well the draws foresee them.

Given a draw, a new row x belongs to its cluster k, or to a new one, with probability in proportion to

    n_k prod_l p_r(x_l | block_kl)        and        alpha prod_l p_r(x_l | nothing),

p_r the ratio of marginals with the likelihood power r, as in a sweep. (Where the number of clusters is limited, the
weights of :mod:`disnplbm.kernels.partition_prior` stand for n_k and alpha, here and below.) Over draws clusters have no
names, so they are mapped onto a consensus partition through the rows that they share:

    P(c) = mean over draws of sum_k p(k) |k and c| / |k|,        P(none) = mean over draws of p(new).

The density is of one more row under the draws, where its own cells have power 1:

    p(x) = mean over draws of   sum_k n_k / (n + alpha) prod_l p(x_l | block_kl)
                              +       alpha / (n + alpha) prod_l p(x_l | nothing)

where a block's parameters have the posterior of its cells counted r times, (rN, T, rS). The power says how much the
blocks may learn from the data; a density of x raised to the power r would not integrate to one, and could not be
compared with another model's.

A missing cell says nothing: a row without any cell has the clusters' prior weights and density 1.

All this is for real numbers. For other cells see :mod:`disnplbm.posterior.typed_predictive`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from disnplbm.cell_types import DENSE
from disnplbm.errors import InputError
from disnplbm.kernels.blocks import Clusters, Items, KernelPrior, clusters_of, items_of
from disnplbm.kernels.predictive import LogMean, add_memberships
from disnplbm.kernels.special import LOG_PI
from disnplbm.kernels.statistics import cells_by_group
from disnplbm.model.frame import Frame
from disnplbm.model.statistics import Floats, Labels, Statistics
from disnplbm.posterior.candidates import Candidates, candidates_of, check_consensus, check_draws
from disnplbm.posterior.draws import Axis, Draw, Draws
from disnplbm.posterior.typed_predictive import judge, read_new

#: Numbers of the new rows that are worked on at a time, by one thread.
CELLS_AT_ONCE = 2**19

#: Numbers that the draws worked on at a time may hold.
NUMBERS_AT_ONCE = 2**22


def predict_proba(
    draws: Draws,
    consensus_labels: ArrayLike,
    values: ArrayLike,
    *,
    axis: Axis = "rows",
    threads: int = 1,
    factors: Floats | None = None,
) -> Floats:
    """Probability that each new row (or column) belongs to each consensus cluster, and to none of them.

    Parameters
    ----------
    consensus_labels : array-like of int, shape (n,)
        Labels 0..C-1 of the fitted rows; of the columns, shape (p,), with ``axis="columns"``.
    values : array-like of shape (m, p, d), or (n, m, d) with ``axis="columns"``
        In the units of the (transformed) data; NaN where missing. Each new row is judged by itself. Of other cells
        than real numbers, also a sparse matrix of shape (m, p) or (n, m).
    axis : {"rows", "columns"}
    threads : int
        The result does not depend on it.
    factors : ndarray of shape (m,), optional
        Of new rows (columns) of counts, where those that were fitted had some.

    Returns
    -------
    ndarray of shape (m, C + 1)
        Rows sum to 1; the last column is "none of these".

    Raises
    ------
    InputError
        A shape does not fit the draws, or there are none.
    """
    if draws.meta.cells != DENSE:
        return judge(draws, consensus_labels, read_new(draws, values, axis, factors=factors), axis, threads).proba
    table = _checked(draws, values, axis)
    consensus = check_consensus(draws, consensus_labels, axis)
    number = int(consensus.max()) + 1
    result = np.zeros((len(table), number + 1))
    settings = KernelPrior.of(draws.prior, draws.power)

    def add(candidate: Candidates, clusters: Clusters, items: Items, places: Labels) -> None:
        add_memberships(settings, clusters, items, candidate.log_opening, candidate.parts, places, result)

    _visit(
        draws,
        table,
        axis,
        settings,
        lambda draw: _scaled(candidates_of(draw, draws, axis, consensus, number), 1.0),
        add,
        threads,
    )
    return result / len(draws)


def log_density(
    draws: Draws, values: ArrayLike, *, axis: Axis = "rows", threads: int = 1, factors: Floats | None = None
) -> Floats:
    """Log posterior predictive density of each new row (or column) by itself.

    Parameters
    ----------
    draws, values, axis, threads, factors
        As in :func:`predict_proba`.

    Returns
    -------
    ndarray of shape (m,)
        In the units of the (transformed) data; 0 for one without any cell.

    Raises
    ------
    InputError
        A shape does not fit the draws, or there are none.
    """
    if draws.meta.cells != DENSE:
        everyone = np.zeros(draws.length(axis), dtype=np.int32)
        return judge(draws, everyone, read_new(draws, values, axis, factors=factors), axis, threads).log_density
    table = _checked(draws, values, axis)
    mean = LogMean(len(table))
    plain = KernelPrior.of(draws.prior, 1.0)
    everyone, number = np.zeros(draws.length(axis), dtype=np.int32), 1

    def add(candidate: Candidates, clusters: Clusters, items: Items, places: Labels) -> None:
        mean.add_items(plain, clusters, items, candidate.log_opening, candidate.log_total, places)

    def candidate(draw: Draw) -> Candidates:
        return _scaled(candidates_of(draw, draws, axis, everyone, number), draws.power)

    _visit(draws, table, axis, plain, candidate, add, threads)
    observed = (~np.isnan(table).any(axis=-1)).sum(axis=-1)
    a_cell = draws.frame.log_jacobian(1.0) - 0.5 * draws.dimension * LOG_PI
    return np.asarray(mean.result(len(draws)) + observed * a_cell)


def _scaled(candidates: Candidates, power: float) -> Candidates:
    """The same with each cell of the blocks counted ``power`` times."""
    blocks = candidates.blocks
    return replace(candidates, blocks=Statistics(power * blocks.count, blocks.mean, power * blocks.scatter))


def _visit(
    draws: Draws,
    table: Floats,
    axis: Axis,
    settings: KernelPrior,
    candidate_of: Callable[[Draw], Candidates],
    add: Callable[[Candidates, Clusters, Items, Labels], None],
    threads: int,
) -> None:
    """Show every draw every new item, some draws and some items at a time."""
    step = max(1, CELLS_AT_ONCE // max(table.shape[1] * table.shape[2], 1))
    parts = [slice(start, start + step) for start in range(0, len(table), step)]
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        for batch in _batches(draws, axis, candidate_of):

            def work(part: slice, batch: list[tuple[Labels, list[Candidates]]] = batch) -> None:
                _visit_part(_framed(table[part], draws.frame), part.start, batch, settings, add, axis)

            # Each part adds to rows of the result of its own, in the order of the draws: threads change no bit.
            for _ in pool.map(work, parts):
                pass


def _visit_part(
    framed: Floats,
    start: int,
    batch: list[tuple[Labels, list[Candidates]]],
    settings: KernelPrior,
    add: Callable[[Candidates, Clusters, Items, Labels], None],
    axis: Axis,
) -> None:
    whole = ~np.isnan(framed[..., 0]).any(axis=1)
    # Complete and incomplete items apart: what one is given does not depend on which others come with it.
    for alike in (True, False):
        chosen = np.flatnonzero(whole == alike)
        if len(chosen) == 0:
            continue
        cells, places = framed[chosen], (chosen + start).astype(np.int32)
        for groups, candidates in batch:
            blocks = candidates[0].blocks
            statistics = cells_by_group(cells, groups, blocks.shape[1], diagonal=blocks.diagonal)
            items = items_of(statistics, settings, alike=alike)
            unfit = np.flatnonzero(~np.isfinite(items.log_marginal_self))
            if len(unfit):
                raise InputError(
                    f"new {axis[:-1]} {places[unfit[0]] + 1}: its cells are so large that no density of it is a finite"
                    " number; check them for extreme values"
                )
            for candidate in candidates:
                clusters = clusters_of(candidate.sizes, candidate.blocks, items, settings, candidate.pseudo_count)
                add(candidate, clusters, items, places)


def _batches(
    draws: Draws, axis: Axis, candidate_of: Callable[[Draw], Candidates]
) -> Iterator[list[tuple[Labels, list[Candidates]]]]:
    """The draws, those with the same groups together, as many at a time as memory is meant for."""
    other: Callable[[int], Labels] = draws.column_labels if axis == "rows" else draws.row_labels
    alike: dict[bytes, list[int]] = {}
    for index in range(len(draws)):
        alike.setdefault(hashlib.sha256(other(index).tobytes()).digest(), []).append(index)
    batch: list[tuple[Labels, list[Candidates]]] = []
    held = 0
    for indices in alike.values():
        groups = other(indices[0])
        batch.append((groups, []))
        held += groups.size
        for index in indices:
            candidate = candidate_of(draws[index])
            batch[-1][1].append(candidate)
            held += candidate.blocks.scatter.size * 3 + candidate.parts.size
            if held > NUMBERS_AT_ONCE:
                yield batch
                batch, held = [(groups, [])], 0
        if not batch[-1][1]:
            batch.pop()
    if batch:
        yield batch


def _framed(values: Floats, frame: Frame) -> Floats:
    """Cells in the frame, missing as a whole where any component is."""
    framed = np.ascontiguousarray(frame.enter(values))
    if values.shape[-1] > 1:
        framed[np.isnan(framed).any(axis=-1)] = np.nan
    return framed


def _checked(draws: Draws, values: ArrayLike, axis: Axis) -> Floats:
    """New items as rows, shape (m, p, d) or (m, n, d)."""
    table = np.asarray(values, dtype=np.float64)
    check_draws(draws)
    fits = table.ndim == 3 and table.shape[2] == draws.dimension
    length = draws.length("columns" if axis == "rows" else "rows")
    if not fits or table.shape[1 if axis == "rows" else 0] != length:
        expected = f"(m, {length}, {draws.dimension})" if axis == "rows" else f"({length}, m, {draws.dimension})"
        raise InputError(f"new {axis} have shape {table.shape}; expected {expected}, like the fitted data")
    return table if axis == "rows" else np.swapaxes(table, 0, 1)
