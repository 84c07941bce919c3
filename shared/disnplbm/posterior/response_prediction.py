r"""Responses of cells that nobody has seen: of known rows and columns, and of new ones.

Given a draw, a response of block (k, l) at covariates u is Student's t (:mod:`disnplbm.model.regression`). A known row
is in its cluster. A new row, of which some responses x may be seen in known columns, is in cluster k, or in a new one,
with the weights

    W_k = n_k prod_l LM(block_kl + x_l) / LM(block_kl)        and        W_new = alpha prod_l LM(x_l),

and so is a new column; the draws count as much as the new row and column are dense under them
(:mod:`disnplbm.posterior.typed_predictive`). A block of a new cluster holds no cell, so the prior speaks. Over draws
and clusters the response is a mixture of Student's t, of which mean, standard deviation and quantiles are told.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, ndtri, stdtr

from disnplbm.families.exponential.sums import Sums
from disnplbm.families.responses import Responses
from disnplbm.families.responses.cells import SparseResponses
from disnplbm.kernels.choice import logs
from disnplbm.model.statistics import Floats
from disnplbm.posterior.candidates import candidates_of, check_draws
from disnplbm.posterior.draws import Axis, Draw, Draws

#: Share of the draws' mixture that an interval holds.
LEVEL = 0.95

#: Cells whose mixtures are held at a time.
CELLS_AT_ONCE = 10_000

#: Clusters that a new item is less likely in are left out of a mixture.
LEAST_WEIGHT = 1e-6

_ROUNDS, _PRECISION = 60, 1e-9


class Asked(NamedTuple):
    """Cells to predict, M of them: places of rows and columns, new ones behind the fitted ones, and covariates."""

    rows: NDArray[np.int64]  # (M,)
    columns: NDArray[np.int64]  # (M,)
    covariates: Floats  # (M, q) in the working units, the intercept first


class Predicted(NamedTuple):
    """What the draws say of responses, in the units of the table, shape (M,) each."""

    mean: Floats
    sd: Floats
    low: Floats  # ends of the interval of :data:`LEVEL`
    high: Floats


class Memberships(NamedTuple):
    """Where new items are, by a draw."""

    weights: Floats  # (m, K + 1) of each cluster, and of a new one; rows sum to 1
    log_densities: Floats  # (m,) of the items' cells


def weigh_new(draw: Draw, draws: Draws, axis: Axis, cells: SparseResponses) -> Memberships:
    """Weigh new rows, or columns, against the clusters of a draw.

    Parameters
    ----------
    axis : {"rows", "columns"}
        What the new items are.
    cells : SparseResponses
        Their seen responses, the new items as its rows.
    """
    family = cast(Responses, draws.meta.family)
    found = candidates_of(draw, draws, axis, np.zeros(draws.length(axis), dtype=np.int64), 1)
    groups = draw.column_labels if axis == "rows" else draw.row_labels
    blocks = np.ascontiguousarray(found.blocks.values)
    items = cells.by_group(slice(None), groups, blocks.shape[1]).values
    before, alone = family.log_marginals(Sums(blocks)), family.log_marginals(Sums(items)).sum(axis=1)
    log_weights = np.empty((len(items), len(blocks) + 1))
    for k, block in enumerate(blocks):
        gains = family.log_marginals(Sums(items + block)) - before[k]
        log_weights[:, k] = gains.sum(axis=1) + logs([found.sizes[k] + found.pseudo_count])[0]
    log_weights[:, -1] = alone + found.log_opening
    total = logsumexp(log_weights, axis=1)
    return Memberships(np.exp(log_weights - total[:, None]), total - found.log_total)


def predict_responses(
    draws: Draws, asked: Asked, new_rows: SparseResponses, new_columns: SparseResponses, level: float = LEVEL
) -> Predicted:
    """Predict responses.

    Parameters
    ----------
    new_rows : SparseResponses
        Seen responses of the new rows in the fitted columns; it may have no row.
    new_columns : SparseResponses
        Seen responses of the new columns in the fitted rows, the columns as its rows.
    level : float
        That the interval holds.

    Raises
    ------
    InputError
        There are no draws.
    """
    check_draws(draws)
    of_rows = [weigh_new(draw, draws, "rows", new_rows) for draw in draws]
    of_columns = [weigh_new(draw, draws, "columns", new_columns) for draw in draws]
    units, parts = cast(Responses, draws.meta.family).units, list[Predicted]()
    for start in range(0, max(len(asked.rows), 1), CELLS_AT_ONCE):
        part = slice(start, start + CELLS_AT_ONCE)
        some = Asked(asked.rows[part], asked.columns[part], asked.covariates[part])
        mixture = _Mixture.of(list(_components(draws, some, of_rows, of_columns)), len(some.rows))
        mean, sd = mixture.moments()
        ends = [mixture.quantiles(0.5 * (1.0 + side * level), mean, sd) for side in (-1.0, 1.0)]
        low, high = (units.centre[-1] + units.scale[-1] * end for end in ends)
        parts.append(Predicted(units.centre[-1] + units.scale[-1] * mean, units.scale[-1] * sd, low, high))
    return Predicted(*(np.concatenate(values) for values in zip(*parts, strict=True)))


class _Mixture(NamedTuple):
    """Student's t of M cells, T components in all."""

    cell: NDArray[np.int64]  # (T,)
    weight: Floats  # (T,) of each cell they sum to 1
    degrees: Floats
    mean: Floats
    scale: Floats
    number: int  # M

    @classmethod
    def of(cls, components: list[tuple[NDArray[np.int64], Floats]], number: int) -> _Mixture:
        """Of components with log weights."""
        cell = np.concatenate([places for places, _ in components])
        log_weight, degrees, mean, scale = np.concatenate([numbers for _, numbers in components], axis=1)
        best = np.full(number, -np.inf)
        np.maximum.at(best, cell, log_weight)
        weight = np.exp(log_weight - best[cell])
        return cls(cell, weight / np.bincount(cell, weight, number)[cell], degrees, mean, scale, number)

    def _average(self, values: Floats) -> Floats:
        return np.asarray(np.bincount(self.cell, self.weight * values, self.number))

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation."""
        mean = self._average(self.mean)
        variance = self._average(
            self.scale**2 * self.degrees / (self.degrees - 2.0) + (self.mean - mean[self.cell]) ** 2
        )
        return mean, np.sqrt(variance)

    def quantiles(self, probability: float, mean: Floats, sd: Floats) -> Floats:
        """Where the distribution function has a value: Newton's steps, and bisection where they lead astray."""
        reach = np.sqrt(1.0 / min(probability, 1.0 - probability)) * sd
        low, high, x = mean - reach, mean + reach, mean + ndtri(probability) * sd
        half = 0.5 * (self.degrees + 1.0)
        constant = np.exp(gammaln(half) - gammaln(0.5 * self.degrees)) / np.sqrt(self.degrees * np.pi) / self.scale
        for _ in range(_ROUNDS):
            t = (x[self.cell] - self.mean) / self.scale
            above = self._average(stdtr(self.degrees, t)) - probability
            density = self._average(constant * (1.0 + t**2 / self.degrees) ** -half)
            low, high = np.where(above < 0.0, x, low), np.where(above < 0.0, high, x)
            step = x - above / np.maximum(density, np.finfo(np.float64).tiny)
            inside = (step > low) & (step < high)
            before, x = x, np.where(inside, step, 0.5 * (low + high))
            if (np.abs(x - before) <= _PRECISION * sd).all():
                break
        return x


def _components(
    draws: Draws, asked: Asked, of_rows: list[Memberships], of_columns: list[Memberships]
) -> Iterator[tuple[NDArray[np.int64], Floats]]:
    """Cells, and log weight, degrees of freedom, mean and scale of the components of each draw."""
    family = cast(Responses, draws.meta.family)
    for draw, in_rows, in_columns in zip(draws, of_rows, of_columns, strict=True):
        n = len(draw.row_labels)
        padded = np.pad(draw.blocks.values, ((0, 1), (0, 1), (0, 0)))
        rows, columns = _options(draw.row_labels, in_rows), _options(draw.column_labels, in_columns)
        numbers = rows.numbers[asked.rows], columns.numbers[asked.columns]
        both = numbers[0] * numbers[1]
        cell = np.repeat(np.arange(len(both)), both)
        within = np.arange(len(cell)) - np.repeat(np.cumsum(both) - both, both)
        at_rows = rows.starts[asked.rows[cell]] + within // numbers[1][cell]
        at_columns = columns.starts[asked.columns[cell]] + within % numbers[1][cell]
        densities = np.append(np.zeros(n), in_rows.log_densities)[asked.rows]
        densities = densities + np.append(np.zeros(len(draw.column_labels)), in_columns.log_densities)[asked.columns]
        sums = padded[rows.clusters[at_rows], columns.clusters[at_columns]]
        log_weights = densities[cell] + np.log(rows.weights[at_rows]) + np.log(columns.weights[at_columns])
        yield cell, np.stack([log_weights, *family.predict(sums, asked.covariates[cell])])


class _Options(NamedTuple):
    """Clusters that each known and each new item may be in."""

    starts: NDArray[np.int64]  # (n + m,)
    numbers: NDArray[np.int64]  # (n + m,)
    clusters: NDArray[np.int64]
    weights: Floats


def _options(labels: NDArray[np.int32], new: Memberships) -> _Options:
    likely = new.weights >= LEAST_WEIGHT
    items, clusters = np.nonzero(likely)
    numbers = np.concatenate([np.ones(len(labels), dtype=np.int64), np.bincount(items, minlength=len(likely))])
    return _Options(
        np.cumsum(numbers) - numbers,
        numbers,
        np.concatenate([labels, clusters]).astype(np.int64),
        np.concatenate([np.ones(len(labels)), new.weights[likely]]),
    )
