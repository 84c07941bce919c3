r"""New rows (or columns) of counts, 0/1 and categories under the posterior.

Given a draw, a new row x is in cluster k, or in a new one, with the weights

    W_k = n_k prod_l LM(block_kl + x_l) / LM(block_kl)        and        W_new = alpha prod_l LM(x_l),

with the log marginals of the family at the likelihood power of the fit. (Where the number of clusters is limited, the
weights of :mod:`disnplbm.kernels.partition_prior` stand for n_k and alpha.) The draws are of the posterior before the
new row, and the row itself tells which of them are right about rows like it. So a draw s counts as much as the row is
dense under it, p_s(x) = sum of all W / (n + alpha):

    P(c) = sum_s p_s(x) sum_k W_k / sum of all W  |k and c| / |k|  /  sum_s p_s(x),

with |k and c| / |k| the share of cluster k that lies in the consensus cluster c. The log density is

    log p(x) = log mean over draws of p_s(x), with cells of power 1 and blocks of their cells counted r times,

as :mod:`disnplbm.posterior.predictive` has it for real numbers, and with all that does not depend on the clusters: of
counts, the sum of x log e - log x!. So it is the logarithm of a probability. With exposure by margins, a new row is
expected to have its own total, spread as the totals of the fitted columns are.

A missing cell says nothing: a row without any cell has the clusters' prior weights and density 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from disnplbm.errors import InputError
from disnplbm.families.base import Cells
from disnplbm.families.exponential.family import ExponentialFamily
from disnplbm.families.exponential.predictive import Candidate, Judged
from disnplbm.families.exponential.sums import Sums
from disnplbm.families.predicting import NewItems, predicting_type
from disnplbm.kernels.choice import logs
from disnplbm.model.statistics import Floats
from disnplbm.posterior.candidates import candidates_of, check_consensus, check_draws
from disnplbm.posterior.draws import Axis, Draws

#: Sums of new items that are worked on at a time, by one thread.
SUMS_AT_ONCE = 2**19


class Judgement(NamedTuple):
    """What the draws say of m new rows or columns."""

    proba: Floats  # (m, C + 1) probability of each consensus cluster, and of none of them
    log_density: Floats  # (m,)


def read_new(
    draws: Draws,
    table: Any,
    axis: Axis = "rows",
    *,
    first: int = 0,
    column_names: Sequence[str] | None = None,
    factors: Floats | None = None,
) -> NewItems:
    """Check new rows (or columns), and bring them into the form that draws judge.

    Parameters
    ----------
    table : sparse or array-like of shape (m, p) or (m, p, 1), or (n, m) and (n, m, 1) with ``axis="columns"``
        NaN where missing; what a sparse table does not store is zero.
    axis : {"rows", "columns"}
    first : int
        Index of the first row, for messages.
    column_names : sequence of str, optional
        Names of the table's columns; by default those that were fitted.
    factors : ndarray of shape (m,), optional
        Of the new rows (columns), where those that were fitted had some.

    Raises
    ------
    InputError
        The shape does not fit the draws, or a cell cannot be, which it names.
    """
    check_draws(draws)
    rows = _sparse(draws, table, axis)
    cell_type, facts = predicting_type(draws.meta.cells), draws.meta.facts
    fitted = draws.meta.column_names if axis == "rows" else None
    names = column_names or fitted or [str(j) for j in range(rows.shape[1])]
    cell_type.check_new(rows, first, names, facts)
    items = rows if axis == "rows" else csr_array(rows.T.tocsr())
    items.sort_indices()
    return (
        cell_type.new_items(items, facts, axis) if factors is None else cell_type.new_items(items, facts, axis, factors)
    )


def judge(draws: Draws, consensus_labels: ArrayLike, new: NewItems, axis: Axis = "rows", threads: int = 1) -> Judgement:
    """Find the probability that each new row (or column) belongs to each consensus cluster, and its log density.

    Parameters
    ----------
    consensus_labels : array-like of int
        Of the fitted rows (columns), 0..C-1.
    new : NewItems
        As :func:`read_new` makes them, of this axis.
    threads : int
        The result does not depend on it.

    Raises
    ------
    InputError
        There is another number of labels, or a cell is so large that no density is a finite number.
    """
    consensus, family = check_consensus(draws, consensus_labels, axis), _family(draws)
    judged = _visit(draws, consensus, new.cells, axis, family, 1.0, threads)
    proba = judged.memberships / judged.total[:, None]
    if draws.power != 1.0:
        everyone = np.zeros(len(consensus), dtype=np.int64)
        judged = _visit(draws, everyone, new.cells, axis, family.tempered(1.0), draws.power, threads)
    means = judged.best + logs(judged.total / len(draws))
    return Judgement(proba, np.asarray(means + new.log_constants))


def _visit(
    draws: Draws,
    consensus: NDArray[Any],
    cells: Cells,
    axis: Axis,
    family: ExponentialFamily,
    power: float,
    threads: int,
) -> Judged:
    """Show every draw every new item, a draw after another and some items at a time."""
    number = int(consensus.max()) + 1
    judged = Judged.nothing(cells.n_rows, number)
    with ThreadPoolExecutor(max(threads, 1)) as pool:
        for draw in draws:
            found = candidates_of(draw, draws, axis, consensus, number)
            candidate = Candidate(
                logs(found.sizes + found.pseudo_count),
                found.log_opening,
                found.log_total,
                np.ascontiguousarray(power * found.blocks.values),
                found.parts,
            )
            groups, n_groups = draw.column_labels if axis == "rows" else draw.row_labels, found.blocks.shape[1]
            step = max(1, SUMS_AT_ONCE // (n_groups * cells.numbers))

            def work(
                start: int,
                groups: Any = groups,
                n_groups: int = n_groups,
                step: int = step,
                candidate: Candidate = candidate,
            ) -> None:
                places = np.arange(start, min(start + step, cells.n_rows), dtype=np.int32)
                items = cells.by_group(slice(start, start + step), groups, n_groups)
                unfit = family.judge(cast(Sums, items), candidate, places, judged)
                if unfit >= 0:
                    raise InputError(
                        f"new {axis[:-1]} {places[unfit] + 1}: its cells are so large that no density of it is a finite"
                        " number; check them for extreme values"
                    )

            # Each part adds to items of its own, in the order of the draws: threads change no bit.
            for _ in pool.map(work, range(0, cells.n_rows, step)):
                pass
    return judged


def _family(draws: Draws) -> ExponentialFamily:
    return cast(ExponentialFamily, draws.meta.family)


def _sparse(draws: Draws, table: Any, axis: Axis) -> csr_array:
    """The table in sparse form, checked for its shape."""
    if not issparse(table):
        table = np.asarray(table, dtype=np.float64)
        table = table[..., 0] if table.ndim == 3 and table.shape[2] == 1 else table
    length = draws.length("columns" if axis == "rows" else "rows")
    if table.ndim != 2 or table.shape[1 if axis == "rows" else 0] != length:
        expected = f"(m, {length})" if axis == "rows" else f"({length}, m)"
        raise InputError(f"new {axis} have shape {table.shape}; expected {expected}, like the fitted data")
    rows = csr_array(table, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows
