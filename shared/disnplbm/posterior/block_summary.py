r"""Figures of the blocks of a consensus, with what the draws leave open about them: of real numbers, mean and spread.

A consensus block (k, l) is a set of cell positions. Given a draw with partitions z, w, and parameters (mu, Sigma) of
its blocks drawn from their posterior, each position has the parameters of the drawn block that it lies in:

    mean    f      = mean over positions (i, j) of mu[z_i, w_j]
    spread  g_c^2  = mean of Sigma[z_i, w_j]_cc + variance over positions of mu[z_i, w_j]_c

so g is the standard deviation of a new cell at a random position of the block. With the numbers R of rows that
consensus cluster and drawn cluster share, and C of columns, the means are R mu C^T / (n_k n_l): no position is visited.
Of counts, the figure is the mean of the rates theta; of categories, of the shares.

The consensus is a function of the data, and f and g are functions of it and of the unknowns (z, w, mu, Sigma), whose
joint posterior the draws come from. So their intervals are posterior intervals, whatever the consensus: over data
from the prior they cover at exactly their level, if the draws are exact and independent. Their ends stand at places
p (S + 1) among the S ordered draws: that makes it so at S = 39 already, while fewer can give no more than their least
and greatest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disnplbm.errors import InputError
from disnplbm.model.statistics import Floats, Labels
from disnplbm.notes import Hint
from disnplbm.parts import split_labels
from disnplbm.posterior.draws import Draws

#: Probability of the central intervals.
LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """Posterior mean and central 95 % interval of a number for each block and component, shape (K, L, d) each."""

    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True, eq=False)
class BlockSummary:
    """What is known of consensus blocks, in the units of the (transformed) data.

    Parameters
    ----------
    figures : dict of Interval
        By the names that the family gives them: of real numbers, the mean of a block and the standard deviation of its
        cells.
    """

    figures: dict[str, Interval]

    @property
    def centre(self) -> Interval:
        """Of the block's mean."""
        return self.figures["mean"]

    @property
    def spread(self) -> Interval:
        """Of the standard deviation of its cells."""
        return self.figures["sd"]


def summarise_blocks(
    draws: Draws, row_labels: ArrayLike, column_labels: ArrayLike, generator: np.random.Generator
) -> tuple[BlockSummary, ...]:
    """Posterior of the mean and spread of each block of two partitions, part by part.

    Parameters
    ----------
    draws : Draws
        Each is looked at once; what is kept of it are 2 d numbers for each consensus block.
    row_labels, column_labels : array-like of int, shape (n,) and (p,)
        Consensus labels 0..K-1 and 0..L-1 without holes, the columns' clusters numbered part after part.
    generator : Generator
        Draws the blocks' parameters, once for each draw of the partitions.

    Raises
    ------
    InputError
        The labels do not fit the draws, or there are none.
    """
    rows, columns = np.asarray(row_labels, dtype=np.int64), np.asarray(column_labels, dtype=np.int64)
    if (len(rows), len(columns)) != (draws.n_rows, draws.n_columns):
        raise InputError(
            f"labels of {len(rows)} rows and {len(columns)} columns do not fit the draws' {draws.n_rows} and"
            f" {draws.n_columns}"
        )
    if len(draws) == 0:
        raise InputError("there are no draws to summarise; fit again with ", Hint("draws"))
    samples: list[dict[str, Floats]] = [{} for _ in draws.meta.parts]
    of_parts = split_labels(columns, draws.meta.lengths)
    for s, draw in enumerate(draws):
        of_rows, drawn_columns = _shares(rows, draw.row_labels), split_labels(draw.column_labels, draws.meta.lengths)
        for part, family in enumerate(draws.meta.families):
            shares = _shares(of_parts[part], drawn_columns[part])
            average = partial(_averaged, of_rows=of_rows, of_columns=shares)
            for name, drawn in family.draw_figures(draw.parts[part], average, generator).items():
                samples[part].setdefault(name, np.empty((len(draws), *drawn.shape)))[s] = drawn
    return tuple(BlockSummary({name: _interval(drawn) for name, drawn in figures.items()}) for figures in samples)


def _shares(consensus: NDArray[np.int64], labels: Labels) -> Floats:
    """Share of each consensus cluster's members that each drawn cluster holds."""
    number, drawn = int(consensus.max()) + 1, int(labels.max()) + 1
    together = np.bincount(consensus * drawn + labels, minlength=number * drawn).reshape(number, drawn)
    return np.asarray(together / together.sum(axis=1, keepdims=True))


def _averaged(values: Floats, of_rows: Floats, of_columns: Floats) -> Floats:
    """Mean over each consensus block's positions of what each drawn block has."""
    return np.asarray(np.einsum("kbd,lb->kld", np.einsum("ka,abd->kbd", of_rows, values), of_columns))


def _interval(samples: Floats) -> Interval:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(samples, [tail, 1 - tail], axis=0, method="weibull")
    return Interval(samples.mean(axis=0), low, high)
